"""Checks that a person runs a command: an agent must not loosen its own guards."""

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
        raise PermissionError(_refuse(action, "a hook"))
    agent = find_agent(env)
    if agent:
        raise PermissionError(_refuse(action, agent))
    if not os.isatty(0) or not _has_terminal():
        raise PermissionError(f"{action} requires an interactive terminal")


def _refuse(action: str, where: str) -> str:
    return f"{action} is not allowed inside {where}; run this command in your own terminal"


def refuse_agent(action: str, env: Mapping[str, str]) -> None:
    """Raise `PermissionError` inside an agent or a hook; a user's script is allowed."""
    agent = "a hook" if env.get(DEPTH_VARIABLE) else find_agent(env)
    if agent:
        raise PermissionError(_refuse(action, agent))


def find_agent(env: Mapping[str, str]) -> str:
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
