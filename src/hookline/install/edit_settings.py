"""Put our entries into the text of a host's settings, and take exactly them out again.

Each text is read once, and changed in one go: settings may be huge.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from hookline.core.install_table import Entry, Listed
from hookline.install.jsonc import Edit, Node, NotJson, additions, edited, parse, removals, replacement
from hookline.install.ownership import entry_calls_us, listed_under, our_places, ours
from hookline.install.remove_entries import BOM, Cut, Key, cut, parted

__all__ = ["BOM", "Rewired", "held", "moments", "unwired", "wired"]


class Rewired(Struct, frozen=True, kw_only=True):
    """What became of a text."""

    text: str
    made: tuple[Key, ...] = ()
    """The keys that were put there for us, each after those that lead to it; () stands for the whole file."""
    spared: tuple[str, ...] = ()
    """The moments at which an entry of somebody else's calls us already, so that none was added."""


def wired(text: str, way: Listed, entries: Sequence[Entry], host: str) -> Rewired:
    """*text* with each of the *entries* once; what is there already, and as it should be, stays."""
    mark, text = parted(text)
    new = not text.strip()
    wanted = {one.moment: way.entry(one) for one in entries}
    text, root = _current(_begun(way) if new else text, way, host, wanted)
    inmost, missing = _reached(root, way)
    edits, absent, spared = list[Edit](), dict[str, Any](), list[str]()
    for moment, entry in wanted.items():
        listed = None if missing else inmost.at(moment)
        if listed is None:
            absent[moment] = [entry]
        elif any(entry_calls_us(one, way, moment, host) for one in _list(listed, (*way.under, moment))):
            edits += _renewed(text, listed, way, entry, moment=moment, host=host)
            spared += [] if any(ours(one, way, moment, host) for one in listed.value) else [moment]
        else:
            edits += additions(text, listed, [(None, entry)])
    start = {key: value for key, value in way.start.items() if key not in root.value}
    edits += _missing(text, root, inmost, start, _within(missing, absent) if absent else {})
    made = _made(way, way.start, way.under, absent) if new else _made(way, start, missing, absent)
    whole: tuple[Key, ...] = ((),) if new else ()
    return Rewired(text=mark + edited(text, edits), made=(*whole, *made), spared=tuple(spared))


def _begun(way: Listed) -> str:
    return json.dumps({**way.start, **_within(way.under, {})}, indent=2) + "\n"


def _current(text: str, way: Listed, host: str, wanted: Mapping[str, Any]) -> tuple[str, Node]:
    """Without our entries for moments that are wanted no more."""
    root = parse(text, comments=way.comments)
    stale = {moment for moment in _held(root, way, host) if moment not in wanted}
    if not stale:
        return text, root
    made = frozenset((*way.under, moment) for moment in stale)
    text = edited(text, cut(Cut(text=text, way=way, host=host, made=made, moments=stale), root, ())[0])
    return text, parse(text, comments=way.comments)


def _reached(root: Node, way: Listed) -> tuple[Node, tuple[str, ...]]:
    """The innermost table that is there, and the keys that are missing from there on."""
    node = root
    for depth in range(len(way.under) + 1):
        if not isinstance(node.value, dict):
            what = ".".join(way.under[:depth]) or "the file"
            raise NotJson(f"{what} is no object, so nothing can be put there")
        found = node.at(way.under[depth]) if depth < len(way.under) else None
        if found is None:
            return node, way.under[depth:]
        node = found
    return node, ()


def _list(node: Node, key: Key) -> list[Any]:
    if not isinstance(node.value, list):
        raise NotJson(f"{'.'.join(key)} is no list, so nothing can be put there")
    return node.value


def _renewed(text: str, listed: Node, way: Listed, entry: Any, *, moment: str, host: str) -> Iterator[Edit]:
    """The first of our entries as it should be, and no other of them."""
    under = listed_under(way, moment, host)
    wanted = entry[under][0] if under else entry
    first, dropped = True, list[int]()
    for number, part in enumerate(listed.parts):
        places = list(our_places(part.value, way, moment, host))
        holder = part.at(under) if under else None
        if places and first:
            node = holder.parts[places.pop(0)] if holder is not None else part
            yield from [] if node.value == wanted else [replacement(text, node, wanted)]
            first = False
            places = places if holder is not None else []
        elif places and (holder is None or len(places) == len(holder.parts)):
            dropped.append(number)
            places = []
        if places and holder is not None:
            yield from removals(text, holder, places)
    yield from removals(text, listed, dropped)


def _within(keys: Sequence[str], table: dict[str, Any]) -> dict[str, Any]:
    for key in reversed(keys):
        table = {key: table}
    return table


def _missing(
    text: str, root: Node, inmost: Node, start: dict[str, Any], grown: dict[str, Any]
) -> Iterator[Edit]:
    if inmost is root:
        yield from additions(text, root, [*start.items(), *grown.items()])
    else:
        yield from additions(text, root, list(start.items()))
        yield from additions(text, inmost, list(grown.items()))


def _made(
    way: Listed, start: Mapping[str, Any], missing: Sequence[str], absent: dict[str, Any]
) -> Iterator[Key]:
    yield from ((key,) for key in start)
    there = len(way.under) - len(missing)
    if absent:
        yield from (way.under[: depth + 1] for depth in range(there, len(way.under)))
    yield from ((*way.under, moment) for moment in absent)


def unwired(text: str, way: Listed, host: str, made: Sequence[Key] = (), before: str = "") -> str:
    """*text* without our entries, and without those of the keys that were *made* for them and are empty now.

    *before* is what the file was: what stood in its empty lists and tables is put back. The text is empty
    where nothing is left of a file that we made.
    """
    mark, text = parted(text)
    if not text.strip():
        return mark + text
    taken = Cut(text=text, way=way, host=host, made=frozenset(made), before=parted(before)[1])
    edits, gone = cut(taken, parse(text, comments=way.comments), ())
    return "" if gone else mark + edited(text, edits)


def held(text: str, way: Listed, host: str) -> tuple[str, ...]:
    """The moments at which an entry of ours stands."""
    text = parted(text)[1]
    return tuple(_held(parse(text, comments=way.comments), way, host)) if text.strip() else ()


def _held(root: Node, way: Listed, host: str) -> Iterator[str]:
    for moment, entries in _entries(root, way):
        if any(ours(one, way, moment, host) for one in entries):
            yield moment


def moments(text: str, way: Listed, host: str) -> tuple[str, ...]:
    """The moments at which the host calls us, by whoever's entry."""
    text = parted(text)[1]
    listed = _entries(parse(text, comments=way.comments), way) if text.strip() else ()
    return tuple(
        moment for moment, those in listed if any(entry_calls_us(one, way, moment, host) for one in those)
    )


def _entries(root: Node, way: Listed) -> Iterator[tuple[str, list[Any]]]:
    table = root.value
    for key in way.under:
        table = table.get(key) if isinstance(table, dict) else None
    for moment, entries in table.items() if isinstance(table, dict) else ():
        if isinstance(entries, list):
            yield moment, entries
