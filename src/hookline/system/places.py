"""Where things of the user and of a project lie on this machine."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

FOLDER = ".hookline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Absolute paths."""

    home: str
    config: str
    """The user's own configuration, and what the user trusts."""
    state: str
    """The store and its spool."""
    scratch: str
    root: str
    """The project's root."""

    @property
    def trust(self) -> str:
        return os.path.join(self.config, "trust.json")

    @property
    def store(self) -> str:
        return os.path.join(self.state, "hookline.db")

    @property
    def spool(self) -> str:
        return os.path.join(self.state, "spool")

    @property
    def passes(self) -> str:
        return os.path.join(self.state, "passes.json")

    @property
    def project(self) -> str:
        """The project's folder of configuration."""
        return os.path.join(self.root, FOLDER)


def find(env: Mapping[str, str], cwd: str) -> Places:
    """The places of whoever calls from *cwd* with the environment *env*."""
    home = env.get("HOME") or os.path.expanduser("~")
    return Places(
        home=home,
        config=_under(env, "XDG_CONFIG_HOME", home, ".config"),
        state=_under(env, "XDG_STATE_HOME", home, ".local/state"),
        scratch=_under(env, "XDG_CACHE_HOME", home, ".cache"),
        root=project_root(cwd),
    )


def _under(env: Mapping[str, str], variable: str, home: str, usual: str) -> str:
    base = env.get(variable, "")
    return os.path.join(base if os.path.isabs(base) else os.path.join(home, usual), "hookline")


def project_root(cwd: str) -> str:
    """The nearest folder, from *cwd* upwards, that has `.git` or `.hookline`; else *cwd* itself."""
    here = start = os.path.abspath(cwd or ".")
    while True:
        if any(os.path.lexists(os.path.join(here, mark)) for mark in (".git", FOLDER)):
            return here
        if here == os.path.dirname(here):
            return start
        here = os.path.dirname(here)
