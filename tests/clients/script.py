"""Replies of the scripted model: text, tool calls, or both."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    tool: str
    input: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tokens:
    """The token counts that a reply reports; `input` includes `cached`."""

    input: int = 10
    output: int = 5
    cached: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    text: str = ""
    calls: tuple[Call, ...] = ()
    tokens: Tokens = Tokens()
    pieces: int = 1
    """Number of pieces into which a stream splits each part."""

    def cut(self, text: str) -> list[str]:
        """Return *text* split into `pieces` pieces, or fewer if it is too short."""
        size = max(-(-len(text) // self.pieces), 1)
        return [text[at : at + size] for at in range(0, len(text), size)] or [""]


def say(text: str) -> Reply:
    return Reply(text=text)


def call(tool: str, **given: Any) -> Reply:
    return Reply(calls=(Call(tool=tool, input=given),))


def parse(raw: Mapping[str, Any]) -> Reply:
    """Return the reply that *raw*, its JSON form, describes."""
    calls = tuple(Call(**one) for one in raw["calls"])
    tokens = Tokens(**raw["tokens"])
    return Reply(text=raw["text"], calls=calls, tokens=tokens, pieces=raw.get("pieces", 1))
