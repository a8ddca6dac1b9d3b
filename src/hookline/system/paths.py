"""Paths of the user's and a project's files on this machine; folders for the user alone."""

from __future__ import annotations

import json
import os
import pwd
import sys
from collections.abc import Mapping
from contextlib import suppress

from msgspec import Struct

from hookline.system import file_stamps

FOLDER = ".hookline"
ID_FILE = "id"
_ID_LENGTH = 16
SHARED_FOLDERS = "/tmp", "/private/tmp", "/var/tmp", "/dev/shm"  # noqa: S108 -- nothing is written there
"""Folders for the files of all users; a killed sandbox of an agent may leave an empty `.git` there."""


class Places(Struct, frozen=True, kw_only=True):
    """Absolute paths."""

    home: str
    config: str
    """Folder of the user's configuration and trust decisions."""
    state: str
    """Folder of the store and its spool."""
    scratch: str
    root: str
    """The project's root."""
    daemon: tuple[str, ...] = ()
    """Folders that may hold the files of the user's daemon."""

    @property
    def trust(self) -> str:
        return os.path.join(self.config, "trust.json")

    @property
    def store(self) -> str:
        return f"{self.state}/hookline.db"

    @property
    def spool(self) -> str:
        return f"{self.state}/spool"

    @property
    def store_failure(self) -> str:
        return f"{self.state}/store-failure.json"

    @property
    def grants(self) -> str:
        return f"{self.state}/passes.json"

    @property
    def claims(self) -> str:
        return f"{self.state}/claims.json"

    @property
    def project(self) -> str:
        """Folder of the project's configuration."""
        return os.path.join(self.root, FOLDER)


def find_places(env: Mapping[str, str], cwd: str) -> Places:
    """Return the paths for a caller in the folder *cwd* with the environment *env*."""
    home = env.get("HOME") or login_home()
    return Places(
        home=home,
        config=_xdg_folder(env, "XDG_CONFIG_HOME", home, ".config"),
        state=_xdg_folder(env, "XDG_STATE_HOME", home, ".local/state"),
        scratch=_xdg_folder(env, "XDG_CACHE_HOME", home, ".cache"),
        root=project_root(cwd),
        daemon=daemon_folders(),
    )


def daemon_folders() -> tuple[str, ...]:
    """Return the folders that may hold the daemon's files, best first; must equal `client.candidates`.

    No environment variable chooses them, because a repository's settings may have set it.
    """
    own = [os.path.join(virtual_environment(), "run")] if virtual_environment() else []
    return (*own, f"/run/user/{os.getuid()}/hookline", f"/tmp/hookline-{os.getuid()}")  # noqa: S108 -- checked before use


def virtual_environment() -> str:
    """Return the folder of the running virtual environment; empty if there is none."""
    return os.path.realpath(sys.prefix) if sys.prefix != sys.base_prefix else ""


def _xdg_folder(env: Mapping[str, str], variable: str, home: str, default: str) -> str:
    base = env.get(variable, "")
    return os.path.join(base if os.path.isabs(base) else os.path.join(home, default), "hookline")


def project_root(cwd: str) -> str:
    """Return the nearest folder, from *cwd* upwards, that has `.git` or `.hookline`; else *cwd* itself.

    The folders that all users share are skipped.
    """
    folder = start = os.path.abspath(cwd or ".")
    while True:
        marks = () if folder in SHARED_FOLDERS else (".git", FOLDER)
        if any(_exists(os.path.join(folder, mark)) for mark in marks):
            return folder
        if folder == os.path.dirname(folder):
            return start
        folder = os.path.dirname(folder)


def quote_path(path: str) -> str:
    """Return *path* to show on one line: as a JSON string if it has characters that cannot be seen."""
    visible = path.isprintable() and not {'"', "\\"} & {*path}
    return path if visible else json.dumps(path)


def _exists(path: str) -> bool:
    file_stamps.record_read(path, existence_only=True)
    return os.path.lexists(path)


def login_home() -> str:
    """Return the user's home, whatever the environment says: that of the daemon may be another's."""
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/"


def create_private(folder: str) -> None:
    """Create *folder* and its missing parents for this user alone; raise `OSError` if that fails.

    `os.makedirs` applies its mode to the last folder only.
    """
    parent = os.path.dirname(folder)
    if parent not in ("", folder) and not os.path.lexists(parent):
        create_private(parent)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise


def user_id(state: str) -> str:
    """Return the id of the owner of the folder *state*, created once; empty if the folder does not exist.

    A team may share a store while its projects lie at the same path, as in containers. The id keeps one
    user's session from continuing the work of another's.
    """
    path = os.path.join(state, ID_FILE)
    existing = _read_id(path)
    if existing or not state or not os.path.isdir(state):
        return existing
    temporary = f"{path}.{os.urandom(6).hex()}"
    with suppress(OSError):
        with open(
            os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w"
        ) as file:
            file.write(os.urandom(_ID_LENGTH // 2).hex())
        with suppress(FileExistsError):  # another process created it at the same time
            os.link(temporary, path)
        os.unlink(temporary)
    return _read_id(path)


def _read_id(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            text = file.read(_ID_LENGTH + 1)
    except OSError:
        return ""
    return text if len(text) == _ID_LENGTH else ""
