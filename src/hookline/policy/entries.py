"""Entries of hooks.json and mcp.json → declarations; an entry that is wrong is said and left out."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hookline.core.events import EVENTS
from hookline.core.frozen import frozen
from hookline.core.hook import good_name
from hookline.core.kind import Declaration, Kind
from hookline.policy.line_numbers import Path
from hookline.policy.model import FAILURES
from hookline.policy.strict_reader import Reader, all_of, once

ENTRY: Mapping[str, tuple[type, ...]] = {
    "name": (str,),
    "priority": (int,),
    "match": (str,),
    "timeout": (int, float),
    "on_failure": (str,),
    "on_timeout": (str,),
    "observer": (bool,),
    "hosts": (list,),
}
"""What an entry of any kind may say."""
LONGEST_TIMEOUT = 600
PRIORITIES = range(-1000, 1001)
Kinds = Mapping[str, Kind]


def entries(reader: Reader, data: Mapping[str, Any], kinds: Kinds) -> Iterator[Declaration]:
    """What stands under `hooks`; under all of them, where the file says it again."""
    counted = Counter[str]()
    for place in all_of(data, "hooks"):
        events = data[place]
        for event in reader.known(reader.table(events, (place,)), (place,), EVENTS, "the list of events"):
            for path, one in _listed(reader, events, (place, event)):
                counted[event] += 1
                usual = f"{reader.file.source}.{event.lower()}.{{}}-{counted[event]}"
                yield from entry(reader, one, path, kinds, event, usual)


def _listed(reader: Reader, events: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    for key in all_of(events, path[1]):
        here = (path[0], key)
        if isinstance(events[key], list):
            yield from (((*here, str(number)), entry) for number, entry in enumerate(events[key]))
        else:
            reader.typed(events[key], (list,), here)


def entry(
    reader: Reader, given: Any, path: Path, kinds: Kinds, event: str, usual: str
) -> Iterator[Declaration]:
    """The hook that one entry declares; called *usual* where it has no name of its own."""
    keys = {kind.key: kind for kind in kinds.values()}
    table = reader.table(given, path)
    told = [keys[key] for key in table if key in keys]
    if isinstance(given, Mapping) and len(told) != 1:
        reader.wrong(path, f"an entry says by exactly one of {', '.join(sorted(keys))} what to run")
    if len(told) == 1:
        good = _good(reader, table, path, told[0])
        if len(good) == len(table):
            yield _declaration(reader, told[0], good, path, EVENTS[event], usual.format(told[0].name))


def _good(reader: Reader, entry: Mapping[str, Any], path: Path, kind: Kind) -> dict[str, Any]:
    allowed = {**ENTRY, **kind.fields}
    return {
        key: once(entry[key]) if isinstance(entry[key], Mapping) else entry[key]
        for key in reader.known(entry, path, allowed, f"a {kind.name} hook")
        if reader.typed(entry[key], allowed[key], (*path, key))
        and _holds(reader, key, entry[key], (*path, key))
    }


def _holds(reader: Reader, key: str, value: Any, path: Path) -> bool:
    text = _CHECKS[key](value) if key in _CHECKS else ""
    if text:
        reader.wrong(path, f"{key!r} {text}")
    return not text


def _failure(value: str) -> str:
    return "" if value in FAILURES else f"is {value!r}; there are: {', '.join(FAILURES)}"


def _timeout(value: float) -> str:
    within = 0 < value <= LONGEST_TIMEOUT
    return "" if within else f"is {value!r}; it is in seconds, more than 0 and at most {LONGEST_TIMEOUT}"


def bad_priority(value: Any) -> str:
    """What is wrong with a priority; empty where nothing is."""
    if type(value) is int and value in PRIORITIES:
        return ""
    return f"must be a whole number from {PRIORITIES[0]} to {PRIORITIES[-1]}, not {value!r:.40}"


def _name(value: str) -> str:
    return "" if good_name(value) else f"is {value!r}; use small letters, digits, '.', '_' and '-'"


def _match(value: str) -> str:
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError) as error:
        return f"is {value!r}, which is no pattern: {error}"
    return ""


def _hosts(value: list[str]) -> str:
    return "" if value else "must name at least one host, such as ['codex']; left out, it means all of them"


def bad_import(value: str) -> str:
    """What is wrong with an import path; empty where nothing is."""
    module, colon, name = value.partition(":")
    if all(part.isidentifier() for part in module.split(".")) and (not colon or _hookish(name)):
        return ""
    return f"must be an import path such as 'package.module:name', not {value!r}"


def _hookish(name: str) -> bool:
    return name.isidentifier() or good_name(name)


def _tool(value: str) -> str:
    server, _, tool = value.partition(".")
    return "" if server and tool else f"must be a server and its tool, such as 'memory.load', not {value!r}"


_CHECKS: Mapping[str, Callable[[Any], str]] = {
    "hosts": _hosts,
    "match": _match,
    "name": _name,
    "on_failure": _failure,
    "on_timeout": _failure,
    "priority": bad_priority,
    "python": bad_import,
    "timeout": _timeout,
    "tool": _tool,
}


def _declaration(
    reader: Reader, kind: Kind, entry: Mapping[str, Any], path: Path, event: Any, usual: str
) -> Declaration:
    return Declaration(
        kind=kind.name,
        name=entry.get("name", usual),
        on=(event,),
        spec=frozen({key: value for key, value in entry.items() if key in kind.fields}),
        source=reader.file.source,
        origin=reader.origin(path),
        root=reader.file.root,
        **{key: frozen(entry[key]) for key in ENTRY if key in entry and key != "name"},
    )
