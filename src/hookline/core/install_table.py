"""The installation data of a host: settings files, the format of entries, and steps left to a person.

These classes are only data, filled by each host's module; the installer reads and changes the files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from hookline.core.frozen import EMPTY

Scope: TypeAlias = 'Literal["user", "project", "local"]'
"""Settings for all projects of a user, for all people in a project, or for one person in a project."""


class InstallEntry(Struct, frozen=True, kw_only=True):
    """One entry to install: a moment, and the command that the host runs for it."""

    moment: str
    command: str
    """The command line of the program, quoted for a shell, without the moment."""
    timeout: float
    """Timeout for the host, in seconds."""
    guard: str = ""
    """POSIX shell code before the command that exits if the program is missing; empty for none."""

    @property
    def line(self) -> str:
        """The complete command line for a POSIX shell."""
        return f"{self.guard}exec {self.command}" if self.guard else self.command


class UserHook(Struct, frozen=True, kw_only=True):
    """A hook that a user wrote into a host's settings, converted to our terms."""

    command: str | tuple[str, ...] = ""
    """A shell command line, or an argument list that needs no shell."""
    match: str = ""
    timeout: float | None = None
    """Timeout in seconds, if the entry has one."""
    extra_keys: Mapping[str, Any] = EMPTY
    """Further keys for an equivalent entry in our configuration."""
    unconverted: tuple[str, ...] = ()
    """Sentences about settings that cannot be converted."""
    refusal: str = ""
    """The reason why the hook cannot be converted at all."""


class SettingsFile(Struct, frozen=True, kw_only=True):
    """A JSON settings file with a list of entries for each moment."""

    user: str = ""
    """Path of the user's file, with `~`; empty if there is none."""
    project: str = ""
    """Path of the repository's file from its root; empty if there is none."""
    table_path: tuple[str, ...] = ("hooks",)
    """The keys that lead to the table of moments."""
    initial_content: Mapping[str, Any] = EMPTY
    """Further content of a new file, besides that table."""
    make_entry: Callable[[InstallEntry], Any]
    """Returns the JSON value of an entry in a moment's list."""
    comments: bool = False
    """True if the host accepts comments and trailing commas."""
    private_project: str = ""
    """Path of this user's private file in the repository, in the same format; empty if there is none."""
    read_entry: Callable[[Any], Iterable[UserHook]] | None = None
    """Returns the hooks in an item of a moment's list; None if conversion is not supported."""
    matches_part: bool = False
    """True if a matcher is a regular expression that may match a part of a tool's name."""
    plugin_files: tuple[str, ...] = ()
    """Patterns of files with the hooks of plugins in a repository, in the same format."""
    plugin_env: str = ""
    """The environment variable with the folder of a plugin, two levels above its file."""
    default_timeout: float = 0.0
    """Default timeout of the host's hooks in seconds; 0 if it is not known."""
    variables: str = ""
    """The key next to the table of moments with environment variables for all hooks; empty if none."""


class OwnFiles(Struct, frozen=True, kw_only=True):
    """Files that contain nothing but our hooks: a plugin, or a program for each moment."""

    user: str = ""
    """Path of the user's folder for these files."""
    project: str = ""
    make_files: Callable[[tuple[InstallEntry, ...]], Mapping[str, str]]
    """Returns the files for the entries: name → text."""
    executable: bool = False
    registered: SettingsFile | None = None
    """The settings file in which the folder must be registered, if the host does not find it by itself."""
    registered_as: str = ""
    """The list in that file, in place of a moment, that gets the entry for the folder."""


class Installation(Struct, frozen=True, kw_only=True):
    """An installed settings file, as the checks of a host see it."""

    scope: Scope
    path: str
    root: str
    """The project's root."""
    content: Any = None
    """Content of the file at that path, if it is JSON."""
    other_content: Any = None
    """Content of the check's other file."""


class ObstacleCheck(Struct, frozen=True, kw_only=True):
    """A check of a host's file that shows whether the host really runs the installed hooks."""

    file: str
    """Path of a JSON or TOML file: the user's with `~`, the repository's from its root."""
    find_obstacle: Callable[[Mapping[str, Any], Installation], str]
    """Returns the obstacle that the file's content shows, or ""; a missing file is an empty mapping."""
    other_file: str = ""
    """Path of another file that the check requires; its content is in `Installation.other_content`."""


class InstallMethod(Struct, frozen=True, kw_only=True):
    """The way in which our hooks are installed into a host."""

    layout: SettingsFile | OwnFiles
    folder_env: str = ""
    """The environment variable that changes the folder of the user's file."""
    manual_steps: tuple[str, ...] = ()
    """Sentences about steps that a person has to do after the installation."""
    checks: tuple[ObstacleCheck, ...] = ()
    """Checks whether a person has done these steps, and whether hooks are disabled."""
    make_arguments: Callable[[tuple[InstallEntry, ...]], tuple[str, ...]] | None = None
    """Returns command-line arguments that install the entries for one run, if the host ignores files in a
    worktree."""
