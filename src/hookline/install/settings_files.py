"""Atomic writes to hosts' settings files, and records of the former content for `hookline uninstall`.

The record is saved before the file is written: a process that is killed in between leaves the file unchanged,
and a record that does no harm.
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
from hookline.system.paths import create_private

MAX_BYTES = 16 * 1024 * 1024
"""Bytes of the largest settings file that is read."""
FOLDER = "wired"
"""Name of the folder of the records, in the state folder."""
CREATED_FILE = "made"
"""Name of the file that lists the folders created for the records."""
TEMPORARY_SUFFIX = ".hookline"
"""Suffix of the temporary files from which settings files are replaced."""
STALE_SECONDS = 3600.0
"""Seconds after which a temporary file is stale, even if a process with its writer's id is running."""


class Refused(OSError):
    """A file that is left unchanged; the message gives the reason and the remedy."""


class InstallRecord(Struct, frozen=True, kw_only=True):
    """The record of one file that hookline changed."""

    path: str
    host: str
    scope: str
    root: str
    """The project's root; empty for the user's own file."""
    before: bytes | None
    """The former content; None if the file did not exist."""
    after: tuple[str, ...]
    """SHA-256 of the content that hookline wrote; several after repeated changes by hookline alone."""
    made: tuple[str, ...] = ()
    """The folders that were created for it, outermost first."""
    command: str = ""
    keys: tuple[tuple[str, ...], ...] = ()
    """The keys that were created for hookline's entries; () stands for the whole file."""
    moved_from: str = ""
    """The path at the time of the record; empty if it is the same."""


def read(path: str) -> bytes | None:
    """Return the content of the file, following links; None if it does not exist. Raise `Refused`."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}; it was not changed") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Refused(f"{path} is not a file; it was not changed")
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Refused(f"{path} is larger than {MAX_BYTES:,} bytes; it was not changed")
    return data


def check_writable(path: str) -> None:
    """Raise `Refused` if *path* is read-only or cannot be written."""
    real = os.path.realpath(path)
    with suppress(FileNotFoundError):
        if not os.stat(real).st_mode & stat.S_IWUSR:
            raise Refused(f"{path} is read-only; it was not changed: make it writable, or use --print")
    folder = os.path.dirname(real)
    while not os.path.isdir(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Refused(f"{folder} is not writable, so {path} was not changed")


def check_inside(path: str, root: str) -> None:
    """Raise `Refused` if a link leads out of the project, because the user may not have created it."""
    real, real_root = os.path.realpath(path), os.path.realpath(root)
    if not real.startswith(real_root.rstrip(os.sep) + os.sep):
        raise Refused(
            f"{path} is a link out of the project, to {real}; it was not changed: "
            "replace the link by a file, or use --user"
        )


def write(path: str, data: bytes, *, mode: int | None = None) -> None:
    """Replace the file atomically, following links and keeping its mode and owner."""
    real = os.path.realpath(path)
    folder = os.path.dirname(real)
    prefix = f".{os.path.basename(real)}.{os.getpid()}-"
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=prefix, suffix=TEMPORARY_SUFFIX)
    try:
        with os.fdopen(descriptor, "wb") as file:
            _set_mode_and_owner(file.fileno(), real, mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, real)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _set_mode_and_owner(descriptor: int, real: str, mode: int | None) -> None:
    """Copy mode and owner of the file that is replaced; a new file has the default mode."""
    try:
        existing = os.stat(real)
    except FileNotFoundError:
        umask = os.umask(0o077)
        os.umask(umask)
        os.fchmod(descriptor, (mode or 0o666) & ~umask)
        return
    os.fchmod(descriptor, stat.S_IMODE(existing.st_mode))
    with suppress(OSError):
        os.fchown(descriptor, existing.st_uid, existing.st_gid)


def _sync_folder(folder: str) -> None:
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def make_folders(path: str, *, private: bool) -> tuple[str, ...]:
    """Create the missing folders of *path*, for this user alone if *private*; return the outermost first."""
    missing = _missing_folders(os.path.dirname(os.path.realpath(path)))
    for folder in missing:
        os.mkdir(folder, 0o700 if private else 0o777)
    return tuple(missing)


def remove_folders(folders: tuple[str, ...]) -> None:
    """Remove the *folders* that are empty."""
    for folder in reversed(folders):
        with suppress(OSError):
            os.rmdir(folder)


def remove_leftovers(path: str) -> None:
    """Remove temporary files of *path* that killed processes left."""
    folder, name = os.path.split(os.path.realpath(path))
    pattern = re.compile(rf"\.{re.escape(name)}\.(?:([0-9]+)-)?[a-z0-9_]{{8}}{re.escape(TEMPORARY_SUFFIX)}")
    with suppress(OSError):
        for match in filter(None, map(pattern.fullmatch, os.listdir(folder))):
            temporary = os.path.join(folder, match[0])
            if time.time() - os.stat(temporary).st_mtime > STALE_SECONDS or (
                match[1] and not _is_running(int(match[1]))
            ):
                os.unlink(temporary)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def lock_records(state: str) -> Iterator[None]:
    """Hold the lock of the records; wait for it without a timeout."""
    folder, created = os.path.join(state, FOLDER), list[str]()
    with ExitStack() as stack:
        while True:
            created += [path for path in _missing_folders(state) if path not in created]
            create_private(folder)
            with suppress(FileNotFoundError):  # `tidy` in another process removed the folder
                stack.enter_context(file_lock.lock(os.path.join(folder, "lock")))
                break
        _save_created(folder, created)
        yield


def _missing_folders(folder: str) -> list[str]:
    """Return *folder* and its parents that do not exist, outermost first."""
    missing: list[str] = []
    while not os.path.isdir(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return missing


def _save_created(folder: str, created: list[str]) -> None:
    """Save the folders that were created for the records, so that `tidy` can remove them."""
    if created:
        all_created = sorted({*created, *_load_created(folder)}, key=len)
        write(os.path.join(folder, CREATED_FILE), json.dumps(all_created).encode(), mode=0o600)


def _load_created(folder: str) -> tuple[str, ...]:
    try:
        with open(os.path.join(folder, CREATED_FILE), encoding="utf-8") as file:
            return tuple(map(str, json.load(file)))
    except (OSError, ValueError, TypeError, RecursionError):
        return ()


def save_record(state: str, record: InstallRecord) -> None:
    before = None if record.before is None else base64.b64encode(record.before).decode()
    names = ("path", "host", "scope", "root", "after", "made", "command", "keys")
    fields = {name: getattr(record, name) for name in names}
    write(
        _record_path(state, record.path, record.host),
        json.dumps({**fields, "before": before}).encode(),
        mode=0o600,
    )


def delete_record(state: str, record: InstallRecord) -> None:
    for path in filter(None, (record.path, record.moved_from)):
        with suppress(FileNotFoundError):
            os.unlink(_record_path(state, path, record.host))


def load_records(state: str) -> list[InstallRecord]:
    """Return the records of all changed files, except unreadable ones."""
    return [record for path in _record_paths(state) if (record := _load_record(path)) is not None]


def unreadable_records(state: str) -> list[str]:
    """Return the paths of the records that cannot be read."""
    return [path for path in _record_paths(state) if _load_record(path) is None]


def _record_paths(state: str) -> list[str]:
    folder = os.path.join(state, FOLDER)
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".json")]
    except OSError:
        return []


def _load_record(path: str) -> InstallRecord | None:
    try:
        with open(path, encoding="utf-8") as file:
            data: Mapping[str, Any] = json.load(file)
        lists = {name: tuple(data[name]) for name in ("made", "after")}
        keys = tuple(tuple(map(str, key)) for key in data.get("keys", ()))
        before = None if data["before"] is None else base64.b64decode(data["before"])
        return InstallRecord(**{**data, **lists, "before": before, "keys": keys})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _record_path(state: str, path: str, host: str) -> str:
    name = hashlib.sha256(f"{os.path.realpath(path)}\0{host}".encode()).hexdigest()[:32]
    return os.path.join(state, FOLDER, f"{name}.json")


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def tidy(state: str) -> None:
    """Remove all files and folders of the records if no record is left; the caller holds the lock."""
    folder = os.path.join(state, FOLDER)
    if not _record_paths(state):
        created = _load_created(folder)
        with suppress(OSError):
            for name in os.listdir(folder):
                if name in ("lock", CREATED_FILE) or name.endswith(TEMPORARY_SUFFIX):
                    os.unlink(os.path.join(folder, name))
        remove_folders((*created, state, folder))
