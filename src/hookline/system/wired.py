"""Files of hosts that we change: each is old or new, never half, and what it was is kept to be put back.

What will be written is remembered first; whoever is ended in between leaves a file that is as it was, and a
note that says nothing about it.
"""

import base64
import fcntl
import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

LARGEST = 16 * 1024 * 1024
FOLDER = "wired"


class Refused(OSError):
    """A file that is left as it is; the message says why, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wired:
    """One file that we changed."""

    path: str
    host: str
    scope: str
    root: str
    """The project's root; empty for the user's own."""
    before: bytes | None
    """What it was; None: it was not there."""
    after: tuple[str, ...]
    """The sha256 of what we made of it; of several, where it was changed again and nobody else did."""
    made: tuple[str, ...] = ()
    """The folders that we made for it, outermost first."""
    command: str = ""


def read(path: str) -> bytes | None:
    """What the file holds, links followed; None where there is none. Raises `Refused`."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}; it was left as it is") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Refused(f"{path} is no file; it was left as it is")
    with os.fdopen(handle, "rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise Refused(f"{path} is larger than {LARGEST:,} bytes; it was left as it is")
    return data


def check_writable(path: str) -> None:
    """Raise `Refused` where its owner does not want *path* to be changed, or it cannot be."""
    real = os.path.realpath(path)
    with suppress(FileNotFoundError):
        if not os.stat(real).st_mode & stat.S_IWUSR:
            raise Refused(f"{path} is read-only; it was left as it is: make it writable, or use --print")
    folder = os.path.dirname(real)
    while not os.path.isdir(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Refused(f"{folder} cannot be written to, so {path} was left as it is")


def write(path: str, data: bytes, *, mode: int | None = None) -> None:
    """Replace the file as a whole, behind links, keeping its mode and owner."""
    real = os.path.realpath(path)
    folder = os.path.dirname(real)
    handle, scratch = tempfile.mkstemp(dir=folder, prefix=f".{os.path.basename(real)}.", suffix=".hookline")
    try:
        with os.fdopen(handle, "wb") as file:
            _dress(file.fileno(), real, mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, real)
    except BaseException:
        with suppress(OSError):
            os.unlink(scratch)
        raise
    _settle(folder)


def _dress(handle: int, real: str, mode: int | None) -> None:
    """The mode and owner of the file that is replaced; else the usual mode of a new one."""
    try:
        known = os.stat(real)
    except FileNotFoundError:
        mask = os.umask(0o077)
        os.umask(mask)
        os.fchmod(handle, (mode or 0o666) & ~mask)
        return
    os.fchmod(handle, stat.S_IMODE(known.st_mode))
    with suppress(OSError):
        os.fchown(handle, known.st_uid, known.st_gid)


def _settle(folder: str) -> None:
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def make_folders(path: str) -> tuple[str, ...]:
    """The folders that were missing for *path*, made now, outermost first."""
    missing: list[str] = []
    folder = os.path.dirname(os.path.realpath(path))
    while not os.path.isdir(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    for one in missing:
        os.mkdir(one)
    return tuple(missing)


def drop_folders(folders: tuple[str, ...]) -> None:
    """Those that we made, as far as nothing else is in them."""
    for folder in reversed(folders):
        with suppress(OSError):
            os.rmdir(folder)


@contextmanager
def alone(state: str) -> Iterator[None]:
    """One at a time, for as long as it takes."""
    os.makedirs(os.path.join(state, FOLDER), mode=0o700, exist_ok=True)
    handle = os.open(os.path.join(state, FOLDER, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def remember(state: str, one: Wired) -> None:
    before = None if one.before is None else base64.b64encode(one.before).decode()
    said = {
        name: getattr(one, name) for name in ("path", "host", "scope", "root", "after", "made", "command")
    }
    write(_note(state, one.path, one.host), json.dumps({**said, "before": before}).encode(), mode=0o600)


def forget(state: str, one: Wired) -> None:
    with suppress(FileNotFoundError):
        os.unlink(_note(state, one.path, one.host))


def remembered(state: str) -> list[Wired]:
    """Every file that we changed, as far as the notes can be read."""
    folder = os.path.join(state, FOLDER)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return []
    return [one for name in names if (one := _known(os.path.join(folder, name))) is not None]


def _known(path: str) -> Wired | None:
    try:
        with open(path, encoding="utf-8") as file:
            said: Mapping[str, Any] = json.load(file)
        before = None if said["before"] is None else base64.b64decode(said["before"])
        return Wired(**{**said, "before": before, "made": tuple(said["made"]), "after": tuple(said["after"])})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _note(state: str, path: str, host: str) -> str:
    name = hashlib.sha256(f"{os.path.realpath(path)}\0{host}".encode()).hexdigest()[:32]
    return os.path.join(state, FOLDER, f"{name}.json")


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def tidy(state: str) -> None:
    """Leave nothing behind where nothing is wired any more."""
    folder = os.path.join(state, FOLDER)
    if not remembered(state):
        with suppress(OSError):
            os.unlink(os.path.join(folder, "lock"))
            os.rmdir(folder)
            os.rmdir(state)
