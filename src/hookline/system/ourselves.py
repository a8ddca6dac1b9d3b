"""How a shell calls us: by name where that is found, else by the very interpreter that runs."""

import os
import sys


def command(env: dict[str, str] | os._Environ[str] = os.environ) -> str:
    """The words, quoted for a shell."""
    from shlex import quote  # noqa: PLC0415 -- only where a command is changed
    from shutil import which  # noqa: PLC0415 -- ditto

    return "hookline" if which("hookline", path=env.get("PATH")) else f"{quote(sys.executable)} -m hookline"
