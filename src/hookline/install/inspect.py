"""Inspection of the files by which a host calls hookline, and their differences from init's format."""

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from hookline.core.events import BLOCK, Event, PreToolUse, Unreadable
from hookline.core.host import Host
from hookline.core.install_table import Entry, Listed, Own, Scope
from hookline.core.payload import compose, decode
from hookline.core.values import replace
from hookline.install import install_hooks
from hookline.install import settings_files as notes
from hookline.install.compare import NAME, Differs, differences, program, reaches, texts, together
from hookline.install.host_command import unguarded, without_guards
from hookline.install.jsonc import NotJson, parse
from hookline.system.paths import Places

LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')


class Call(Struct, frozen=True, kw_only=True):
    """One command by which we are called."""

    command: str
    """What the host starts, for a shell."""
    line: str
    """Where we are called, in it."""
    moments: tuple[str, ...]
    ours: bool
    """Whether it is, letter for letter, what init writes."""
    differs: tuple[Differs, ...] = ()


class Wire(Struct, frozen=True, kw_only=True):
    """A file by which a host calls us, or a folder of such."""

    host: Host
    scope: Scope
    path: str
    calls: tuple[Call, ...]
    """Each command that is another, once."""
    differs: tuple[Differs, ...] = ()

    @property
    def moments(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for call in self.calls for name in call.moments))


def wires(host: Host, places: Places, env: Mapping[str, str]) -> Iterator[Wire]:
    """The files by which the *host* calls us: the user's, and the project's unless those are the same."""
    known = set[str]()
    for scope in ("user", "project"):
        base = install_hooks.where(host, scope, places, env)
        if base and os.path.realpath(base) not in known:
            known.add(os.path.realpath(base))
            found = list(_calls(host, base))
            if found:
                beside = _registration(host, scope, places, env)
                yield _wire(Wire(host=host, scope=scope, path=base, calls=tuple(found)), beside)


def _wire(wire: Wire, beside: Iterable[Differs]) -> Wire:
    distinct: dict[tuple[str, bool], Call] = {}
    first = sample(wire.host)[0]
    for call in sorted(wire.calls, key=lambda one: first not in one.moments):
        there = distinct.get((call.line, call.ours))
        moments = (*there.moments, *call.moments) if there else call.moments
        distinct[call.line, call.ours] = replace(there or call, moments=moments)
    said = (one for call in wire.calls for one in call.differs)
    return replace(wire, calls=tuple(distinct.values()), differs=tuple(together((*said, *beside))))


def _calls(host: Host, base: str) -> Iterator[Call]:
    way = host.wiring.way if host.wiring else None
    if isinstance(way, Listed):
        yield from _listed(host, way, base)
    elif isinstance(way, Own) and way.executable:
        yield from _programs(host, way, base)
    elif isinstance(way, Own):
        yield from _files(host, way, base)


def _listed(host: Host, way: Listed, path: str) -> Iterator[Call]:
    table = _parsed(_read(path), way.under, comments=way.comments)
    for moment, entries in table.items() if isinstance(table, dict) else ():
        calling = [one for one in entries if any(texts(one, host.name))] if isinstance(entries, list) else []
        for entry in calling:
            line = next(text for text, _ in texts(entry, host.name))
            wanted = _wanted(host, way, moment, line)
            said = list(differences(entry, wanted, host.name)) if wanted else [_no_moment(host)]
            if len(calling) > 1:
                said.append(Differs(text=f"calls us {len(calling)} times"))
            ours = any(text == line for text, _ in texts(wanted, host.name))
            yield _call(host, line, moment, said, ours=ours)


def _call(host: Host, line: str, moment: str, said: Iterable[Differs], *, ours: bool) -> Call:
    """What is told by its name on the command line is tried by the name of what is tried."""
    told = re.sub(rf"--event[ =]{re.escape(moment)}\b", f"--event {sample(host)[0]}", line)
    named = tuple(replace(one, moments=(moment,)) for one in said)
    return Call(command=told, line=told, moments=(moment,), ours=ours, differs=named)


def _no_moment(host: Host) -> Differs:
    return Differs(text=f"is no moment of {host.name} at which we listen", grave=False)


def _wanted(host: Host, way: Listed, moment: str, line: str) -> Any:
    """The entry that init would write with the program of *line*."""
    wanted = install_hooks.entries(host, program(line, host.name) or NAME)
    return next((way.entry(one) for one in wanted if one.moment == moment), None)


def _programs(host: Host, way: Own, folder: str) -> Iterator[Call]:
    """A program for each moment."""
    for name in way.files(install_hooks.entries(host, NAME)):
        path = os.path.join(folder, name)
        text = _read(path)
        told = (unguarded(one).removeprefix("exec ") for one in text.splitlines())
        line = next((one for one in told if reaches(one, host.name)), "")
        if line:
            ours = text in _made(host, way, name, line)
            said = [] if ours else [Differs(text="is not as init writes it", moments=(name,))]
            if not os.access(path, os.X_OK):
                said.append(Differs(text="may not be executed", moments=(name,)))
            yield Call(command=shlex.quote(path), line=line, moments=(name,), ours=ours, differs=tuple(said))


def _made(host: Host, way: Own, name: str, line: str) -> list[str]:
    """The texts that init writes with the program of *line*, into a user's file and into a shared one."""
    called = program(line, host.name) or NAME
    forms = (install_hooks.entries(host, called, shared=shared) for shared in (False, True))
    return [way.files(entries).get(name, "") for entries in forms]


def _files(host: Host, way: Own, folder: str) -> Iterator[Call]:
    """Files that have all moments in them: a command for the moment that is tried stands for all."""
    names, first = way.files(install_hooks.entries(host, NAME)), sample(host)[0]
    held = {name: _read(os.path.join(folder, name)) for name in names}
    told = [one for text in held.values() for one in _told(text, host)]
    line = max(told, key=lambda one: first in one[1] or first in one[0], default=("", ()))[0]
    if line:
        said = [one for name in names for one in _unlike(held[name], _made(host, way, name, line), host)]
        ours = not any(one.grave for one in said)
        yield Call(command=line, line=line, moments=tuple(host.moments), ours=ours, differs=tuple(said))


def _unlike(text: str, wanted: list[str], host: Host) -> Iterator[Differs]:
    if text in wanted:
        return
    there, made = _parsed(text), _parsed(wanted[0])
    if there is not None and made is not None:
        yield from differences(there, made, host.name)
    else:
        yield Differs(text="is not as init writes it" if text else "a file of it is missing")


def _told(text: str, host: Host) -> Iterator[tuple[str, tuple[str, ...]]]:
    whole = _parsed(text)
    yield from texts(whole, host.name) if whole is not None else _literals(text, host)


def _literals(text: str, host: Host) -> Iterator[tuple[str, tuple[str, ...]]]:
    for found in LITERAL.findall(text):
        try:
            yield from texts(json.loads(found), host.name)
        except ValueError:
            continue


def _registration(host: Host, scope: Scope, places: Places, env: Mapping[str, str]) -> Iterator[Differs]:
    """Where the host must be told of our folder: whether it is, as init does it."""
    way = host.wiring.way if host.wiring else None
    if not isinstance(way, Own) or way.registered is None:
        return
    name = way.registered.user if scope == "user" else way.registered.project
    path, key = install_hooks.place(host, name, places, env), way.registered_as
    listed = _parsed(_read(path), (*way.registered.under, key), comments=way.registered.comments)
    ours = [one for one in listed if any(texts(one, host.name))] if isinstance(listed, list) else []
    for entry in ours:
        line = next(text for text, _ in texts(entry, host.name))
        wanted = way.registered.entry(Entry(moment=key, command=line, seconds=0))
        yield from (replace(one, text=f"{path}: {one.text}") for one in differences(entry, wanted, host.name))
    if not ours:
        yield Differs(text=f"{path}: it is not listed there")


def _parsed(text: str, under: tuple[str, ...] = (), *, comments: bool = True) -> Any:
    """What stands there, without guards; None where nothing does, or it is no JSON."""
    try:
        node = parse(text.removeprefix("\ufeff"), comments=comments).at(*under)
    except NotJson:
        return None
    return without_guards(node.value) if node is not None else None


def _read(path: str) -> str:
    try:
        return (notes.read(path) or b"").decode(errors="replace")
    except notes.Refused:
        return ""


FORCE = "git push --force"


RULE = "dangerous-command:git-push-force"


def sample(host: Host, session: str = "s", cwd: str = "/") -> tuple[str, dict[str, Any], Event | None]:
    """A moment at which the *host* can stop a command, a payload that it must stop, and what it means."""
    shell = next((name for name, row in host.tools.items() if row.kind == "shell"), "")
    places = host.tools[shell].places if shell else {}
    event = PreToolUse(
        host=host.name,
        session=session,
        cwd=cwd,
        tool=shell,
        call="hookline-doctor",
        input={places.get("command", "command"): FORCE},
    )
    for name, row in host.moments.items():
        if row.event is PreToolUse and BLOCK in row.can:
            payload = compose(host, event, name)
            found = _decoded(host, payload, name)
            if isinstance(found, PreToolUse) and found.command == FORCE:
                return name, payload, found
    return "", {}, None


def _decoded(host: Host, payload: dict[str, Any], name: str) -> Event | None:
    try:
        found = decode(host, payload, name)
    except Unreadable:
        return None
    return found[1] if found else None
