"""The explanation of a hook's verdict: a tree for people, built from the findings that decide the verdict."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from msgspec import Struct

Judgement = Literal["", "pass", "excepted", "off", "warn", "modify", "allow", "ask", "block"]
_WEIGHT: dict[Judgement, int] = {"warn": 1, "modify": 2, "allow": 3, "ask": 4, "block": 5}


class Branch(Struct, frozen=True, kw_only=True):
    """One finding with its judgement; the findings that it depends on are below it."""

    text: str
    judgement: Judgement = ""
    """Empty if the finding decides nothing by itself."""
    rule: str = ""
    """The id of the rule that decided, without the hook's name."""
    because: str = ""
    """The written reason of an exception, or why a rule was ignored."""
    below: tuple["Branch", ...] = ()


def branch(text: str, *below: Branch, judgement: Judgement = "", rule: str = "", because: str = "") -> Branch:
    return Branch(text=text, judgement=judgement, rule=rule, because=because, below=below)


def find_strongest(branches: Iterable[Branch]) -> Judgement:
    """Return the strongest judgement in the trees; `pass` if there is none."""
    judgements: list[Judgement] = ["pass", *(item.judgement for item in walk_branches(branches))]
    return max(judgements, key=lambda item: _WEIGHT.get(item, 0))


def walk_branches(branches: Iterable[Branch]) -> Iterator[Branch]:
    for node in branches:
        yield node
        yield from walk_branches(node.below)


def branch_to_json(node: Branch, hook: str) -> dict[str, Any]:
    """Return the tree as a JSON object with full rule ids and without empty values."""
    values = {
        "text": node.text,
        "said": node.judgement,
        "rule": f"{hook}:{node.rule}" if node.rule else "",
        "because": node.because,
        "below": [branch_to_json(child, hook) for child in node.below],
    }
    return {key: value for key, value in values.items() if value}
