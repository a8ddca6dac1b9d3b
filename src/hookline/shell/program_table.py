"""All programs that are understood, by name; one table, put together from the files that know them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell import (
    builtins,
    editors,
    embedded,
    filters,
    git_runs,
    launchers,
    recipes,
    remote,
    shells,
    stdout,
    transfer,
    windows,
    wrappers,
    xargs,
)
from hookline.shell.result import UNKNOWN
from hookline.shell.shell_state import Call, Result, World

Program: TypeAlias = Callable[[World, Call], Result]

_VERSIONED = re.compile(r"(python|pypy|perl|ruby|php|lua|node)[\d.]+")
_FILES = (
    stdout,
    builtins,
    wrappers,
    shells,
    xargs,
    git_runs,
    recipes,
    launchers,
    embedded,
    transfer,
    remote,
    windows,
    editors,
    filters,
)
"""The files that know programs; of one in several, the last."""


def program_name(path: str) -> str:
    """The program that *path* names, without folder, version or `.exe`; empty if it is not known."""
    if UNKNOWN in path:
        return ""
    name = path.rpartition("/")[2].removesuffix(".exe")
    if name.isupper():  # file systems that do not tell RM from rm
        name = name.lower()
    found = _VERSIONED.fullmatch(name) if name[-1:].isdigit() or name.endswith(".") else None
    return found.group(1) if found is not None else name


def program(name: str) -> Program | None:
    """What the program *name* does, if it is understood."""
    return _PROGRAMS.get(name)


_PROGRAMS: Mapping[str, Program] = {name: run for file in _FILES for name, run in file.PROGRAMS.items()}
_RUNNING = (stdout, builtins, wrappers, shells, xargs, git_runs, embedded, windows)
PROGRAMS = frozenset(name for file in _RUNNING for name in file.PROGRAMS) | {"ssh", "mosh"}
"""Programs that run, set or print what they are given, and open none of it as a file."""
