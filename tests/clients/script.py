"""What the scripted model says: replies in order, each some words, some tool calls, or both."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    tool: str
    input: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tokens:
    """What a reply says that it took: the whole of what was read, and how much of that came from a cache."""

    input: int = 10
    output: int = 5
    cached: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    text: str = ""
    calls: tuple[Call, ...] = ()
    tokens: Tokens = Tokens()
    pieces: int = 1
    """In how many a stream says each of its parts."""

    def cut(self, text: str) -> list[str]:
        """The *text* in so many pieces, fewer where it is too short for them."""
        size = max(-(-len(text) // self.pieces), 1)
        return [text[at : at + size] for at in range(0, len(text), size)] or [""]


def say(text: str) -> Reply:
    return Reply(text=text)


def call(tool: str, **given: Any) -> Reply:
    return Reply(calls=(Call(tool=tool, input=given),))


def parse(raw: Mapping[str, Any]) -> Reply:
    """The reply that went through JSON as *raw*."""
    calls = tuple(Call(**one) for one in raw["calls"])
    tokens = Tokens(**raw["tokens"])
    return Reply(text=raw["text"], calls=calls, tokens=tokens, pieces=raw.get("pieces", 1))
