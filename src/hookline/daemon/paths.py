"""Where the daemon of a user is to be found: a folder that nobody else can write to."""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from hookline.record import record
from hookline.system import file_lock
from hookline.system.places import daemon_folders

LONGEST_SOCKET = 100
"""Bytes of a socket's path that every system takes."""
OWN = 0o700


@record
class Place:
    folder: str

    @property
    def address(self) -> str:
        """What clients read: release and installation in a word, port, knock, proof and secret."""
        return os.path.join(self.folder, "address")

    @property
    def socket(self) -> str:
        return os.path.join(self.folder, "socket")

    @property
    def lock(self) -> str:
        """Held by the daemon as long as it lives; names its process."""
        return os.path.join(self.folder, "lock")

    @property
    def starting(self) -> str:
        """Held for an instant by who decides whether to start one; says when one was started in vain."""
        return os.path.join(self.folder, "starting")

    @property
    def log(self) -> str:
        return os.path.join(self.folder, "log")


def find(env: Mapping[str, str]) -> Place:
    """The first place that is there, for whoever has that environment; nothing is made. Clients do so."""
    return Place(
        folder=next((one for one in daemon_folders(env) if not trouble(one)), daemon_folders(env)[-1])
    )


def made(env: Mapping[str, str]) -> Place:
    """The place, made where it is missing; raises `OSError` that says why there is none."""
    for folder in daemon_folders(env):
        if _fits(folder):
            _make(folder)
        if not trouble(folder):
            return Place(folder=folder)
    reasons = "; ".join(f"{folder}: {trouble(folder)}" for folder in daemon_folders(env))
    raise PermissionError(f"there is no folder for the daemon that is only ours; {reasons}")


def trouble(folder: str) -> str:
    """Why nothing can be kept in *folder* that is only ours; empty where it can."""
    if not _fits(folder):
        return "its path is too long for a socket"
    try:
        found = os.lstat(folder)
    except OSError as error:
        return (error.strerror or "it cannot be looked at").lower()
    if not stat.S_ISDIR(found.st_mode):
        return "it is no folder; remove it"
    if found.st_uid != os.getuid():
        return f"it belongs to user {found.st_uid}; have it removed"
    if found.st_mode & 0o077:
        return f"others can reach into it; run `chmod 700 {folder}`"
    return "" if os.access(folder, os.W_OK | os.X_OK) else "it cannot be written to"


def _fits(folder: str) -> bool:
    return len(os.fsencode(Place(folder=folder).socket)) <= LONGEST_SOCKET


def _make(folder: str) -> None:
    try:
        os.mkdir(folder, OWN)
    except OSError:
        return  # it is there already, or `trouble` says what is missing


@contextmanager
def locked(path: str) -> Iterator[int | None]:
    """Hold the file at *path*, made if need be; it, open, or None where somebody else holds it."""
    with file_lock.try_lock(path) as file:
        yield file
