"""Make sure that a person decides: some things an agent must not do for itself."""

import os
from collections.abc import Mapping
from typing import IO

from hookline.runtime import DEPTH

TERMINAL = "/dev/tty"


def terminal(what: str, env: Mapping[str, str]) -> IO[str]:
    """The controlling terminal; raises `PermissionError` where nobody sits at one."""
    if env.get(DEPTH):
        raise PermissionError(f"{what} is for a person to do, and this is running inside a hook")
    try:
        if not os.isatty(0):
            raise OSError
        return open(TERMINAL, "r+", encoding="utf-8", errors="replace", buffering=1)
    except OSError:
        raise PermissionError(
            f"{what} is for a person to do, and there is no terminal here; run it in one yourself"
        ) from None


def agrees(asked: IO[str], question: str) -> bool:
    """Whether the person at the terminal says yes; anything else is a no."""
    asked.write(f"{question} [y/N] ")
    asked.flush()
    return asked.readline().strip().lower() in ("y", "yes")
