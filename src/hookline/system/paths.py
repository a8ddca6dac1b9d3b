"""Where things of the user and of a project lie on this machine."""

from __future__ import annotations

import os
import pwd
import sys
from collections.abc import Mapping

from msgspec import Struct

from hookline.system import file_stamps

FOLDER = ".hookline"


class Places(Struct, frozen=True, kw_only=True):
    """Absolute paths."""

    home: str
    config: str
    """The user's own configuration, and what the user trusts."""
    state: str
    """The store and its spool."""
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
    def passes(self) -> str:
        return f"{self.state}/passes.json"

    @property
    def claims(self) -> str:
        return f"{self.state}/claims.json"

    @property
    def project(self) -> str:
        """The project's folder of configuration."""
        return os.path.join(self.root, FOLDER)


def find(env: Mapping[str, str], cwd: str) -> Places:
    """The places of whoever calls from *cwd* with the environment *env*."""
    home = env.get("HOME") or _login_home()
    return Places(
        home=home,
        config=_under(env, "XDG_CONFIG_HOME", home, ".config"),
        state=_under(env, "XDG_STATE_HOME", home, ".local/state"),
        scratch=_under(env, "XDG_CACHE_HOME", home, ".cache"),
        root=project_root(cwd),
        daemon=daemon_folders(),
    )


def daemon_folders() -> tuple[str, ...]:
    """Return the folders that may hold the daemon's files, best first; `client.candidates` is the same.

    No environment variable chooses them: a repository's settings may have set it.
    """
    own = [os.path.join(virtual_environment(), "run")] if virtual_environment() else []
    return (*own, f"/run/user/{os.getuid()}/hookline", f"/tmp/hookline-{os.getuid()}")  # noqa: S108 -- checked before use


def virtual_environment() -> str:
    """Return the folder of the virtual environment that runs; empty if none does."""
    return os.path.realpath(sys.prefix) if sys.prefix != sys.base_prefix else ""


def _under(env: Mapping[str, str], variable: str, home: str, usual: str) -> str:
    base = env.get(variable, "")
    return os.path.join(base if os.path.isabs(base) else os.path.join(home, usual), "hookline")


def project_root(cwd: str) -> str:
    """The nearest folder, from *cwd* upwards, that has `.git` or `.hookline`; else *cwd* itself."""
    here = start = os.path.abspath(cwd or ".")
    while True:
        if any(_is_there(os.path.join(here, mark)) for mark in (".git", FOLDER)):
            return here
        if here == os.path.dirname(here):
            return start
        here = os.path.dirname(here)


def _is_there(path: str) -> bool:
    file_stamps.at(path, whether=True)
    return os.path.lexists(path)


def _login_home() -> str:
    """Whoever calls without one: not the home of the process that answers."""
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/"
