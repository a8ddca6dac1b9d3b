"""Why a hook said what it said: a tree for a person, made of the very findings that it judges by."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from msgspec import Struct

Said = Literal["", "pass", "excepted", "off", "warn", "modify", "allow", "ask", "block"]
_WEIGHT: dict[Said, int] = {"warn": 1, "modify": 2, "allow": 3, "ask": 4, "block": 5}


class Branch(Struct, frozen=True, kw_only=True):
    """One thing that was looked at, what came of it, and below it what that hangs on."""

    text: str
    said: Said = ""
    """Empty where it decides nothing by itself."""
    rule: str = ""
    """The id of the rule that spoke, without the hook's name."""
    because: str = ""
    """The written reason of an exception, or why a rule did not count."""
    below: tuple["Branch", ...] = ()


def branch(text: str, *below: Branch, said: Said = "", rule: str = "", because: str = "") -> Branch:
    return Branch(text=text, said=said, rule=rule, because=because, below=below)


def strongest(branches: Iterable[Branch]) -> Said:
    """What the whole tree comes to; `pass` where nothing in it speaks."""
    said: list[Said] = ["pass", *(one.said for one in walked(branches))]
    return max(said, key=lambda one: _WEIGHT.get(one, 0))


def walked(branches: Iterable[Branch]) -> Iterator[Branch]:
    for one in branches:
        yield one
        yield from walked(one.below)


def plain(one: Branch, hook: str) -> dict[str, Any]:
    """As JSON, with whole ids of rules; only what says something."""
    whole = {
        "text": one.text,
        "said": one.said,
        "rule": f"{hook}:{one.rule}" if one.rule else "",
        "because": one.because,
        "below": [plain(inner, hook) for inner in one.below],
    }
    return {key: value for key, value in whole.items() if value}
