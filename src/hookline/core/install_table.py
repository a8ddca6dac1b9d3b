"""How a host is told to call us: which files, what stands in them, and what a person still has to do.

Only what a host's own file says about it; reading and changing those files is the installer's work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from hookline.core.frozen import NOTHING

Scope: TypeAlias = 'Literal["user", "project"]'


class Entry(Struct, frozen=True, kw_only=True):
    """What is to be wired: one moment, and what the host is to start for it."""

    moment: str
    command: str
    """The call of the program, quoted for a shell, without the moment."""
    seconds: float
    """How long the host is to wait."""
    guard: str = ""
    """POSIX shell text before the call that exits where the program is missing; empty for no guard."""

    @property
    def line(self) -> str:
        """The command line for a POSIX shell."""
        return f"{self.guard}exec {self.command}" if self.guard else self.command


class Written(Struct, frozen=True, kw_only=True):
    """One hook that somebody wrote into a host's settings, in our words."""

    command: str | tuple[str, ...] = ""
    """For a shell, or as words without one."""
    match: str = ""
    seconds: float | None = None
    """How long the host waits, where the entry says so."""
    more: Mapping[str, Any] = NOTHING
    """Further keys of an entry of ours that mean the same."""
    lost: tuple[str, ...] = ()
    """What else it says that means nothing elsewhere, in sentences."""
    refused: str = ""
    """Why it is no hook of ours at all."""


class Listed(Struct, frozen=True, kw_only=True):
    """A settings file, JSON, in which every moment has a list of entries."""

    user: str = ""
    """The user's own file, with `~`; empty where there is none."""
    project: str = ""
    """The repository's file, from its root; empty where there is none."""
    under: tuple[str, ...] = ("hooks",)
    """The keys that lead to the table of moments."""
    start: Mapping[str, Any] = NOTHING
    """What a file that is not there yet begins with, besides that table."""
    entry: Callable[[Entry], Any]
    """What stands in a moment's list."""
    comments: bool = False
    """Whether the host reads comments and trailing commas."""
    beside: str = ""
    """The repository's file for this user alone, in the same shape; empty where there is none."""
    read: Callable[[Any], Iterable[Written]] | None = None
    """The hooks in what somebody put into a moment's list; None where nobody has looked into it."""
    usual: float = 0.0
    """Seconds that the host gives a hook which does not say how long; 0 where that is not known."""
    variables: str = ""
    """The key beside the table of moments with variables for all hooks; empty where there is none."""


class Own(Struct, frozen=True, kw_only=True):
    """Files that are ours alone: a plugin, or a program for each moment."""

    user: str = ""
    """The folder in which they lie."""
    project: str = ""
    files: Callable[[tuple[Entry, ...]], Mapping[str, str]]
    """From the moments to each file's name and text."""
    executable: bool = False
    registered: Listed | None = None
    """The settings file in which the host must be told of that folder, if it does not look by itself."""
    registered_as: str = ""
    """The list there that gets the one entry for it; it stands for the moment."""


class Place(Struct, frozen=True, kw_only=True):
    """Where we are wired, for those who look whether that is enough."""

    scope: Scope
    path: str
    root: str
    """The project's root."""
    holds: Any = None
    """What the file at that path holds, where it is JSON."""
    also: Any = None
    """What the other file of a look holds."""


class Look(Struct, frozen=True, kw_only=True):
    """A file of the host's that says whether it really runs what is wired."""

    file: str
    """The user's with `~`, the repository's from its root; JSON or TOML."""
    said: Callable[[Mapping[str, Any], Place], str]
    """From what it holds, nothing where it is not there, to what stands in the way; empty: nothing does."""
    also: str = ""
    """Another file without which it cannot be told; what it holds is in the place."""


class Wiring(Struct, frozen=True, kw_only=True):
    """Everything about the way in which a host comes to call us."""

    way: Listed | Own
    moved_by: str = ""
    """The variable that moves the folder of the user's file elsewhere."""
    needs: tuple[str, ...] = ()
    """What a person still has to do afterwards, in sentences."""
    looks: tuple[Look, ...] = ()
    """Where it can be seen whether a person has done it, and whether hooks are switched off."""
    words: Callable[[tuple[Entry, ...]], tuple[str, ...]] | None = None
    """Words of its command line that wire it for one run, where files in a worktree mean nothing to it."""
