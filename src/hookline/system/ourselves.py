"""How a shell calls us: by name where that is found, else by the very interpreter that runs."""

import os
import sys
from collections.abc import Mapping

from hookline.system import compiled

SHELL = "/bin/bash"
_ASKING = os.path.join(os.path.dirname(compiled.SOURCE), "ask.py")
_TRIAL = """((BASH_VERSINFO[0] >= 5)) || exit 1
said=$( (exec 3<> /dev/tcp/127.0.0.1/1) 2>&1 ); [[ $said != *"o such file"* ]]"""
"""A bash that was built without it looks for a file of that name."""


def command(env: dict[str, str] | os._Environ[str] = os.environ) -> str:
    """The words, quoted for a shell."""
    from shlex import quote  # noqa: PLC0415 -- only where a command is changed
    from shutil import which  # noqa: PLC0415 -- ditto

    return "hookline" if which("hookline", path=env.get("PATH")) else f"{quote(sys.executable)} -m hookline"


def program(
    env: Mapping[str, str], *, shared: bool, data: str = "", release: str = "", build: bool = True
) -> str:
    """What a settings file is to start, quoted for a shell.

    A client that asks the daemon, unless there is to be none: the one in C below *data*, else that of bash,
    else that of Python. In a file that others use too, by name where that is found; else by the path that
    holds on this machine, because a program that a desktop started may look for others elsewhere.
    """
    from shlex import quote  # noqa: PLC0415 -- only where something is installed
    from shutil import which  # noqa: PLC0415 -- ditto

    wanted = env.get("HOOKLINE_DAEMON") != "off"
    names = ("hookline-client", "hookline") if wanted and _talks() else ("hookline",)
    found = {name: path for name in names if (path := which(name, path=env.get("PATH")))}
    if shared and found:
        return next(iter(found))
    best = [compiled.client(env, data, release, build=build)] if wanted and data else []
    best += [_beside(name) for name in names[:-1]]
    if wanted and not any(best):
        return f"{quote(sys.executable)} -I -S {quote(_ASKING)}"
    best += [_beside("hookline"), *found.values()]
    return next(map(quote, filter(None, best)), f"{quote(sys.executable)} -m hookline")


def _beside(name: str) -> str:
    """The program of that *name* beside the interpreter that runs, if there is one."""
    path = os.path.join(os.path.dirname(sys.executable), name)
    return path if os.access(path, os.X_OK) else ""


def _talks() -> bool:
    """Whether the shell that the client needs is there, and can speak to a port."""
    import subprocess  # noqa: PLC0415 -- only where something is installed

    try:
        said = subprocess.run([SHELL, "-c", _TRIAL], capture_output=True, check=False, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return False
    return said.returncode == 0
