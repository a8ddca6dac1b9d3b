"""Whether a host really reaches us: the very command that is configured, sent what must be stopped."""

import json
import os
import re
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hookline import foreign, hosts, installing
from hookline.degrade import answer
from hookline.events import BLOCK, Event, PreToolUse
from hookline.host import Host, Unreadable, compose, decode
from hookline.jsonc import NotJson, parse
from hookline.outcome import Outcome
from hookline.rewiring import starts_us
from hookline.system import wired as notes
from hookline.system.places import Places
from hookline.wiring import Listed, Own, Scope

FORCE = "git push --force"
RULE = "dangerous-command:git-push-force"
LIMIT = 30.0
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """A file by which a host calls us."""

    host: Host
    scope: Scope
    path: str
    moments: tuple[str, ...]
    command: str = ""
    """What it starts before a tool runs; empty where that could not be found."""
    line: str = ""
    """The command line that calls us, in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of an event that was sent through."""

    problem: str = ""
    """What is wrong; empty: it was stopped, in the host's own words."""
    ms: float = 0.0


def wires(host: Host, places: Places, env: Mapping[str, str]) -> Iterator[Wire]:
    """The files, of either scope, by which the *host* calls us."""
    for scope in ("user", "project"):
        found = installing.standing(host, scope, places, env)
        if found and host.wiring:
            base = installing.where(host, scope, places, env)
            path, command, line = _command(host, base)
            yield Wire(host=host, scope=scope, path=path, moments=found, command=command, line=line)


def _command(host: Host, base: str) -> tuple[str, str, str]:
    """(file, what is started, where we are called in it) for the moment of a trial."""
    way, name = (host.wiring.way if host.wiring else None), trial_moment(host)[0]
    if isinstance(way, Listed):
        told = _strings(_parsed(_read(base), way.under, name), host)
        return base, *next(((text, text) for text, _ in told), ("", ""))
    names = way.files(installing.entries(host, "hookline")) if isinstance(way, Own) else ()
    for file in names:
        path = os.path.join(base, file)
        if isinstance(way, Own) and way.executable:
            if file == name:
                line = next((one for one in _read(path).splitlines() if starts_us(one, host.name)), "")
                return path, f"'{path}'", line.removeprefix("exec ")
        elif found := _best(_read(path), host, name):
            return path, found, found
    return base, "", ""


def _best(text: str, host: Host, name: str) -> str:
    """The command line of a file of ours that stands nearest to the moment's *name*."""
    whole = _parsed(text, (), "")
    told = list(_strings(whole, host)) if whole is not None else list(_literals(text, host))
    return max(told, key=lambda one: name in one[1] or name in one[0], default=("", ()))[0]


def _strings(value: Any, host: Host, near: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each text that calls us, with the keys and texts around it."""
    if isinstance(value, str) and starts_us(value, host.name):
        yield value, near
    if isinstance(value, dict):
        beside = (*near, *(one for one in value.values() if isinstance(one, str)))
        for key, inner in value.items():
            yield from _strings(inner, host, (*beside, key))
    for inner in value if isinstance(value, list) else ():
        yield from _strings(inner, host, near)


def _literals(text: str, host: Host) -> Iterator[tuple[str, tuple[str, ...]]]:
    for found in LITERAL.findall(text):
        try:
            said = json.loads(found)
        except ValueError:
            continue
        if starts_us(said, host.name):
            yield said, ()


def _parsed(text: str, under: tuple[str, ...], name: str) -> Any:
    try:
        node = parse(text.removeprefix("\ufeff"), comments=True).at(*under, *([name] if name else ()))
    except NotJson:
        return None
    return node.value if node is not None else None


def _read(path: str) -> str:
    try:
        return (notes.read(path) or b"").decode(errors="replace")
    except notes.Refused:
        return ""


def trial_moment(host: Host, session: str = "s", cwd: str = "/") -> tuple[str, dict[str, Any], Event | None]:
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


def tried(wire: Wire, places: Places, env: Mapping[str, str], *, guarded: bool) -> Trial:
    """Send it through, in a session and a store of its own: nothing of it is kept.

    Where no guard is on (*guarded* is false) it must come back in silence.
    """
    from hookline.system import processes  # noqa: PLC0415 -- only where a process is run

    session = f"hookline-doctor-{os.urandom(4).hex()}"
    with tempfile.TemporaryDirectory(prefix="hookline-doctor-") as scratch:
        root = (
            scratch if foreign.sets(wire.host, env, places.root, ("XDG_STATE_HOME", "HOME")) else places.root
        )
        name, payload, event = trial_moment(wire.host, session, root)
        if event is None or not wire.command:
            return Trial(problem="its command could not be found in the file, so nothing was tried")
        begun = time.monotonic()
        ran = processes.run(
            ["/bin/sh", "-c", wire.command],
            stdin=json.dumps(payload).encode(),
            cwd=root,
            env=_environment(wire.host, env, session, root) | {"XDG_STATE_HOME": scratch},
            limit=LIMIT,
        )
    ms = (time.monotonic() - begun) * 1000
    if ran.timed_out:
        return Trial(problem=f"did not answer within {LIMIT:.0f} seconds", ms=ms)
    if ran.problem:
        return Trial(problem=ran.problem, ms=ms)
    return Trial(problem=_wrong(wire.host, name, event, ran, guarded=guarded), ms=ms)


def _environment(host: Host, env: Mapping[str, str], session: str, root: str) -> dict[str, str]:
    """As the *host* would hand it down, and no other."""
    marks = {name for one in map(hosts.load, hosts.names()) for name in (*one.telltales, one.project_env)}
    own = {name: value for name, value in env.items() if name not in marks}
    return (
        own | dict.fromkeys(host.telltales, session) | ({host.project_env: root} if host.project_env else {})
    )


def _wrong(host: Host, name: str, event: Event, ran: Any, *, guarded: bool) -> str:
    """What is wrong with the answer; empty where nothing is."""
    if not guarded:
        quiet = ran.code == 0 and RULE not in ran.stdout + ran.stderr
        return "" if quiet else f"answered with exit code {ran.code}: {_short(ran.stderr or ran.stdout)}"
    wanted, _ = answer(host, name, event, Outcome(event=event, blocked=RULE))
    if RULE not in ran.stdout + ran.stderr:
        said = _short(ran.stderr or ran.stdout) or "nothing at all"
        return f"`{FORCE}` was not stopped: exit code {ran.code}, and it said: {said}"
    same = _holds(_document(ran.stdout), _document(wanted.stdout)) and ran.code == wanted.code
    return "" if same else f"`{FORCE}` was stopped, but not in the words that {host.name} reads"


def _document(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()


def _holds(got: Any, wanted: Any) -> bool:
    """Whether an answer has all that was wanted; a reason is right when it names the rule."""
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(
            key in got and _holds(got[key], value) for key, value in wanted.items()
        )
    if isinstance(wanted, str) and RULE in wanted:
        return isinstance(got, str) and RULE in got
    return bool(got == wanted)


def _short(text: str) -> str:
    from hookline.redact import redact  # noqa: PLC0415 -- only where something is wrong

    return redact(" ".join(text.split()))[:200]
