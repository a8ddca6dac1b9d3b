"""Full text of outputs that were shown shortened, kept in the user's scratch folder for a day.

The text is already redacted, like everything that leaves a hook.
"""

import os
import time
from contextlib import suppress
from hashlib import sha256

from hookline.system.paths import create_private

MAX_AGE_SECONDS = 24 * 60 * 60
MAX_FILES = 200
"""Files kept; the oldest are deleted first."""
MAX_BYTES = 32 * 1024 * 1024


def save(folder: str, text: str) -> str:
    """Write *text* to a file of its own in *folder*; return its path, or an empty string if that fails."""
    data = text.encode("utf-8", "surrogateescape")[:MAX_BYTES]
    path = os.path.join(folder, f"{sha256(data).hexdigest()[:16]}.txt")
    try:
        create_private(folder)
        descriptor = os.open(
            path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
    except OSError:
        return ""
    _delete_old(folder)
    return path


def _delete_old(folder: str) -> None:
    files = sorted(_files_by_time(folder), reverse=True)
    cutoff = time.time() - MAX_AGE_SECONDS
    for position, (modified, path) in enumerate(files):
        if modified < cutoff or position >= MAX_FILES:
            with suppress(OSError):
                os.unlink(path)


def _files_by_time(folder: str) -> list[tuple[float, str]]:
    try:
        with os.scandir(folder) as entries:
            return [(entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in entries]
    except OSError:
        return []
