"""Keep the whole of an output that was shown shortened, in the user's own scratch folder, for a day.

What is kept has gone through redaction already, as all that leaves a hook.
"""

import os
import time
from contextlib import suppress
from hashlib import sha256

KEPT_FOR = 24 * 60 * 60
MOST = 200
"""Files; the oldest go first."""
LARGEST = 32 * 1024 * 1024


def keep(folder: str, text: str) -> str:
    """Write *text* to a file of its own under *folder*; its path, or nothing where that cannot be."""
    data = text.encode("utf-8", "surrogateescape")[:LARGEST]
    path = os.path.join(folder, f"{sha256(data).hexdigest()[:16]}.txt")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except OSError:
        return ""
    _tidy(folder)
    return path


def _tidy(folder: str) -> None:
    aged = sorted(_aged(folder), reverse=True)
    oldest = time.time() - KEPT_FOR
    for position, (at, path) in enumerate(aged):
        if at < oldest or position >= MOST:
            with suppress(OSError):
                os.unlink(path)


def _aged(folder: str) -> list[tuple[float, str]]:
    try:
        with os.scandir(folder) as found:
            return [(one.stat(follow_symlinks=False).st_mtime, one.path) for one in found]
    except OSError:
        return []
