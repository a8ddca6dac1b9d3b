"""The table of all programs whose behaviour is modelled, by name."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.lazy import re
from hookline.shell import (
    awk,
    builtins,
    copy_programs,
    decoders,
    editors,
    embedded,
    git_runs,
    launchers,
    recipes,
    remote,
    shells,
    stdout,
    streams,
    text_filters,
    windows,
    wrappers,
    xargs,
)
from hookline.shell.result import UNKNOWN
from hookline.shell.shell_state import Program

_VERSIONED_NAME = re.compile(r"(python|pypy|perl|ruby|php|lua|node)[\d.]+")
_MODULES = (
    builtins, wrappers, shells, xargs, git_runs, recipes, launchers, embedded, copy_programs, remote, windows,
    editors, streams, decoders, text_filters, stdout, awk,
)  # fmt: skip
"""Modules with programs; for a program in several of them, the last one counts."""


def program_name(path: str) -> str:
    """Return the name of the program at *path* without folder, version or `.exe`; empty if unknown."""
    if UNKNOWN in path:
        return ""
    name = path.rpartition("/")[2].removesuffix(".exe")
    if name.isupper():  # some file systems ignore case: RM is rm there
        name = name.lower()
    match = _VERSIONED_NAME.fullmatch(name) if name[-1:].isdigit() or name.endswith(".") else None
    return match.group(1) if match is not None else name


def find_program(name: str) -> Program | None:
    """Return the model of the program *name*, or None."""
    return _PROGRAMS.get(name)


_PROGRAMS: Mapping[str, Program] = {
    name: program for module in _MODULES for name, program in module.PROGRAMS.items()
}
_NON_FILE_MODULES = (stdout, builtins, wrappers, shells, xargs, git_runs, embedded, awk, windows)
NON_FILE_PROGRAMS = frozenset({"ssh", "mosh"}.union(*(module.PROGRAMS for module in _NON_FILE_MODULES)))
"""Programs that run, set or print their arguments, and do not open them as files."""
