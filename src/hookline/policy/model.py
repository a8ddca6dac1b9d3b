"""Contents of configuration files, apart from parsing: most calls have no file to parse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from hookline.core.frozen import EMPTY
from hookline.core.kind import Declaration

FAILURES = ("warn", "block")
"""Actions after a hook fails."""
REPOSITORY_SOURCES = ("project", "local")
"""Sources in the repository, which may loosen nothing unless the project is trusted."""
UNVERIFIED = "unverified"
"""Source of a folder that may be the user's, or that the repository chose: it may loosen nothing."""


class Problem(Struct, frozen=True, kw_only=True):
    """An error in a file, to show to its author."""

    file: str
    text: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}" if self.line else f"{self.file}: {self.text}"


class File(Struct, frozen=True, kw_only=True):
    """A configuration file that was read."""

    name: str
    """Path as shown to the user."""
    text: str
    source: str
    root: str


class SettingValue(Struct, frozen=True, kw_only=True):
    """A value and its origin."""

    value: Any
    origin: str
    items: tuple[str, ...] = ()
    """Origins of the items, if the value is a list."""


class Layer(Struct, frozen=True, kw_only=True):
    """Contents of one file."""

    source: str
    """user, unverified, project or local."""
    file: str
    options: Mapping[str, SettingValue] = EMPTY
    settings: Mapping[str, Mapping[str, SettingValue]] = EMPTY
    """Settings by hook name."""
    tables: Mapping[str, str] = EMPTY
    """Origin of each hook's table, by hook name."""
    refused: Mapping[str, str] = EMPTY
    """Origins of options with an invalid value."""
    sinks: Mapping[str, Mapping[str, SettingValue]] = EMPTY
    """Settings by sink name."""
    declarations: tuple[Declaration, ...] = ()
    servers: Mapping[str, Mapping[str, Any]] = EMPTY
    problems: tuple[Problem, ...] = ()
    broken: bool = False
    """True if the file could not be parsed."""
