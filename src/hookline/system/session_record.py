"""Records of a session outside the store, which may fail: messages shown, variables of its repository."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache

from msgspec import Struct

from hookline.system.paths import create_private, daemon_folders, login_home
from hookline.system.process import identity

_MESSAGE_SECONDS = 86_400.0
_VARIABLES_SECONDS = 30 * 86_400.0
"""Seconds after its last use until the record of a session's variables is removed."""
ANY = "*"
"""Name of the variable of a file that may set any variable."""
MAX_BYTES = 256 * 1024
"""Bytes of a session's variables; with more of them, any variable counts as the repository's."""


def is_first(scratch: str, session: str, text: str) -> bool:
    """Return whether *session* sees *text* for the first time; True if that cannot be recorded."""
    digest = _digest(f"{session}\0{text}")
    for folder in _message_folders(scratch):
        with suppress(OSError):
            return _add_mark(folder, digest)
    return True


def select_first(scratch: str, session: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the *texts* that *session* sees for the first time."""
    return tuple(text for text in texts if is_first(scratch, session, text))


def _message_folders(scratch: str) -> Iterator[str]:
    yield os.path.join(scratch, "told")
    yield os.path.join(tempfile.gettempdir(), f"hookline-told-{os.getuid()}")


def _add_mark(folder: str, digest: str) -> bool:
    create_private(folder)
    if os.lstat(folder).st_uid != os.getuid():
        raise PermissionError(f"{folder!r} belongs to another user")
    try:
        os.close(
            os.open(os.path.join(folder, digest), os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        )
    except FileExistsError:
        return False
    _remove_old(folder, _MESSAGE_SECONDS)
    return True


class CallingSession(Struct, frozen=True, kw_only=True):
    """The session that a call is part of."""

    id: str = ""
    process: int = 0
    """Id of the process that the host started; 0 for this process."""


class NamedVariable(Struct, frozen=True, kw_only=True):
    """A variable that a settings file of the repository named."""

    name: str
    file: str
    value: str = ""
    """Digest of the only value that is the repository's; empty for any value."""


def read_variables(session: CallingSession, folder: str) -> tuple[NamedVariable, ...]:
    """Return the variables that were recorded for *session*, whose host was started in *folder*."""
    places = [place for place in variable_folders() if _is_private(place)]
    if not places:  # as in most calls
        return ()
    names = _name_session(session)
    if any(os.path.isdir(f"{place}/{_digest(folder)}") for place in places):
        names += _name_process(session, folder)  # finding the process takes longer than all other steps
    paths = [f"{place}/{name}" for name in names for place in places]
    return tuple(dict.fromkeys(variable for path in paths for variable in _read_variables(path)))


def add_variables(session: CallingSession, folder: str, variables: Sequence[NamedVariable]) -> str:
    """Add to the record of *session*; return an error message, empty on success."""
    lines = "".join(f"\n{json.dumps([item.name, item.file, item.value])}\n" for item in variables)
    error_message = "no folder for it is private"
    for place in variable_folders():
        try:
            _create(place)
            if _is_private(place) and _is_private(os.path.dirname(place)):
                for name in _name_session(session) + _name_process(session, folder):
                    _append(f"{place}/{name}", lines.encode(errors="replace"))
                return ""
        except OSError as error:
            error_message = f"{place}: {error.strerror}"
    return error_message


def _create(place: str) -> None:
    around = os.path.dirname(os.path.dirname(place))
    if os.path.dirname(place) in daemon_folders() and not os.path.isdir(around):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))  # only the system creates it
    create_private(place)


@cache
def variable_folders() -> tuple[str, ...]:
    """Return the folders of the records, best first; a repository's settings may have set the environment."""
    places = (*daemon_folders()[-2:], f"{login_home()}/.local/state/hookline")
    return tuple(f"{place}/variables" for place in places)


def digest_value(value: str) -> str:
    """Return the digest of a variable's value, which may be a secret."""
    return _digest(value)[:16]


def _is_private(folder: str) -> bool:
    """Return whether *folder* exists, is ours, and no other user can change it."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022


def _name_session(session: CallingSession) -> list[str]:
    return [_digest(f"session\0{session.id}")] if session.id else []


def _name_process(session: CallingSession, folder: str) -> list[str]:
    # A host may begin a new session in the same process, with the environment that it set up before.
    starter = identity.find_starter(session.process or os.getpid())
    return [f"{_digest(folder)}/{_digest(starter)}"] if starter else []


def _read_variables(path: str) -> Iterable[NamedVariable]:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
            data = file.read(MAX_BYTES + 1)
        os.utime(path)
    except OSError:
        return
    if len(data) > MAX_BYTES:
        yield NamedVariable(name=ANY, file="")
    for line in data.splitlines():
        with suppress(ValueError, TypeError):  # a line of a process that was killed
            name, origin, digest = json.loads(line) if line else ("", "", "")
            if name:
                yield NamedVariable(name=str(name), file=str(origin), value=str(digest))


def _append(path: str, data: bytes) -> None:
    """Append in one write, because several hooks of a session may run at the same time."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    is_new = not os.path.lexists(path)
    create_private(os.path.dirname(path))
    descriptor = os.open(path, flags, 0o600)
    try:
        if os.fstat(descriptor).st_size <= MAX_BYTES and os.write(descriptor, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(descriptor)
    if is_new:
        _remove_old(os.path.dirname(path), _VARIABLES_SECONDS)


def _remove_old(folder: str, seconds: float) -> None:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.stat().st_mtime < time.time() - seconds:
                    os.unlink(entry.path)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:32]
