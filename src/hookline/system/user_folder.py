"""Who keeps things here: a name that tells this user's folder of state from those of others.

A store may be shared by a team whose projects lie at the same path, as in containers; what one person's
session leaves is nobody else's to go on from.
"""

from __future__ import annotations

import os
from contextlib import suppress

NAME = "id"
_LENGTH = 16


def own(state: str) -> str:
    """The name of whoever keeps things in the folder *state*, chosen once; empty where nothing is kept."""
    path = os.path.join(state, NAME)
    known = _read(path)
    if known or not state or not os.path.isdir(state):
        return known
    new = f"{path}.{os.urandom(6).hex()}"
    with suppress(OSError):
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w") as file:
            file.write(os.urandom(_LENGTH // 2).hex())
        with suppress(FileExistsError):  # of two who choose at once, both have the same
            os.link(new, path)
        os.unlink(new)
    return _read(path)


def _read(path: str) -> str:
    """Empty where there is none, or something else."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            found = file.read(_LENGTH + 1)
    except OSError:
        return ""
    return found if len(found) == _LENGTH else ""
