"""Make prompts with lists from the lists of the corpus: its items below other headings of the same sort."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

from examples import Row

from hookline.language.pasted_text import ITEM
from hookline.language.statements import DURABLE

LISTS, MAX_ITEMS = 6_000, 10
"""Number of generated prompts, and of the items of the longest list."""
ORDERED, FOREIGN = 0.4, 0.1
"""Shares of the lists of orders, and of those of other people's rules."""
BEFORE, AFTER = 0.2, 0.3
"""Shares of the lists with an order before and after them."""
MARKS = "- ", "- ", "- ", "* ", "• ", "- [ ] ", "{}. ", "{}. ", "{}) "


class Item(NamedTuple):
    """An item of a list without its mark, or a heading, with its label."""

    text: str
    label: str


class Lists(NamedTuple):
    """The headings and items of the lists in the corpus."""

    lasting: list[str]
    orders: list[str]
    foreign: list[Item]
    items: list[Item]


def generate_lists(rows: Iterable[Row], seed: int = 0) -> Iterator[Row]:
    """Yield prompts with a list of rules, of orders, or of rules of other people; none without lists in *rows*."""
    rows, chance = [*rows], Random(seed)
    found = _read_lists(rows)
    if not all(found):
        return
    rules, tasks = (
        [item for item in found.items if (item.label in DURABLE) is lasts] for lasts in (True, False)
    )
    orders = [row["parts"][0] for row in rows if len(row["parts"]) == 1 and row["parts"][0][1] == "order"]
    orders = [part for part in orders if "\n" not in part[0]]
    for _ in range(LISTS):
        sort, mark = chance.random(), chance.choice(MARKS)
        if sort < ORDERED:
            heading, items = chance.choice(found.orders), _choose(tasks, chance)
        elif sort < ORDERED + FOREIGN:
            source = chance.choice(found.foreign)
            heading, items = (
                source.text,
                [item._replace(label=source.label) for item in _choose(rules, chance)],
            )
        else:
            heading, items = chance.choice(found.lasting), _choose(rules, chance)
        before = [chance.choice(orders)] if chance.random() < BEFORE else []
        after = [chance.choice(orders)] if chance.random() < AFTER else []
        listed = _build_list(heading, items, mark)
        blocks = [block for block in (before, listed, after) if block]
        prompt = chance.choice(("\n", "\n\n")).join("\n".join(text for text, *_ in block) for block in blocks)
        yield {"prompt": prompt, "parts": [part for block in blocks for part in block]}


def _choose(items: list[Item], chance: Random) -> list[Item]:
    return chance.sample(items, min(chance.randint(2, MAX_ITEMS), len(items)))


def _build_list(heading: str, items: Iterable[Item], mark: str) -> list[list[str | None]]:
    """Return the labelled parts of a list; the heading belongs to the first item."""
    lines = [(mark.format(number), item) for number, item in enumerate(items, 1)]
    parts = [
        [start + item.text, item.label, item.text if item.label in DURABLE else None] for start, item in lines
    ]
    return [[f"{heading}\n{parts[0][0]}", *parts[0][1:]], *parts[1:]]


def _read_lists(rows: Iterable[Row]) -> Lists:
    found = Lists([], [], [], [])
    for text, label, statement in (part for row in rows for part in row["parts"]):
        lines = text.split("\n")
        starts = [number for number, line in enumerate(lines) if ITEM.match(line)]
        if not starts:
            continue
        heading = "\n".join(lines[: starts[0]]).strip()
        if statement:
            found.lasting.extend([heading] * bool(heading))
            found.items.append(Item(statement, label))
        elif label == "order":
            found.orders.extend([heading] * bool(heading))
            found.items.extend(Item(_drop_mark(lines[number]), label) for number in starts)
        elif label in ("report", "quotation") and heading:
            found.foreign.append(Item(heading, label))
    return found


def _drop_mark(line: str) -> str:
    return ITEM.sub("", ITEM.sub("", line, count=1), count=1)
