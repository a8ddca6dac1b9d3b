"""Checks that a person runs a command: some things an agent must not do for itself."""

import os
import sys
from collections.abc import Iterable, Mapping

from hookline import hosts
from hookline.runtime.select_hooks import DEPTH

_DEEPEST = 64


def inside(variables: Iterable[str]) -> str:
    """The first of *variables* that this process or one it descends from was started with; empty for none."""
    names = tuple(f"{name}=".encode() for name in variables)
    own = next((name for name in variables if name in os.environ), "")
    process = os.getppid()
    for _ in range(_DEEPEST):
        if own or process <= 1 or not names:
            break
        found = next((item for item in _environment(process) if item.startswith(names)), b"")
        own = found.partition(b"=")[0].decode(errors="replace")
        process = _parent(process)
    return own


def _environment(process: int) -> list[bytes]:
    """What it was started with; nothing where that is not ours to see."""
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []


def _parent(process: int) -> int:
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


TERMINAL = "/dev/tty"


def needed(what: str, env: Mapping[str, str]) -> None:
    """Raise `PermissionError` where nobody sits at a terminal, or an agent or a hook began this."""
    if env.get(DEPTH):
        raise PermissionError(f"{what} is for a person to do, and this is running inside a hook")
    agent = _agent(env)
    if agent:
        raise PermissionError(f"{what} is for a person to do, and this is running inside {agent}")
    if not os.isatty(0) or not _at_a_terminal():
        raise PermissionError(
            f"{what} is for a person to do, and there is no terminal here; run it in one yourself"
        )


def not_an_agent(what: str, env: Mapping[str, str]) -> None:
    """Raise `PermissionError` where an agent or a hook runs this; a script of a person's may."""
    agent = "a hook" if env.get(DEPTH) else by_variables(env)
    if agent:
        raise PermissionError(f"{what} is for a person to do, and this is running inside {agent}")


def by_variables(env: Mapping[str, str]) -> str:
    """The host whose variables are set, if any."""
    every = map(hosts.load, hosts.names())
    return next((host.name for host in every if any(env.get(name) for name in host.telltales)), "")


def _agent(env: Mapping[str, str]) -> str:
    """The host in whose process tree this runs, if any, also where it took its variables out again."""
    for host in map(hosts.load, hosts.names()):
        if any(env.get(name) for name in host.telltales) or inside(host.telltales):
            return host.name
    return ""


def _at_a_terminal() -> bool:
    try:
        os.close(os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def agrees(question: str) -> bool:
    """Whether the person at the terminal says yes, wherever our own output goes; anything else is a no."""
    sys.stdout.flush()
    with open(TERMINAL, "w", encoding="utf-8") as told:
        told.write(f"{question} [y/N] ")
    with open(TERMINAL, encoding="utf-8", errors="replace") as answer:
        return answer.readline().strip().lower() in ("y", "yes")
