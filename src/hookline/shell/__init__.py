"""A shell command line becomes the simple commands it would run, as far as the line alone tells.

Pure and total: nothing is run or looked up, and no text makes it raise, hang or take more than linear time.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from hookline.shell.evaluate import follow
from hookline.shell.grammar import parse
from hookline.shell.result import UNKNOWN, Problem, Reading, Redirect, Simple, Word
from hookline.shell.run_program import inner
from hookline.shell.shell_state import MAX_COMMANDS, World, trouble
from hookline.shell.windows import inners
from hookline.shell.wrappers import declared

__all__ = ["MAX_LINE", "UNKNOWN", "Problem", "Reading", "Redirect", "Simple", "Word", "read"]

MAX_LINE = 131_072
"""Characters of a line that is read at all: more than that Linux lets no program pass as one argument."""
_WORK = 50_000
_WORK_PER_CHARACTER = 10
"""Units of work for a line: a fixed amount for loops and wrappers, and what reading it takes."""
_REMEMBERED = 8
"""Readings at hand: the guards of one call ask for the same line, each by itself."""
_RESERVED = re.compile("[\0\U000f0000-\U000ffffd]")
_NOTHING: Mapping[str, str] = {}


def read(
    line: str,
    *,
    cwd: str = "",
    home: str = "",
    variables: Mapping[str, str] = _NOTHING,
    runners: Mapping[str, str] = _NOTHING,
    shell: Literal["bash", "powershell", "cmd"] = "bash",
) -> Reading:
    """The simple commands that *line* would run in *cwd*, and the stretches of it that could not be read.

    *runners* are further programs that run their arguments, such as `rtk`, or `just run` for a subcommand,
    each with those of its options that take a value. *shell* is whose language the line is in.
    """
    return _read(line, cwd, home, tuple(variables.items()), tuple(runners.items()), shell)


@lru_cache(maxsize=_REMEMBERED)
def _read(
    line: str,
    cwd: str,
    home: str,
    variables: tuple[tuple[str, str], ...],
    runners: tuple[tuple[str, str], ...],
    shell: Literal["bash", "powershell", "cmd"],
) -> Reading:
    if len(line) > MAX_LINE:
        return Reading(
            commands=(), problems=(Problem(reason="too long to read", text=line, span=(0, len(line))),)
        )
    text = line if line.isascii() and UNKNOWN not in line else _RESERVED.sub("\ufffd", line)
    world = World(
        line=text,
        home=home or "~",
        work=_WORK + _WORK_PER_CHARACTER * len(text),
        left=[MAX_COMMANDS],
        follow=follow,
    )
    world.known |= {name: (value,) for name, value in {**_given(cwd, home), **dict(variables)}.items()}
    if runners:
        known = dict(runners)
        world.runners = {
            name: declared(name, known) for name in {key.split()[0] for key in known if key.strip()}
        }
    if shell == "bash":
        _bash(world)
    else:
        for one in inners(world, text, shell, shell, None):
            inner(world, one)
    return Reading(commands=tuple(world.commands), problems=tuple(world.problems), bombs=tuple(world.bombs))


def _bash(world: World) -> None:
    steps, failures = parse(world.line, left=world.left)
    for failure in failures:
        trouble(world, failure.reason, failure.text, failure.span)
    follow(world, steps, "")


def _given(cwd: str, home: str) -> dict[str, str]:
    """Variables that mean the same nearly everywhere; the shell itself is taken to be bash."""
    folder = {"PWD": cwd} if cwd else {}
    name = posixpath.basename(home)
    user = {"USER": name, "LOGNAME": name} if name else {}
    return {**_SHELL, "HOME": home or "~", **user, **folder}


_SHELL = {
    "IFS": " \t\n",
    **dict.fromkeys(("0", "BASH", "SHELL"), "/bin/bash"),
    **dict.fromkeys(("TMPDIR", "TMP", "TEMP"), "/tmp"),  # noqa: S108 -- nothing is written there
}
