"""Commands of this installation: the paths of its programs, and the commands that run them in a shell."""

import os
import sys
import sysconfig
from collections.abc import Mapping
from functools import cache
from shlex import join, quote
from shutil import which

CLIENT = "hookline-client"
"""The file name of the client program."""


@cache
def find_programs() -> str:
    """Return the folder of this installation's programs, as its client derives it from its own path."""
    if sys.prefix != sys.base_prefix:
        return os.path.realpath(os.path.join(sys.prefix, "bin"))
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", "posix_user")]
    return os.path.realpath(next((folder for folder in folders if _has_client(folder)), folders[0]))


def _has_client(folder: str) -> bool:
    return os.access(os.path.join(folder, CLIENT), os.X_OK)


def client_path() -> str:
    """Return the path of this installation's client; empty if it is not installed."""
    return os.path.join(find_programs(), CLIENT) if _has_client(find_programs()) else ""


def module_command(name: str) -> tuple[str, ...]:
    """Return the command that runs the module *name* of this installation.

    With `-P`, Python does not import from the current folder, which belongs to the repository.
    """
    return (sys.executable, "-P", "-m", name)


def client_command(env: Mapping[str, str]) -> str:
    """Return the command for a host's settings, quoted for a shell.

    It is the same in every settings file: by name if PATH finds this installation's client, else by path.
    """
    path, found = client_path(), which(CLIENT, path=env.get("PATH", ""))
    if not path:
        return join(module_command("hookline"))
    return CLIENT if found and os.path.realpath(found) == os.path.realpath(path) else quote(path)


def command(env: Mapping[str, str] = os.environ) -> str:
    """Return the command `hookline`, quoted for a shell."""
    return "hookline" if which("hookline", path=env.get("PATH")) else join(module_command("hookline"))
