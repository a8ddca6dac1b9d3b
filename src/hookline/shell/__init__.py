"""Static analysis of shell command lines: find the simple commands that a line would run.

Public function: `read`, which returns a `Reading` with the `SimpleCommand`s of the line, including those
inside wrappers, substitutions and scripts, and a `Problem` for each part that could not be parsed.

    >>> from hookline.shell import read
    >>> [command.name for command in read("sudo sh -c 'cd /srv && rm -rf build'").commands]
    ['sudo', 'sh', 'cd', 'rm']

The analysis is pure and total: it runs nothing and reads no files, and no text makes it raise, hang or take
more than linear time. Text that is known only at run time is `UNKNOWN`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from hookline.lazy import re
from hookline.shell.effects import MAX_EFFECTS, declare_programs, find_effects
from hookline.shell.evaluate import evaluate_steps
from hookline.shell.result import (
    NO_FACTS,
    TOO_LONG,
    UNKNOWN,
    Action,
    Effect,
    Facts,
    Problem,
    Reading,
    Redirect,
    SimpleCommand,
    Word,
)
from hookline.shell.run_program import evaluate_inner, parse_code, run_traps
from hookline.shell.shell_state import ShellState
from hookline.shell.source import MAX_LINE, MAX_WORK
from hookline.shell.windows import parse_windows_code
from hookline.shell.wrappers import declare_runner

__all__ = [
    "MAX_EFFECTS",
    "MAX_LINE",
    "NO_FACTS",
    "UNKNOWN",
    "Action",
    "Effect",
    "Facts",
    "Problem",
    "Reading",
    "Redirect",
    "SimpleCommand",
    "Word",
    "read",
]

_CACHE_SIZE = 8
"""Number of cached readings; the guards of one call each read the same line."""
_MARK_CHARACTERS = re.compile("[\0\U000f0000-\U000ffffd]")
_EMPTY: Mapping[str, str] = {}
_NO_PROGRAMS: Mapping[str, Action] = {}


def read(
    line: str,
    *,
    cwd: str = "",
    home: str = "",
    variables: Mapping[str, str] = _EMPTY,
    runners: Mapping[str, str] = _EMPTY,
    programs: Mapping[str, Action] = _NO_PROGRAMS,
    shell: Literal["bash", "powershell", "cmd"] = "bash",
    facts: Facts = NO_FACTS,
) -> Reading:
    """Return the simple commands that *line* would run in *cwd*, and the parts that could not be parsed.

    *variables* are shell variables with known values. *runners* are further programs that run their
    arguments, such as `rtk`, or `just run` for a subcommand, each with its options that take a value.
    *programs* are further programs with the action on their operands. *shell* is the language of the line.
    *facts* look up scripts and git settings outside of it; readings with the same functions are cached, so
    pass new ones for each event.
    """
    if len(line) > MAX_LINE:
        problem = Problem(reason=TOO_LONG, text=line, span=(0, len(line)))
        return Reading(commands=(), problems=(problem,))
    tables = (tuple(variables.items()), tuple(runners.items()), tuple(programs.items()))
    values = (line, cwd, home, *tables, shell)
    reading, wants_facts = _read(*values, NO_FACTS)
    return _read(*values, facts)[0] if wants_facts and facts is not NO_FACTS else reading


@lru_cache(maxsize=_CACHE_SIZE)
def _read(
    line: str,
    cwd: str,
    home: str,
    variables: tuple[tuple[str, str], ...],
    runners: tuple[tuple[str, str], ...],
    programs: tuple[tuple[str, Action], ...],
    shell: Literal["bash", "powershell", "cmd"],
    facts: Facts,
) -> tuple[Reading, bool]:
    text = line if line.isascii() and UNKNOWN not in line else _MARK_CHARACTERS.sub("\ufffd", line)
    state = ShellState(line=text, home=home or "~", work_left=MAX_WORK, evaluate=evaluate_steps, facts=facts)
    state.variables |= {
        name: (value,) for name, value in {**_initial_variables(cwd, home), **dict(variables)}.items()
    }
    if runners:
        runner_options = dict(runners)
        state.runners = {
            name: declare_runner(name, runner_options)
            for name in {key.split()[0] for key in runner_options if key.strip()}
        }
    if shell == "bash":
        _evaluate_bash(state)
    else:
        for command in parse_windows_code(state, text, shell, shell, None):
            evaluate_inner(state, command)
    reading = Reading(
        commands=tuple(state.commands),
        problems=tuple(state.problems),
        effects=find_effects(state, declare_programs(dict(programs))),
        fork_bombs=tuple(state.fork_bombs),
    )
    return reading, state.wants_facts


def _evaluate_bash(state: ShellState) -> None:
    evaluate_steps(state, parse_code(state, state.line), "")
    run_traps(state)


def _initial_variables(cwd: str, home: str) -> dict[str, str]:
    """Return variables with the same value on nearly all systems; the shell is assumed to be bash."""
    folder = {"PWD": cwd} if cwd else {}
    name = posixpath.basename(home)
    user = {"USER": name, "LOGNAME": name} if name else {}
    return {**_SHELL_VARIABLES, "HOME": home or "~", **user, **folder}


_SHELL_VARIABLES = {
    "IFS": " \t\n",
    **dict.fromkeys(("0", "BASH", "SHELL"), "/bin/bash"),
    **dict.fromkeys(("TMPDIR", "TMP", "TEMP"), "/tmp"),
}
