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
from hookline.core.degrade import build_reply
from hookline.core.events import Event
from hookline.core.host import Host
from hookline.core.outcome import Outcome
from hookline.core.state import TEST_SESSION_PREFIX
from hookline.install.compare import parse_program
from hookline.install.inspect import (
    FORBIDDEN_COMMAND,
    SAMPLE_RULE,
    InstalledCommand,
    InstalledFile,
    build_sample,
)
from hookline.policy import repository_env
from hookline.redact import redact
from hookline.system.own_command import CLIENT
from hookline.system.paths import Places
from hookline.system.process import run_command

TIMEOUT_SECONDS = 30.0
"""Seconds until a command under trial is stopped."""
DAEMON_WAIT_SECONDS = 0.5
"""Seconds in which a daemon has stored its records of the trial."""


class Trial(Struct, frozen=True, kw_only=True):
    """The result of sending an event through one command."""

    call: InstalledCommand
    problem: str = ""
    """The problem; empty if the command stopped the event in the host's reply format."""
    ran: bool = True
    ms: float = 0.0


def try_call(
    installed: InstalledFile, call: InstalledCommand, places: Places, env: Mapping[str, str], *, guarded: bool
) -> Trial:
    """Send the sample through a command, in its own session and store that are not kept.

    If no guard is enabled (*guarded* is false), the reply must be silent.
    """
    refusal = refuse_reason(installed, call, places, env)
    if refusal:
        problem = f"was not tested, because {refusal}: {_shorten(call.command)}"
        return Trial(call=call, problem=problem, ran=False)
    with scratch_folder(lingering=CLIENT in call.line) as folder:
        return _run_trial(installed, call, places, env, folder, guarded=guarded)


@contextmanager
def scratch_folder(*, lingering: bool) -> Iterator[str]:
    """Create a temporary folder for a trial; if *lingering*, wait for the daemon before removing it."""
    with tempfile.TemporaryDirectory(prefix="hookline-doctor-", ignore_cleanup_errors=True) as folder:
        yield folder
        time.sleep(DAEMON_WAIT_SECONDS if lingering else 0)


class TrialInput(Struct, frozen=True, kw_only=True):
    """The input that a host would give a command for the event that must be stopped."""

    name: str
    payload: bytes
    event: Event | None
    env: Mapping[str, str]
    root: str


def prepare_trial(host: Host, places: Places, env: Mapping[str, str], folder: str) -> TrialInput:
    """Return the input of a trial in its own session and store."""
    session = f"{TEST_SESSION_PREFIX}{os.urandom(4).hex()}"
    is_redirected = repository_env.may_set(host, env, places.root, ("XDG_STATE_HOME", "HOME"))
    root = folder if is_redirected else places.root
    name, payload, event = build_sample(host, session, root)
    # Python must not import hookline's modules from the project's folder.
    trial_env = _build_environment(host, env, session, root) | {
        "XDG_STATE_HOME": folder,
        "PYTHONSAFEPATH": "1",
    }
    return TrialInput(name=name, payload=json.dumps(payload).encode(), event=event, env=trial_env, root=root)


def _run_trial(
    installed: InstalledFile,
    call: InstalledCommand,
    places: Places,
    env: Mapping[str, str],
    folder: str,
    *,
    guarded: bool,
) -> Trial:
    trial = prepare_trial(installed.host, places, env, folder)
    if trial.event is None:
        return Trial(call=call, problem="has no event at which a command can be stopped", ran=False)
    started = time.monotonic()
    result = run_command.run(
        ["/bin/sh", "-c", call.command],
        stdin=trial.payload,
        cwd=trial.root,
        env=trial.env,
        timeout=TIMEOUT_SECONDS,
    )
    ms = (time.monotonic() - started) * 1000
    timeout_problem = f"timed out after {TIMEOUT_SECONDS:.0f} seconds" if result.timed_out else result.problem
    problem = timeout_problem or _check_reply(
        installed.host, trial.name, trial.event, result, guarded=guarded
    )
    return Trial(call=call, problem=problem, ms=ms)


def refuse_reason(
    installed: InstalledFile, call: InstalledCommand, places: Places, env: Mapping[str, str]
) -> str:
    """Return the reason not to run a command for a trial; empty if it may be run."""
    if not _is_repository_file(installed, places):
        return ""
    if not call.ours:
        return "it is from this repository and differs from `hookline init`"
    first, *arguments = shlex.split(parse_program(call.line, installed.host.name))
    if _is_indirect(first):
        return f"this repository starts {first}, an indirect path"
    path = _find_program(first, places.root, env)
    if not path:
        return f"{first} is not an executable program; run `hookline upgrade` to replace it"
    if arguments and os.path.realpath(path) != os.path.realpath(sys.executable):
        return f"this repository starts {first}, which is not the Python that runs hookline"
    return (
        ""
        if _is_running_program(path, arguments) or not _is_inside(path, places.root)
        else f"{first} is a file of this repository"
    )


def _is_indirect(name: str) -> bool:
    """Return whether a path depends on the process that opens it, or contains `..`."""
    return ".." in name.split("/") or re.match(r"/[/.]*(?:proc|dev)(?:/|$)", name) is not None


def _is_running_program(path: str, arguments: Sequence[str]) -> bool:
    """Return whether *path* is the running program; a Python must also be in the same environment."""
    if arguments:
        return _resolve_parent(path) == _resolve_parent(sys.executable)
    own_path = os.path.join(os.path.dirname(sys.executable), os.path.basename(path))
    return os.path.realpath(path) == os.path.realpath(own_path)


def _resolve_parent(path: str) -> str:
    """Return *path* with links resolved in its folder, but not in its last part."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _is_repository_file(installed: InstalledFile, places: Places) -> bool:
    """Return whether the repository may have written the file; variables may move a user's file there."""
    home_inside = _is_inside(places.home, places.root)
    return installed.scope != "user" or (_is_inside(installed.path, places.root) and not home_inside)


def _find_program(name: str, root: str, env: Mapping[str, str]) -> str:
    """Return the path at which a shell in the project's root finds a program; empty if there is none."""
    folders = env.get("PATH", "").split(os.pathsep) if "/" not in name else [""]
    paths = [os.path.join(root, folder, name) for folder in folders]
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), "")


def _is_inside(path: str, root: str) -> bool:
    """Return whether *path*, or any path that its links lead to, is inside *root*."""
    paths = (path, _resolve_parent(path), os.path.realpath(path))
    roots = {root, os.path.realpath(root)}
    return any(
        form == base or form.startswith(f"{base.rstrip(os.sep)}{os.sep}") for form in paths for base in roots
    )


def _build_environment(host: Host, env: Mapping[str, str], session: str, root: str) -> dict[str, str]:
    """Return the environment that the *host* gives its hooks, without variables of other hosts."""
    host_variables = {
        name for other in map(hosts.load, hosts.names()) for name in (*other.env_markers, other.project_env)
    }
    inherited = {name: value for name, value in env.items() if name not in host_variables}
    return (
        inherited
        | dict.fromkeys(host.env_markers, session)
        | ({host.project_env: root} if host.project_env else {})
    )


def _check_reply(host: Host, name: str, event: Event, result: Any, *, guarded: bool) -> str:
    """Return the problem of a reply; empty if it is correct."""
    if not guarded:
        passed = result.code == 0 and SAMPLE_RULE not in result.stdout + result.stderr
        return (
            ""
            if passed
            else f"answered with exit code {result.code}: {_shorten(result.stderr or result.stdout)}"
        )
    expected, _ = build_reply(host, name, event, Outcome(event=event, blocked=SAMPLE_RULE))
    if SAMPLE_RULE not in result.stdout + result.stderr:
        output = _shorten(result.stderr or result.stdout) or "nothing"
        return f"`{FORBIDDEN_COMMAND}` was not stopped: exit code {result.code}, output: {output}"
    is_expected = (
        _contains(_parse_reply(result.stdout), _parse_reply(expected.stdout)) and result.code == expected.code
    )
    return (
        ""
        if is_expected
        else f"`{FORBIDDEN_COMMAND}` was stopped, but not in the reply format of {host.name}"
    )


def _parse_reply(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()


def _contains(actual: Any, expected: Any) -> bool:
    """Return whether a reply contains everything expected; a reason need only name the rule."""
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(
            key in actual and _contains(actual[key], value) for key, value in expected.items()
        )
    if isinstance(expected, str) and SAMPLE_RULE in expected:
        return isinstance(actual, str) and SAMPLE_RULE in actual
    return bool(actual == expected)


def _shorten(text: str) -> str:
    return redact(" ".join(text.split()))[:200]
