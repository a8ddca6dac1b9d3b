"""Files that survive a power cut: written beside, synced to disk, then renamed into place."""

import os
import shutil
import stat
from contextlib import suppress

_NEW_SUFFIX = ".new"


def read_text(path: str) -> str:
    """Return the content of a file, or an empty string.

    An agent may have put anything in its place, so opening must not block.
    """
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def remove_non_file(path: str) -> None:
    """Remove anything but a file: opening a pipe would block, and no file can replace a folder."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return
    if stat.S_ISDIR(mode) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    elif not stat.S_ISREG(mode):
        os.unlink(path)


def ensure_folder(path: str) -> str:
    """Create the folder if necessary, replacing anything else at that path; return the path."""
    try:
        os.makedirs(path, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        obstacle = path
        while not os.path.lexists(obstacle):
            obstacle = os.path.dirname(obstacle)
        os.unlink(obstacle)
        os.makedirs(path, exist_ok=True)
    except PermissionError:
        _add_permissions(os.path.dirname(path), 0o700)
        os.makedirs(path, exist_ok=True)
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        _add_permissions(path, 0o700)
    return path


def _add_permissions(path: str, mode: int) -> None:
    os.chmod(path, os.stat(path).st_mode | mode)


def write(path: str, content: str, *, errors: str = "replace") -> None:
    """Replace a file atomically."""
    new_path = path + _NEW_SUFFIX
    remove_non_file(path)
    remove_non_file(new_path)
    with suppress(FileNotFoundError):
        os.unlink(new_path)
    with open(os.open(new_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644), "wb") as file:
        file.write(content.encode("utf-8", errors))
        file.flush()
        os.fsync(file.fileno())
    os.replace(new_path, path)
    _sync_folder(os.path.dirname(path))


def append(path: str, content: str) -> None:
    """Append to a file and sync it to disk."""
    new = not os.path.lexists(path)
    if not new and not os.access(path, os.W_OK):
        _add_permissions(path, 0o600)
    with open(path, "ab") as file:
        file.write(content.encode("utf-8", "replace"))
        file.flush()
        os.fsync(file.fileno())
    if new:
        _sync_folder(os.path.dirname(path))


def remove(path: str) -> None:
    remove_non_file(path)
    with suppress(FileNotFoundError):
        os.unlink(path)
        _sync_folder(os.path.dirname(path))


def _sync_folder(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
