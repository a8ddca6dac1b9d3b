"""What configuration files say, apart from how they are read: most calls find none to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from hookline.core.frozen import NOTHING
from hookline.core.kind import Declaration

FAILURES = ("warn", "block")
"""What may come of a hook that fails."""


class Problem(Struct, frozen=True, kw_only=True):
    """Something wrong in a file, for whoever wrote it."""

    file: str
    text: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}" if self.line else f"{self.file}: {self.text}"


class File(Struct, frozen=True, kw_only=True):
    """A configuration file that was read, and whose it is."""

    name: str
    """As a person would write it."""
    text: str
    source: str
    root: str


class Given(Struct, frozen=True, kw_only=True):
    """A value, and where it was given."""

    value: Any
    origin: str


class Layer(Struct, frozen=True, kw_only=True):
    """What one file says."""

    source: str
    """user, project or local."""
    file: str
    options: Mapping[str, Given] = NOTHING
    settings: Mapping[str, Mapping[str, Given]] = NOTHING
    """By hook name."""
    tables: Mapping[str, str] = NOTHING
    """Where the settings of each hook begin, by hook name."""
    refused: Mapping[str, str] = NOTHING
    """Options whose value does not hold, and where it was given."""
    sinks: Mapping[str, Mapping[str, Given]] = NOTHING
    """What is said about each sink, by its name."""
    declarations: tuple[Declaration, ...] = ()
    servers: Mapping[str, Mapping[str, Any]] = NOTHING
    problems: tuple[Problem, ...] = ()
    broken: bool = False
    """Nothing of the file could be read."""
