"""Put our entries into the text of a host's settings, and take exactly them out again.

What is ours is told by the command that it starts, so that entries which a person moved, or to which they
added their own, are still found, and theirs stay.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from hookline.jsonc import Node, parse, put, removed
from hookline.wiring import Entry, Listed

BOM = "\ufeff"


def starts_us(text: str, host: str) -> bool:
    """Whether a command line calls us for that *host*."""
    words = r"""(?:^|[\s/\\"'])hookline(?:\.exe)?["']?\s+hook\s+["']?"""
    return re.search(rf"""{words}{re.escape(host)}(?:["'\s;)]|$)""", text) is not None


def wired(text: str, way: Listed, entries: Sequence[Entry], host: str) -> str:
    """*text* with each of the *entries* once; what is there already, and as it should be, stays."""
    mark, text = _parted(text)
    text = text if text.strip() else json.dumps({**way.start, **_table(way)}, indent=2) + "\n"
    wanted = {one.moment: way.entry(one) for one in entries}
    for moment, entry in wanted.items():
        there = parse(text, comments=way.comments).at(*way.under, moment)
        if there is None or list(_ours(there, host)) != [entry]:
            text = put(_without(text, way, host, moment), (*way.under, moment), entry, comments=way.comments)
    for moment in moments(text, way, host):
        text = text if moment in wanted else _without(text, way, host, moment)
    return mark + text


def unwired(text: str, way: Listed, host: str) -> str:
    """*text* without our entries, and without what they alone made necessary."""
    mark, text = _parted(text)
    for moment in moments(text, way, host):
        text = _without(text, way, host, moment)
    return mark + _emptied(text, way) if text.strip() else mark + text


def moments(text: str, way: Listed, host: str) -> tuple[str, ...]:
    """The moments at which the host calls us."""
    text = _parted(text)[1]
    table = parse(text, comments=way.comments).at(*way.under) if text.strip() else None
    if table is None or not isinstance(table.value, dict):
        return ()
    named = zip(table.keys, table.parts, strict=True)
    return tuple(dict.fromkeys(key.value for key, part in named if any(_calls(part.value, host))))


def _parted(text: str) -> tuple[str, str]:
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def _table(way: Listed) -> dict[str, Any]:
    inner: dict[str, Any] = {}
    for key in reversed(way.under):
        inner = {key: inner}
    return inner


def _calls(value: Any, host: str) -> Iterator[bool]:
    """Whether each text somewhere in *value* calls us; nothing where none does."""
    if isinstance(value, str) and starts_us(value, host):
        yield True
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _calls(inner, host)


def _ours(moment: Node, host: str) -> Iterator[Any]:
    """The entries of a moment that call us, whoever else they call."""
    yield from (part.value for part in moment.parts if any(_calls(part.value, host)))


def _without(text: str, way: Listed, host: str, moment: str) -> str:
    """*text* without what calls us at a *moment*; a list that had nothing else goes as well."""
    while True:
        table = parse(text, comments=way.comments).at(*way.under)
        found = table.at(moment) if table is not None else None
        if table is None or found is None or not any(_calls(found.value, host)):
            return text
        text = removed(text, *_smallest(table, moment, found, host))


def _smallest(table: Node, moment: str, found: Node, host: str) -> tuple[Node, int]:
    """The innermost part of a list that calls us and takes nothing of others with it."""
    holder, place, node = table, _last(table, moment), found
    while True:
        calling = [number for number, part in enumerate(node.parts) if any(_calls(part.value, host))]
        if isinstance(node.value, list):
            if len(node.parts) > 1:
                holder, place = node, calling[0]
            node = node.parts[calling[0]]
        else:
            lists = [
                part for part in node.parts if isinstance(part.value, list) and any(_calls(part.value, host))
            ]
            if not lists or len(lists[0].parts) == 1:
                return holder, place
            node = lists[0]


def _last(table: Node, key: str) -> int:
    return max(number for number, one in enumerate(table.keys) if one.value == key)


def _emptied(text: str, way: Listed) -> str:
    """*text* without the tables that are empty now, from the inside out."""
    for depth in range(len(way.under), 0, -1):
        outer, key = parse(text, comments=way.comments).at(*way.under[: depth - 1]), way.under[depth - 1]
        inner = outer.at(key) if outer is not None else None
        if outer is not None and inner is not None and inner.value == {}:
            text = removed(text, outer, _last(outer, key))
    return text
