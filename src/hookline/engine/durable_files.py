"""Files that are whole after a power cut: written aside, forced to the disk, then moved into their place."""

import os
import shutil
import stat
from contextlib import suppress

_ASIDE = ".new"


def text(path: str) -> str:
    """What a file says; empty where there is none. Who looks may find anything in its place."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def clear(path: str) -> None:
    """Take away what is no file: opening a pipe would last for ever, and no file can replace a folder."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return
    if stat.S_ISDIR(mode) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    elif not stat.S_ISREG(mode):
        os.unlink(path)


def folder(path: str) -> str:
    """The folder, made where it was not; whatever else is in its place is taken away."""
    try:
        os.makedirs(path, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        wrong = path
        while not os.path.lexists(wrong):
            wrong = os.path.dirname(wrong)
        os.unlink(wrong)
        os.makedirs(path, exist_ok=True)
    except PermissionError:
        _permit(os.path.dirname(path), 0o700)
        os.makedirs(path, exist_ok=True)
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        _permit(path, 0o700)
    return path


def _permit(path: str, more: int) -> None:
    os.chmod(path, os.stat(path).st_mode | more)


def write(path: str, content: str, *, errors: str = "replace") -> None:
    """Replace a file, all or nothing."""
    aside = path + _ASIDE
    clear(path)
    clear(aside)
    with suppress(FileNotFoundError):
        os.unlink(aside)
    with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644), "wb") as file:
        file.write(content.encode("utf-8", errors))
        file.flush()
        os.fsync(file.fileno())
    os.replace(aside, path)
    _settle(os.path.dirname(path))


def append(path: str, content: str) -> None:
    """Add to a file; it is on the disk when this is over."""
    new = not os.path.lexists(path)
    if not new and not os.access(path, os.W_OK):
        _permit(path, 0o600)
    with open(path, "ab") as file:
        file.write(content.encode("utf-8", "replace"))
        file.flush()
        os.fsync(file.fileno())
    if new:
        _settle(os.path.dirname(path))


def remove(path: str) -> None:
    clear(path)
    with suppress(FileNotFoundError):
        os.unlink(path)
        _settle(os.path.dirname(path))


def _settle(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
