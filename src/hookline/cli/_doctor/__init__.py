"""The finding of a check by `hookline doctor`, with an id for scripts."""

from typing import Literal

from msgspec import Struct

Weight = Literal["well", "note", "attention"]


class Finding(Struct, frozen=True, kw_only=True):
    """Attention is for what a person should do something about; the text says what."""

    id: str
    """Which look it comes from, the same in every release."""
    weight: Weight
    text: str
    host: str = ""


def attention(name: str, text: str) -> Finding:
    return Finding(id=name, weight="attention", text=text)


def note(name: str, text: str) -> Finding:
    return Finding(id=name, weight="note", text=text)


def well(name: str, text: str) -> Finding:
    return Finding(id=name, weight="well", text=text)
