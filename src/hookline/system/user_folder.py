"""Id of the user who owns a state folder.

A team may share a store while its projects lie at the same path, as in containers. The id keeps one user's
session from continuing the work of another's.
"""

from __future__ import annotations

import os
from contextlib import suppress

ID_FILE = "id"
_ID_LENGTH = 16


def user_id(state: str) -> str:
    """Return the id kept in the folder *state*, created once; empty if the folder does not exist."""
    path = os.path.join(state, ID_FILE)
    existing = _read_id(path)
    if existing or not state or not os.path.isdir(state):
        return existing
    temporary = f"{path}.{os.urandom(6).hex()}"
    with suppress(OSError):
        with open(
            os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w"
        ) as file:
            file.write(os.urandom(_ID_LENGTH // 2).hex())
        with suppress(FileExistsError):  # another process created it at the same time
            os.link(temporary, path)
        os.unlink(temporary)
    return _read_id(path)


def _read_id(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            text = file.read(_ID_LENGTH + 1)
    except OSError:
        return ""
    return text if len(text) == _ID_LENGTH else ""
