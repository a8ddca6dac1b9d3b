"""Whether a person was told something already, even where the store that would know is what is wrong."""

import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress

_FORGET = 86_400.0


def first(scratch: str, session: str, text: str) -> bool:
    """Whether the session is told this *text* for the first time; True where that cannot be noted."""
    mark = hashlib.sha256(f"{session}\0{text}".encode(errors="surrogatepass")).hexdigest()[:32]
    for folder in _folders(scratch):
        with suppress(OSError):
            return _noted(folder, mark)
    return True


def _folders(scratch: str) -> Iterator[str]:
    yield os.path.join(scratch, "told")
    yield os.path.join(tempfile.gettempdir(), f"hookline-told-{os.getuid()}")


def _noted(folder: str, mark: str) -> bool:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.lstat(folder).st_uid != os.getuid():
        raise PermissionError(f"{folder!r} is somebody else's")
    try:
        os.close(
            os.open(os.path.join(folder, mark), os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        )
    except FileExistsError:
        return False
    _forget_old(folder)
    return True


def _forget_old(folder: str) -> None:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.stat().st_mtime < time.time() - _FORGET:
                    os.unlink(entry.path)
