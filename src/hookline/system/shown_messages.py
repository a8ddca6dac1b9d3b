"""Record of the messages already shown to a session, kept outside the store, which may be what fails."""

import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress

_MAX_AGE_SECONDS = 86_400.0


def is_first(scratch: str, session: str, text: str) -> bool:
    """Return whether *session* sees *text* for the first time; True if that cannot be recorded."""
    digest = hashlib.sha256(f"{session}\0{text}".encode(errors="surrogatepass")).hexdigest()[:32]
    for folder in _folders(scratch):
        with suppress(OSError):
            return _record(folder, digest)
    return True


def _folders(scratch: str) -> Iterator[str]:
    yield os.path.join(scratch, "told")
    yield os.path.join(tempfile.gettempdir(), f"hookline-told-{os.getuid()}")


def _record(folder: str, digest: str) -> bool:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.lstat(folder).st_uid != os.getuid():
        raise PermissionError(f"{folder!r} is somebody else's")
    try:
        os.close(
            os.open(os.path.join(folder, digest), os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        )
    except FileExistsError:
        return False
    _remove_old(folder)
    return True


def _remove_old(folder: str) -> None:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.stat().st_mtime < time.time() - _MAX_AGE_SECONDS:
                    os.unlink(entry.path)
