"""The rules of dangerous-command: from a command line to what it would destroy."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from hookline.bash import UNKNOWN, Simple, read
from hookline.hooks._dangerous.finding import Finding, Place
from hookline.hooks._dangerous.git import git
from hookline.hooks._dangerous.rm import rm
from hookline.hooks._dangerous.unread import unread

__all__ = ["Finding", "Place", "findings"]

_RULES = {"git": git, "rm": rm, "grm": rm}


def findings(line: str, place: Place) -> tuple[Finding, ...]:
    """Everything in *line* that a rule speaks about, in the order it would run."""
    reading = read(line, cwd=place.cwd, home=place.home)
    judged = tuple(finding for command in reading.commands for finding in _judged(command, place))
    return tuple(dict.fromkeys(judged)) + tuple(unread(reading.problems))


def _judged(command: Simple, place: Place) -> Iterator[Finding]:
    for skipped, name in _names(command):
        rule = _RULES.get(name)
        if rule is not None:
            yield from rule(command, command.words[skipped:], place)
            return


def _names(command: Simple) -> Iterator[tuple[int, str]]:
    """Programs that this may be, each with how many words come before its arguments."""
    first = command.words[0]
    yield 1, command.name
    if first.glob:
        yield from (
            (1, name) for name in _RULES if fnmatchcase("/bin/" + name, first.text.removeprefix("/usr"))
        )
    if first.dynamic:
        # `r${x}m` may be rm, and in `$SUDO rm` the unknown may be a wrapper, or nothing at all.
        yield 1, first.text.replace(UNKNOWN, "").rpartition("/")[2]
        yield from ((2, word.text) for word in command.words[1:2])
