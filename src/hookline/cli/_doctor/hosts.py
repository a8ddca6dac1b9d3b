"""Look at every host: is it wired, does what is wired answer rightly, and what stands in the way."""

import os
import shlex
import sys
import tomllib
from collections.abc import Iterator, Mapping
from shutil import which
from typing import Any

from msgspec import Struct

from hookline import __version__, hosts
from hookline.cli._doctor import Finding, Weight, attention, note, well
from hookline.core.host import Host
from hookline.core.install_table import Listed, Look, Place
from hookline.core.values import replace
from hookline.install import install_hooks
from hookline.install import settings_files as notes
from hookline.install.compare import program
from hookline.install.edit_settings import moments
from hookline.install.inspect import Wire, wires
from hookline.install.jsonc import NotJson, parse
from hookline.install.probe import Trial, tried
from hookline.runtime.setup import Setup
from hookline.system.paths import Places
from hookline.system.process import run_command

GUARD = "dangerous-command"
FEW = 3


class Seen(Struct, frozen=True, kw_only=True):
    """What was seen of one host."""

    host: Host
    present: bool
    wires: tuple[tuple[Wire, tuple[Trial, ...]], ...]
    """Each with what came of each of its commands."""
    findings: tuple[Finding, ...]


def look_at(host: Host, setup: Setup, env: Mapping[str, str], *, asked: bool) -> Seen:
    """Everything about one host; whether it was *asked* for by name."""
    places, here = setup.places, host in install_hooks.present(env, setup.places)
    guarded = any(hook.name == GUARD and hook.enabled for hook in setup.hooks)
    found = [
        (wire, tuple(tried(wire, call, places, env, guarded=guarded) for call in wire.calls))
        for wire in wires(host, places, env)
    ]
    said = [*_unwired(host, here=here, asked=asked)] if not found else []
    for wire, trials in found:
        said += [one for trial in trials for one in _reached(wire, trial, env, guarded=guarded)]
        said += [*_differing(wire), *_complete(wire), *_in_the_way(wire, places, env)]
    said += _twice(host, [wire for wire, _ in found], places)
    if found and host.wiring:
        said += [note("wired.person", f"only a person can: {need}") for need in host.wiring.needs]
    return Seen(host=host, present=here, wires=tuple(found), findings=tuple(said))


def _unwired(host: Host, *, here: bool, asked: bool) -> Iterator[Finding]:
    if host.wiring is None:
        yield note("wired.by-nobody", "is spoken to by programs, and wired by nobody")
    elif here or asked:
        yield Finding(
            id="wired.not",
            weight="attention" if asked else "note",
            text=f"is not wired: `hookline init --host {host.name}`, with --user for every project",
        )


def _reached(wire: Wire, trial: Trial, env: Mapping[str, str], *, guarded: bool) -> Iterator[Finding]:
    at = f" ({_some(trial.call.moments)})" if len(wire.calls) > 1 else ""
    if trial.problem:
        yield attention("wired.wrong", f"{wire.path}{at}: {trial.problem}")
    elif not guarded:
        text = f"{wire.path}{at}: answers in {trial.ms:.0f} ms; {GUARD} is off, so nothing could be stopped"
        yield note("wired.guard-off", text)
    elif any(one.grave for one in wire.differs):
        text = f"{wire.path}{at}: the command stops a forced push in {trial.ms:.0f} ms, if it is called"
        yield note("wired.unheard", text)
    else:
        yield well("wired.answers", f"{wire.path}{at}: a forced push is stopped in {trial.ms:.0f} ms")
    if trial.ran:
        yield from _program(wire, trial, env)


def _some(names: tuple[str, ...]) -> str:
    return ", ".join(names) if len(names) <= FEW else f"{names[0]} and {len(names) - 1} more"


def _program(wire: Wire, trial: Trial, env: Mapping[str, str]) -> Iterator[Finding]:
    """Whether what is started is there, and is this version."""
    words = shlex.split(program(trial.call.line, wire.host.name))
    if not words:
        return
    safe = {**env, "PYTHONSAFEPATH": "1"}
    ran = run_command.run([*words, "--version"], stdin=b"", cwd="/", env=safe, limit=10.0)
    if ran.code != 0:
        why = ran.problem or f"exit code {ran.code}"
        yield attention("program.broken", f"{words[0]} cannot be run ({why}): `hookline upgrade`")
    elif ran.stdout.strip() != f"hookline {__version__}":
        text = f"{words[0]} is {ran.stdout.strip()!r}, this is {__version__}: `hookline upgrade`"
        yield attention("program.version", text)
    else:
        yield from _interpreter(words, env)


def _interpreter(words: list[str], env: Mapping[str, str]) -> Iterator[Finding]:
    """Whether it is this very installation that is called."""
    path = which(words[0], path=env.get("PATH")) or ""
    here, there = (os.path.realpath(os.path.dirname(one)) for one in (sys.executable, path))
    if path and there != here and _run_by(path) != sys.executable:
        text = f"{path} is another installation than this one, {sys.executable}, of the same release"
        yield note("program.python", f"{text}: `hookline upgrade` wires this one")


def _run_by(path: str) -> str:
    """The interpreter that a script names; empty where it is no script."""
    try:
        with open(path, "rb") as file:
            first = file.readline(500)
    except OSError:
        return ""
    return first[2:].strip().decode(errors="replace") if first.startswith(b"#!") else ""


def _differing(wire: Wire) -> Iterator[Finding]:
    """Entries that somebody wrote or changed by hand."""
    user = " --user" if wire.scope == "user" else ""
    for one in wire.differs:
        at = f" {_some(one.moments)}:" if one.moments else ""
        mend = f"; take it out, then `hookline init --host {wire.host.name}{user}`" if one.grave else ""
        weight: Weight = "attention" if one.grave else "note"
        yield Finding(id="wired.differs", weight=weight, text=f"{wire.path}:{at} {one.text}{mend}")


def _complete(wire: Wire) -> Iterator[Finding]:
    missing = [name for name in wire.host.moments if name not in wire.moments]
    if missing:
        names = ", ".join(missing)
        yield attention("wired.incomplete", f"{wire.path}: not wired at {names}: `hookline upgrade`")


def _in_the_way(wire: Wire, places: Places, env: Mapping[str, str]) -> Iterator[Finding]:
    """What the host's own files say."""
    place = Place(scope=wire.scope, path=wire.path, root=places.root, holds=_holds(wire.path, comments=True))
    for look in wire.host.wiring.looks if wire.host.wiring else ():
        path = install_hooks.place(wire.host, look.file, places, env)
        also = (
            _holds(install_hooks.place(wire.host, look.also, places, env), comments=True)
            if look.also
            else None
        )
        said = _said(look, _holds(path, comments=True), replace(place, also=also))
        if said:
            yield attention("wired.in-the-way", f"{path}: {said}")


def _said(look: Look, holds: Any, place: Place) -> str:
    try:
        return look.said(holds if isinstance(holds, Mapping) else {}, place)
    except (AttributeError, TypeError):  # a file that says it otherwise than all that we know
        return ""


def _holds(path: str, *, comments: bool) -> Any:
    """What a file holds; nothing where it is not there, or cannot be read."""
    try:
        text = (notes.read(path) or b"").decode("utf-8-sig", "replace")
        if path.endswith(".toml"):
            return tomllib.loads(text)
        return parse(text, comments=comments).value if text.strip() else {}
    except (notes.Refused, NotJson, ValueError):
        return {}


def _twice(host: Host, found: list[Wire], places: Places) -> Iterator[Finding]:
    files = [wire.path for wire in found] + _beside(host, found, places)
    if len(files) > 1:
        text = f"calls us by {len(files)} files, so every event arrives {len(files)} times"
        yield attention("wired.twice", f"{text}: {', '.join(files)}; keep one (`hookline uninstall`)")


def _beside(host: Host, found: list[Wire], places: Places) -> list[str]:
    """Other files of the repository that the host reads, in which we stand too."""
    way = host.wiring.way if host.wiring else None
    paths = [os.path.join(places.root, name) for name in host.repository_switches]
    known = {os.path.realpath(wire.path) for wire in found}
    return [
        path
        for path in paths
        if isinstance(way, Listed) and os.path.realpath(path) not in known and _calls(path, way, host)
    ]


def _calls(path: str, way: Listed, host: Host) -> bool:
    try:
        return bool(moments((notes.read(path) or b"").decode(errors="replace"), way, host.name))
    except (notes.Refused, NotJson):
        return False


def between(seen: list[Seen]) -> Iterator[Finding]:
    """What becomes of files that several hosts run."""
    wired = {one.host.name for one in seen if one.wires}
    here = {one.host.name for one in seen if one.present or one.wires}
    for one in (one for one in seen if one.wires):
        others = [name for name in one.host.run_by if name in here and name != one.host.name]
        for names, how in (
            ([name for name in others if name in wired], "by its own entry alone"),
            ([name for name in others if name not in wired], "in its own words"),
        ):
            told = f"may also be run by {', '.join(names)}: each is recognised, and answered {how}"
            if names:
                text = f"the files of {one.host.name} {told}"
                yield Finding(id="wired.shared", weight="note", text=text, host=one.host.name)


def all_hosts() -> list[Host]:
    return [host for host in map(hosts.load, hosts.names()) if host.wiring]
