"""Checks that a person runs a command: some things an agent must not do for itself."""

import os
import sys
from collections.abc import Iterable, Mapping

from hookline import hosts
from hookline.runtime.call_hook import DEPTH_VARIABLE

_MAX_ANCESTORS = 64


def find_inherited_variable(variables: Iterable[str]) -> str:
    """Return the first of *variables* that this process or an ancestor was started with, or ""."""
    names = tuple(f"{name}=".encode() for name in variables)
    variable = next((name for name in variables if name in os.environ), "")
    process = os.getppid()
    for _ in range(_MAX_ANCESTORS):
        if variable or process <= 1 or not names:
            break
        entry = next((item for item in _read_environment(process) if item.startswith(names)), b"")
        variable = entry.partition(b"=")[0].decode(errors="replace")
        process = _read_parent(process)
    return variable


def _read_environment(process: int) -> list[bytes]:
    """Return the environment that a process was started with; empty without permission to read it."""
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []


def _read_parent(process: int) -> int:
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


TERMINAL = "/dev/tty"


def require_person(action: str, env: Mapping[str, str]) -> None:
    """Raise `PermissionError` without a terminal, and inside an agent or a hook."""
    if env.get(DEPTH_VARIABLE):
        raise PermissionError(f"{action} is for a person to do, and this is running inside a hook")
    agent = _find_agent(env)
    if agent:
        raise PermissionError(f"{action} is for a person to do, and this is running inside {agent}")
    if not os.isatty(0) or not _has_terminal():
        raise PermissionError(
            f"{action} is for a person to do, and there is no terminal here; run it in one yourself"
        )


def refuse_agent(action: str, env: Mapping[str, str]) -> None:
    """Raise `PermissionError` inside an agent or a hook; a user's script is allowed."""
    agent = "a hook" if env.get(DEPTH_VARIABLE) else find_agent_by_variables(env)
    if agent:
        raise PermissionError(f"{action} is for a person to do, and this is running inside {agent}")


def find_agent_by_variables(env: Mapping[str, str]) -> str:
    """Return the host whose environment variables are set, or ""."""
    all_hosts = map(hosts.load, hosts.names())
    return next((host.name for host in all_hosts if any(env.get(name) for name in host.env_markers)), "")


def _find_agent(env: Mapping[str, str]) -> str:
    """Return the host in whose process tree this runs, or ""; also if it removed its variables."""
    for host in map(hosts.load, hosts.names()):
        if any(env.get(name) for name in host.env_markers) or find_inherited_variable(host.env_markers):
            return host.name
    return ""


def _has_terminal() -> bool:
    try:
        os.close(os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def ask_user(question: str) -> bool:
    """Ask at the terminal, even if stdout is redirected; return whether the answer is yes."""
    sys.stdout.flush()
    with open(TERMINAL, "w", encoding="utf-8") as terminal:
        terminal.write(f"{question} [y/N] ")
    with open(TERMINAL, encoding="utf-8", errors="replace") as keyboard:
        return keyboard.readline().strip().lower() in ("y", "yes")
