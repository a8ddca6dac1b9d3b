"""The hooks of one host in its own files, and hooks.json with those of them that carry over."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from hookline import hosts
from hookline.cli._confirm_changes import short
from hookline.core.host import Host
from hookline.core.install_table import Listed, Scope, Written
from hookline.core.values import replace
from hookline.install import settings_files
from hookline.install.compare import reaches
from hookline.install.convert import Ported, port
from hookline.install.install_hooks import Plan, where
from hookline.install.jsonc import Node, NotJson, added, parse, put
from hookline.install.settings_files import Refused
from hookline.system.paths import Places

BOM = "\ufeff"
NEW = '{\n  "version": 1,\n  "hooks": {}\n}\n'
SAME = ("command", "payload", "moment", "match")
"""What makes two entries of one event the same hook, whatever else a person changed in one."""


class Trip(Struct, frozen=True, kw_only=True):
    """From where to where."""

    source: Host
    target: Host
    scope: Scope
    payload: str
    places: Places
    env: Mapping[str, str]


class Found(Struct, frozen=True, kw_only=True):
    """A hook in a file of the source's, and what becomes of it."""

    file: str
    """As a person would write it."""
    ported: Ported


def way_of(source: Host) -> Listed:
    """How the source's hooks are written; raises `LookupError` where that cannot be read."""
    way = source.wiring.way if source.wiring else None
    if isinstance(way, Listed) and way.read is not None:
        return way
    able = [host.name for host in map(hosts.load, hosts.names()) if _readable(host)]
    raise LookupError(
        f"the hooks of {source.name} are not commands in a list that could be read; "
        f"those of these can: {', '.join(able)}"
    )


def _readable(host: Host) -> bool:
    way = host.wiring.way if host.wiring else None
    return isinstance(way, Listed) and way.read is not None


def found(trip: Trip) -> Iterator[Found]:
    """Every hook of the source but ours; raises `Refused` and `NotJson`."""
    way = way_of(trip.source)
    main, *beside = _files(trip, way)
    given, private = _variables(main, way), [name for path in beside for name in _variables(path, way)]
    for path in (main, *beside):
        name = short(path, trip.places)
        for moment, written in _written(path, way, trip.source):
            if not _ours(written):
                told = replace(written, more={**written.more, **({"env": given} if given else {})})
                one = _ported(trip, moment, told, name)
                yield Found(file=name, ported=_without(one, private, way.beside))


def _variables(path: str, way: Listed) -> dict[str, str]:
    """What the file sets for all of its hooks."""
    text = _text(path).removeprefix(BOM) if way.variables else ""
    node = _parsed(path, text, comments=way.comments) if text.strip() else None
    table = node.at(*way.under[:-1], way.variables) if node is not None else None
    listed = table.value if table is not None and isinstance(table.value, dict) else {}
    return {name: str(value) for name, value in listed.items() if isinstance(value, str | int | float)}


def _without(one: Ported, names: Sequence[str], file: str) -> Ported:
    """A user's own variables may be secrets, and stay in their file."""
    if not names or not one.event:
        return one
    return replace(one, why=(*one.why, f"is without {', '.join(names)}, which {file} sets for you alone"))


def _files(trip: Trip, way: Listed) -> Iterator[str]:
    yield where(trip.source, trip.scope, trip.places, trip.env)
    if trip.scope == "project" and way.beside:
        yield f"{trip.places.root}/{way.beside}"


def _written(path: str, way: Listed, source: Host) -> Iterator[tuple[str, Written]]:
    text = _text(path).removeprefix(BOM)
    table = _parsed(path, text, comments=way.comments).at(*way.under) if text.strip() else None
    listed = table.value if table is not None and isinstance(table.value, dict) else {}
    for moment, entries in listed.items():
        if not isinstance(entries, list) and _meant(moment, entries, way, source):
            yield moment, Written(refused="is no list of entries, so no hook in it could be read")
        for entry in entries if isinstance(entries, list) else ():
            yield from ((moment, one) for one in way.read(entry)) if way.read else ()


def _meant(name: str, value: Any, way: Listed, source: Host) -> bool:
    """Whether somebody meant hooks by it: settings of the host's may stand beside its moments."""
    return name in source.moments or bool(way.under and not isinstance(value, bool))


def _text(path: str) -> str:
    try:
        return (settings_files.read(path) or b"").decode()
    except UnicodeDecodeError as error:
        raise Refused(f"{path} is no UTF-8 text (byte {error.start})") from None


def _parsed(path: str, text: str, *, comments: bool) -> Node:
    try:
        return parse(text, comments=comments)
    except NotJson as error:
        raise Refused(f"{path}: {error}; mend it first") from None


def _ours(written: Written) -> bool:
    line = written.command if isinstance(written.command, str) else " ".join(written.command)
    return any(reaches(line, name) for name in hosts.names())


def _ported(trip: Trip, moment: str, written: Written, file: str) -> Ported:
    if file in trip.target.runs_hooks_of:
        why = f"{trip.target.name} runs the hooks of {file} by itself; declared here it would run twice"
        return Ported(moment=moment, written=written, why=(why,), native=True)
    one = port(trip.source, trip.target, moment, written, trip.payload)
    if file != way_of(trip.source).beside:
        return one
    return replace(one, limits=(*one.limits, f"{file} is yours alone, and what is declared is the project's"))


def planned(trip: Trip, carried: Sequence[Ported]) -> Plan:
    """hooks.json with what carries over, each once."""
    folder = trip.places.config if trip.scope == "user" else trip.places.project
    plan = Plan(host="hookline", scope=trip.scope, path=f"{folder}/hooks.json", before=None, after=None)
    try:
        before = settings_files.read(plan.path)
        after = _with_all(_text(plan.path), trip, carried).encode()
        if after != (before or b""):
            settings_files.check_writable(plan.path)
    except Refused as error:
        return replace(plan, problem=str(error))
    except NotJson as error:
        return replace(plan, problem=f"{plan.path}: {error}; it was left as it is: mend it first")
    return replace(plan, before=before, after=after or None)


def _with_all(text: str, trip: Trip, carried: Iterable[Ported]) -> str:
    for one in carried:
        if one.event:
            text = _with(text if text.strip() else NEW, trip, one)
    return text


def _with(text: str, trip: Trip, one: Ported) -> str:
    same = [part for part in _listed(text, one.event) if _same(part.value, one.entry)]
    if any(trip.target.name in part.value.get("hosts", [trip.target.name]) for part in same):
        return text
    for part in same:
        named = part.at("hosts")
        if named is not None and part.value.get("timeout") == one.entry["timeout"]:
            return added(text, named, trip.target.name)
    return put(text, ("hooks", one.event), {"name": _name(text, trip.scope, one), **one.entry})


def _listed(text: str, event: str) -> tuple[Node, ...]:
    listed = parse(text).at("hooks", event)
    return tuple(part for part in listed.parts if isinstance(part.value, dict)) if listed is not None else ()


def _same(there: Mapping[str, Any], entry: Mapping[str, Any]) -> bool:
    return all(there.get(key) == entry.get(key) for key in SAME)


def _name(text: str, scope: Scope, one: Ported) -> str:
    """After the script, so that a person knows it again; once in the file."""
    usual, taken = f"{scope}.{_stem(one.entry['command'])}", _names(parse(text).at("hooks"))
    numbered = (usual if number == 1 else f"{usual}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in numbered if name not in taken)


def _names(table: Node | None) -> set[str]:
    lists = table.value.values() if table is not None and isinstance(table.value, dict) else ()
    return {
        str(one.get("name"))
        for listed in lists
        if isinstance(listed, list)
        for one in listed
        if isinstance(one, dict)
    }


def _stem(command: str | list[str]) -> str:
    words = command if isinstance(command, list) else re.split(r"[\s;|&<>()]+", command)
    clean = [word.strip("\"'") for word in words if word.strip("\"'")]
    paths = [word for word in clean if "/" in word and not word.startswith("-")]
    last = (paths or clean or ["hook"])[0 if not paths else -1].rstrip("/").rpartition("/")[2]
    return re.sub(r"[^a-z0-9_-]+", "-", last.partition(".")[0].lower()).strip("-") or "hook"
