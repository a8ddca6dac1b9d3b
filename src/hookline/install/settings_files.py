"""Files of hosts that we change: each is old or new, never half, and what it was is kept to be put back.

What will be written is remembered first; whoever is ended in between leaves a file that is as it was, and a
note that says nothing about it.
"""

import base64
import hashlib
import json
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from msgspec import Struct

from hookline.system import file_lock

LARGEST = 16 * 1024 * 1024
FOLDER = "wired"
MADE = "made"
"""The file that names the folders which were made for the notes."""
SCRATCH = ".hookline"
LEFT = 3600.0
"""Seconds after which what was being written was left, whoever has its number by now."""


class Refused(OSError):
    """A file that is left as it is; the message says why, and what to do."""


class Wired(Struct, frozen=True, kw_only=True):
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
    keys: tuple[tuple[str, ...], ...] = ()
    """The keys of it that were made for our entries; () stands for the whole of it."""
    moved_from: str = ""
    """Where it was when that was noted; empty: here."""


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


def check_inside(path: str, root: str) -> None:
    """Raise `Refused` where a link leads out of the project: who wrote it there is not the user."""
    real, inside = os.path.realpath(path), os.path.realpath(root)
    if not real.startswith(inside.rstrip(os.sep) + os.sep):
        raise Refused(
            f"{path} is a link out of the project, to {real}; it was left as it is: "
            "put a file in its place, or use --user"
        )


def write(path: str, data: bytes, *, mode: int | None = None) -> None:
    """Replace the file as a whole, behind links, keeping its mode and owner."""
    real = os.path.realpath(path)
    folder = os.path.dirname(real)
    name = f".{os.path.basename(real)}.{os.getpid()}-"
    handle, scratch = tempfile.mkstemp(dir=folder, prefix=name, suffix=SCRATCH)
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
    missing = _missing(os.path.dirname(os.path.realpath(path)))
    for one in missing:
        os.mkdir(one)
    return tuple(missing)


def drop_folders(folders: tuple[str, ...]) -> None:
    """Those that we made, as far as nothing else is in them."""
    for folder in reversed(folders):
        with suppress(OSError):
            os.rmdir(folder)


def sweep(path: str) -> None:
    """Take away what was being written in the place of *path* when somebody was ended."""
    folder, name = os.path.split(os.path.realpath(path))
    ours = re.compile(rf"\.{re.escape(name)}\.(?:([0-9]+)-)?[a-z0-9_]{{8}}{re.escape(SCRATCH)}")
    with suppress(OSError):
        for found in filter(None, map(ours.fullmatch, os.listdir(folder))):
            scratch = os.path.join(folder, found[0])
            if time.time() - os.stat(scratch).st_mtime > LEFT or (found[1] and not _lives(int(found[1]))):
                os.unlink(scratch)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def alone(state: str) -> Iterator[None]:
    """One at a time, for as long as it takes."""
    folder, made = os.path.join(state, FOLDER), list[str]()
    with ExitStack() as held:
        while True:
            made += [one for one in _missing(state) if one not in made]
            os.makedirs(folder, mode=0o700, exist_ok=True)
            with suppress(FileNotFoundError):  # `tidy` in another process removed the folder
                held.enter_context(file_lock.lock(os.path.join(folder, "lock")))
                break
        _note_made(folder, made)
        yield


def _missing(folder: str) -> list[str]:
    """The folders that lead to *folder*, itself included, and are not there, outermost first."""
    missing: list[str] = []
    while not os.path.isdir(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return missing


def _note_made(folder: str, made: list[str]) -> None:
    """Remember which folders our notes needed, so that they can go with the last of those."""
    if made:
        all_made = sorted({*made, *_made(folder)}, key=len)
        write(os.path.join(folder, MADE), json.dumps(all_made).encode(), mode=0o600)


def _made(folder: str) -> tuple[str, ...]:
    try:
        with open(os.path.join(folder, MADE), encoding="utf-8") as file:
            return tuple(map(str, json.load(file)))
    except (OSError, ValueError, TypeError, RecursionError):
        return ()


def remember(state: str, one: Wired) -> None:
    before = None if one.before is None else base64.b64encode(one.before).decode()
    names = ("path", "host", "scope", "root", "after", "made", "command", "keys")
    said = {name: getattr(one, name) for name in names}
    write(_note(state, one.path, one.host), json.dumps({**said, "before": before}).encode(), mode=0o600)


def forget(state: str, one: Wired) -> None:
    for path in filter(None, (one.path, one.moved_from)):
        with suppress(FileNotFoundError):
            os.unlink(_note(state, path, one.host))


def remembered(state: str) -> list[Wired]:
    """Every file that we changed, as far as the notes can be read."""
    return [one for path in _notes(state) if (one := _known(path)) is not None]


def unreadable(state: str) -> list[str]:
    """The notes that cannot be read."""
    return [path for path in _notes(state) if _known(path) is None]


def _notes(state: str) -> list[str]:
    folder = os.path.join(state, FOLDER)
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".json")]
    except OSError:
        return []


def _known(path: str) -> Wired | None:
    try:
        with open(path, encoding="utf-8") as file:
            said: Mapping[str, Any] = json.load(file)
        lists = {name: tuple(said[name]) for name in ("made", "after")}
        keys = tuple(tuple(map(str, key)) for key in said.get("keys", ()))
        before = None if said["before"] is None else base64.b64decode(said["before"])
        return Wired(**{**said, **lists, "before": before, "keys": keys})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _note(state: str, path: str, host: str) -> str:
    name = hashlib.sha256(f"{os.path.realpath(path)}\0{host}".encode()).hexdigest()[:32]
    return os.path.join(state, FOLDER, f"{name}.json")


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def tidy(state: str) -> None:
    """Leave nothing behind where nothing is wired any more; the caller holds the lock."""
    folder = os.path.join(state, FOLDER)
    if not _notes(state):
        made = _made(folder)
        with suppress(OSError):
            for name in os.listdir(folder):
                if name in ("lock", MADE) or name.endswith(SCRATCH):
                    os.unlink(os.path.join(folder, name))
        drop_folders((*made, state, folder))
