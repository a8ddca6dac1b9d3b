"""All programs that are understood, by name; one table, put together from the files that know them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.bash import builtins, embedded, feeders, gitruns, printing, shells, wrappers
from hookline.bash.reading import UNKNOWN
from hookline.bash.world import Call, Result, World

Program: TypeAlias = Callable[[World, Call], Result]

_VERSIONED = re.compile(r"(python|pypy|perl|ruby|php|lua|node)[\d.]+")


def program_name(path: str) -> str:
    """The program that *path* names, without folder, version or `.exe`; empty if it is not known."""
    if UNKNOWN in path:
        return ""
    name = path.rpartition("/")[2].removesuffix(".exe")
    found = _VERSIONED.fullmatch(name)
    return found.group(1) if found is not None else name


PROGRAMS: Mapping[str, Program] = {
    **printing.PROGRAMS,
    **builtins.PROGRAMS,
    **wrappers.PROGRAMS,
    **shells.PROGRAMS,
    **feeders.PROGRAMS,
    **embedded.PROGRAMS,
    **gitruns.PROGRAMS,
}
