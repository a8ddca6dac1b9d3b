"""How a shell calls us: by name where that is found, else by the very interpreter that runs."""

import os
import sys
from collections.abc import Mapping


def command(env: dict[str, str] | os._Environ[str] = os.environ) -> str:
    """The words, quoted for a shell."""
    from shlex import quote  # noqa: PLC0415 -- only where a command is changed
    from shutil import which  # noqa: PLC0415 -- ditto

    return "hookline" if which("hookline", path=env.get("PATH")) else f"{quote(sys.executable)} -m hookline"


def program(env: Mapping[str, str], *, shared: bool) -> str:
    """What a settings file is to start, quoted for a shell.

    In a file that others use too, by name where that is found; else by the path that holds on this machine,
    because a program that a desktop started may look for others elsewhere.
    """
    from shlex import quote  # noqa: PLC0415 -- only where something is installed
    from shutil import which  # noqa: PLC0415 -- ditto

    found = which("hookline", path=env.get("PATH"))
    if shared and found:
        return "hookline"
    own = os.path.join(os.path.dirname(sys.executable), "hookline")
    best = own if os.access(own, os.X_OK) else found
    return quote(best) if best else f"{quote(sys.executable)} -m hookline"
