"""A shell command line becomes the simple commands it would run, as far as the line alone tells.

Pure and total: nothing is run or looked up, and no text makes it raise, hang or take more than linear time.
"""

from collections.abc import Mapping

from hookline.bash.follow import follow
from hookline.bash.grammar import parse
from hookline.bash.reading import UNKNOWN, Problem, Reading, Redirect, Simple, Word
from hookline.bash.world import World, trouble

__all__ = ["MAX_LINE", "UNKNOWN", "Problem", "Reading", "Redirect", "Simple", "Word", "read"]

MAX_LINE = 131_072
"""Characters of a line that is read at all: more than that Linux lets no program pass as one argument."""
_WORK = 50_000
_WORK_PER_CHARACTER = 10
"""Units of work for a line: a fixed amount for loops and wrappers, and what reading it takes."""
_NOTHING: Mapping[str, str] = {}


def read(line: str, *, cwd: str = "", home: str = "", variables: Mapping[str, str] = _NOTHING) -> Reading:
    """The simple commands that *line* would run in *cwd*, and the stretches of it that could not be read."""
    if len(line) > MAX_LINE:
        return Reading(
            commands=(), problems=(Problem(reason="too long to read", text=line, span=(0, len(line))),)
        )
    text = line.replace(UNKNOWN, "\ufffd")
    steps, failures = parse(text)
    world = World(text, home or "~", _WORK + _WORK_PER_CHARACTER * len(text), follow)
    world.known |= {name: (value,) for name, value in {**_given(cwd, home), **variables}.items()}
    for failure in failures:
        trouble(world, failure.reason, failure.text, failure.span)
    follow(world, steps, "")
    return Reading(commands=tuple(world.commands), problems=tuple(world.problems))


def _given(cwd: str, home: str) -> dict[str, str]:
    """Variables that every shell has; the shell itself is taken to be bash."""
    folder = {"PWD": cwd} if cwd else {}
    shells = dict.fromkeys(("0", "BASH", "SHELL"), "/bin/bash")
    return {"IFS": " \t\n", "HOME": home or "~", **shells, **folder}
