"""The rules of dangerous-command: from a command line to what it would destroy."""

from collections.abc import Iterator

from hookline.bash import Simple, read
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
    rule = _RULES.get(command.name)
    if rule is not None:
        yield from rule(command, command.words[1:], place)
    elif not command.name and len(command.words) > 1:
        # `$SUDO rm -rf /`: what is unknown may well be a wrapper or nothing at all.
        rule = _RULES.get(command.words[1].text)
        if rule is not None:
            yield from rule(command, command.words[2:], place)
