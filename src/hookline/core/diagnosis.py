"""The finding of a check of the installation, with an id for scripts."""

from typing import Literal

from msgspec import Struct

Weight = Literal["well", "note", "attention"]


class Finding(Struct, frozen=True, kw_only=True):
    """A result of one check; with weight "attention", the text names the fix."""

    id: str
    """Name of the check, the same in every release."""
    weight: Weight
    text: str
    host: str = ""
    fix: str = ""
    """Shell command that removes the cause; the text names it too."""


def attention(name: str, text: str) -> Finding:
    return Finding(id=name, weight="attention", text=text)


def advise(name: str, text: str, fix: str, rest: str = "") -> Finding:
    """Return a finding that requires action, and the command that `hookline doctor --fix` runs."""
    return Finding(id=name, weight="attention", text=f"{text}: run `{fix}`{rest}", fix=fix)


def note(name: str, text: str) -> Finding:
    return Finding(id=name, weight="note", text=text)


def well(name: str, text: str) -> Finding:
    return Finding(id=name, weight="well", text=text)
