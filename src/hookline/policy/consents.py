"""Consents that a person gives in a file, for containers and CI: commands that need no terminal there.

They replace only the terminal: inside an agent or a hook, these commands are refused as always.
"""

import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from hookline.core.registry import describe_unknown
from hookline.system.paths import Places

SYSTEM_FOLDER = "/etc/hookline"
FILE = "consents.toml"
ACTIONS = ("trust", "budget", "uninstall")
OTHERS_WRITE = 0o022


class Consents(Struct, frozen=True, kw_only=True):
    """The consents of one file."""

    path: str
    trust: tuple[str, ...] = ()
    """Roots of projects whose content may be trusted."""
    budget: bool = False
    uninstall: bool = False
    problem: str = ""
    """The reason why the file does not count; empty if it does."""

    def allows(self, action: str, root: str) -> bool:
        """Return whether *action*, one of `ACTIONS`, needs no terminal in the project at *root*."""
        if self.problem:
            return False
        if action == "trust":
            return os.path.realpath(root) in map(os.path.realpath, self.trust)
        return {"budget": self.budget, "uninstall": self.uninstall}[action]

    def __str__(self) -> str:
        words = [f"trust {root}" for root in self.trust]
        words += ["budget set"] * self.budget + ["uninstall"] * self.uninstall
        return ", ".join(words) or "nothing"


def read_consents(places: Places) -> Iterator[Consents]:
    """Yield the consents of the machine and of the user, for each file that exists."""
    for folder in (SYSTEM_FOLDER, places.config):
        path = os.path.join(folder, FILE)
        if os.path.lexists(path):
            yield _read(path, places.root)


def _read(path: str, root: str) -> Consents:
    try:
        with open(path, "rb") as file:
            _require_unwritable(os.fstat(file.fileno()), path)
            _require_unwritable(os.stat(os.path.dirname(os.path.realpath(path))), os.path.dirname(path))
            _require_outside(path, root)
            return _parse(path, tomllib.load(file))
    except (OSError, ValueError) as error:
        return Consents(path=path, problem=getattr(error, "strerror", None) or str(error))


def _require_unwritable(info: os.stat_result, path: str) -> None:
    if info.st_uid not in (os.getuid(), 0) or stat.S_IMODE(info.st_mode) & OTHERS_WRITE:
        raise ValueError(f"other users can change {path}")


def _require_outside(path: str, root: str) -> None:
    """Refuse a file in the project, which its authors may have written."""
    for real in {os.path.realpath(path), os.path.abspath(path)}:
        if real.startswith(os.path.realpath(root).rstrip(os.sep) + os.sep):
            raise ValueError("it is inside the project")


def _parse(path: str, values: Mapping[str, Any]) -> Consents:
    unknown = [key for key in values if key not in ACTIONS]
    if unknown:
        raise ValueError(describe_unknown("key", unknown[0], ACTIONS))
    roots = values.get("trust", [])
    if not isinstance(roots, list) or not all(
        isinstance(item, str) and os.path.isabs(item) for item in roots
    ):
        raise ValueError("invalid 'trust': expected a list of absolute paths")
    for key in ("budget", "uninstall"):
        if not isinstance(values.get(key, False), bool):
            raise ValueError(f"invalid {key!r}: expected true or false")  # noqa: TRY004 -- one to catch
    return Consents(
        path=path,
        trust=tuple(roots),
        budget=values.get("budget", False),
        uninstall=values.get("uninstall", False),
    )
