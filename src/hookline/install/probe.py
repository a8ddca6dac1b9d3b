"""Trials of the installed commands: each is sent an event that hookline must stop.

A command from a repository's file is run only if init writes the same command, and if the program is not the
repository's own: a check must not run a stranger's program.
"""

import json
import os
import re
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from msgspec import Struct

from hookline import hosts
from hookline.core.degrade import answer
from hookline.core.events import Event
from hookline.core.host import Host
from hookline.core.outcome import Outcome
from hookline.core.state import TRIAL
from hookline.install.compare import program
from hookline.install.inspect import FORCE, RULE, Call, Wire, sample
from hookline.policy import repository_env
from hookline.redact import redact
from hookline.system.own_command import CLIENT
from hookline.system.paths import Places
from hookline.system.process import run_command

LIMIT = 30.0
LINGER = 0.5
"""Seconds in which a daemon has stored what it gathered."""


class Trial(Struct, frozen=True, kw_only=True):
    """What came of an event that was sent through one command."""

    call: Call
    problem: str = ""
    """What is wrong; empty: it was stopped, in the host's own words."""
    ran: bool = True
    ms: float = 0.0


def tried(wire: Wire, call: Call, places: Places, env: Mapping[str, str], *, guarded: bool) -> Trial:
    """Send it through, in a session and a store of its own: nothing of it is kept.

    Where no guard is on (*guarded* is false) it must come back in silence.
    """
    refused = strange(wire, call, places, env)
    if refused:
        said = f"was not tried, because {refused}: {_short(call.command)}"
        return Trial(call=call, problem=said, ran=False)
    with scratch(lingering=CLIENT in call.line) as folder:
        return _tried(wire, call, places, env, folder, guarded=guarded)


@contextmanager
def scratch(*, lingering: bool) -> Iterator[str]:
    """A folder for what is kept of a trial; a daemon that was asked is given time to be through with it."""
    with tempfile.TemporaryDirectory(prefix="hookline-doctor-", ignore_cleanup_errors=True) as folder:
        yield folder
        time.sleep(LINGER if lingering else 0)


class Ready(Struct, frozen=True, kw_only=True):
    """All that is needed to send the event that must be stopped through a command, as a host would."""

    name: str
    payload: bytes
    event: Event | None
    env: Mapping[str, str]
    root: str


def ready(host: Host, places: Places, env: Mapping[str, str], scratch: str) -> Ready:
    """In a session and a store of its own."""
    session = f"{TRIAL}{os.urandom(4).hex()}"
    moved = repository_env.sets(host, env, places.root, ("XDG_STATE_HOME", "HOME"))
    root = scratch if moved else places.root
    name, payload, event = sample(host, session, root)
    # What lies in a project's folder is no part of ours, whatever it is called.
    own = _environment(host, env, session, root) | {"XDG_STATE_HOME": scratch, "PYTHONSAFEPATH": "1"}
    return Ready(name=name, payload=json.dumps(payload).encode(), event=event, env=own, root=root)


def _tried(
    wire: Wire, call: Call, places: Places, env: Mapping[str, str], scratch: str, *, guarded: bool
) -> Trial:
    told = ready(wire.host, places, env, scratch)
    if told.event is None:
        return Trial(call=call, problem="has no moment at which a command could be stopped", ran=False)
    begun = time.monotonic()
    ran = run_command.run(
        ["/bin/sh", "-c", call.command], stdin=told.payload, cwd=told.root, env=told.env, limit=LIMIT
    )
    ms = (time.monotonic() - begun) * 1000
    late = f"did not answer within {LIMIT:.0f} seconds" if ran.timed_out else ran.problem
    wrong = late or _wrong(wire.host, told.name, told.event, ran, guarded=guarded)
    return Trial(call=call, problem=wrong, ms=ms)


def strange(wire: Wire, call: Call, places: Places, env: Mapping[str, str]) -> str:
    """Why a command is not to be started just to look at it; empty where it may be."""
    if not _theirs(wire, places):
        return ""
    if not call.ours:
        return "this repository wrote it, and init would not"
    first, *more = shlex.split(program(call.line, wire.host.name))
    if _roundabout(first):
        return f"this repository starts {first}, which leads elsewhere than it reads"
    path = _found(first, places.root, env)
    if not path:
        return f"{first} is no program that could be started (`hookline upgrade` names one that is)"
    if more and os.path.realpath(path) != os.path.realpath(sys.executable):
        return f"this repository starts {first}, which is not the Python that runs this"
    return (
        ""
        if _ourselves(path, more) or not _inside(path, places.root)
        else f"this repository brings {first} itself"
    )


def _roundabout(name: str) -> bool:
    """Whether a path leads elsewhere for another process, or elsewhere than it reads."""
    return ".." in name.split("/") or re.match(r"/[/.]*(?:proc|dev)(?:/|$)", name) is not None


def _ourselves(path: str, more: Sequence[str]) -> bool:
    """Whether it is the very program that runs; a Python by its place, which says what is installed in it."""
    if more:
        return _placed(path) == _placed(sys.executable)
    own = os.path.join(os.path.dirname(sys.executable), os.path.basename(path))
    return os.path.realpath(path) == os.path.realpath(own)


def _placed(path: str) -> str:
    """The path without links on the way to it, but for the last."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _theirs(wire: Wire, places: Places) -> bool:
    """Whether the repository may have written that file: also where it was told to be its user's."""
    home = _inside(places.home, places.root)
    return wire.scope == "project" or (_inside(wire.path, places.root) and not home)


def _found(name: str, root: str, env: Mapping[str, str]) -> str:
    """Where a shell in the project's root finds a program; empty where it finds none."""
    folders = env.get("PATH", "").split(os.pathsep) if "/" not in name else [""]
    paths = [os.path.join(root, folder, name) for folder in folders]
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), "")


def _inside(path: str, root: str) -> bool:
    """Also where only a link to it, or only what that leads to, lies there."""
    ways = (path, _placed(path), os.path.realpath(path))
    roots = {root, os.path.realpath(root)}
    return any(way == one or way.startswith(f"{one.rstrip(os.sep)}{os.sep}") for way in ways for one in roots)


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
    return redact(" ".join(text.split()))[:200]
