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
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from hookline.shell.evaluate import evaluate_steps
from hookline.shell.grammar import parse
from hookline.shell.result import TOO_LONG, UNKNOWN, Problem, Reading, Redirect, SimpleCommand, Word
from hookline.shell.run_program import evaluate_inner
from hookline.shell.shell_state import MAX_COMMANDS, ShellState, add_problem
from hookline.shell.source import MAX_LINE
from hookline.shell.windows import parse_windows_code
from hookline.shell.wrappers import declare_runner

__all__ = ["MAX_LINE", "UNKNOWN", "Problem", "Reading", "Redirect", "SimpleCommand", "Word", "read"]

_BASE_WORK = 50_000
_WORK_PER_CHARACTER = 10
"""Units of work for a line: a fixed amount for loops and wrappers, and the cost of parsing it."""
_CACHE_SIZE = 8
"""Number of cached readings; the guards of one call each read the same line."""
_MARK_CHARACTERS = re.compile("[\0\U000f0000-\U000ffffd]")
_EMPTY: Mapping[str, str] = {}


def read(
    line: str,
    *,
    cwd: str = "",
    home: str = "",
    variables: Mapping[str, str] = _EMPTY,
    runners: Mapping[str, str] = _EMPTY,
    shell: Literal["bash", "powershell", "cmd"] = "bash",
) -> Reading:
    """Return the simple commands that *line* would run in *cwd*, and the parts that could not be parsed.

    *variables* are shell variables with known values. *runners* are further programs that run their
    arguments, such as `rtk`, or `just run` for a subcommand, each with its options that take a value.
    *shell* is the language of the line.
    """
    if len(line) > MAX_LINE:
        problem = Problem(reason=TOO_LONG, text=line, span=(0, len(line)))
        return Reading(commands=(), problems=(problem,))
    return _read(line, cwd, home, tuple(variables.items()), tuple(runners.items()), shell)


@lru_cache(maxsize=_CACHE_SIZE)
def _read(
    line: str,
    cwd: str,
    home: str,
    variables: tuple[tuple[str, str], ...],
    runners: tuple[tuple[str, str], ...],
    shell: Literal["bash", "powershell", "cmd"],
) -> Reading:
    text = line if line.isascii() and UNKNOWN not in line else _MARK_CHARACTERS.sub("\ufffd", line)
    state = ShellState(
        line=text,
        home=home or "~",
        work_left=_BASE_WORK + _WORK_PER_CHARACTER * len(text),
        commands_left=[MAX_COMMANDS],
        evaluate=evaluate_steps,
    )
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
    return Reading(
        commands=tuple(state.commands), problems=tuple(state.problems), fork_bombs=tuple(state.fork_bombs)
    )


def _evaluate_bash(state: ShellState) -> None:
    steps, failures = parse(state.line, commands_left=state.commands_left)
    for failure in failures:
        add_problem(state, failure.reason, failure.text, failure.span)
    evaluate_steps(state, steps, "")


def _initial_variables(cwd: str, home: str) -> dict[str, str]:
    """Return variables with the same value on nearly all systems; the shell is assumed to be bash."""
    folder = {"PWD": cwd} if cwd else {}
    name = posixpath.basename(home)
    user = {"USER": name, "LOGNAME": name} if name else {}
    return {**_SHELL_VARIABLES, "HOME": home or "~", **user, **folder}


_SHELL_VARIABLES = {
    "IFS": " \t\n",
    **dict.fromkeys(("0", "BASH", "SHELL"), "/bin/bash"),
    **dict.fromkeys(("TMPDIR", "TMP", "TEMP"), "/tmp"),  # noqa: S108 -- nothing is written there
}
