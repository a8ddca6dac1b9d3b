"""Ignored files in a command line, which waste an agent's context."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hookline.hooks._paths import windows
from hookline.hooks._paths.file_operands import BUILDERS, How
from hookline.hooks._paths.scout_rules import Found, Ground, path
from hookline.hooks._paths.shell import Opened, accesses
from hookline.shell import SimpleCommand, Word

_OPENING = frozenset[How]({"read", "list", "copy", "write", "empty", "change"})
_WASTES_NOTHING = "the command does not print its content"
_BIN = ("node_modules/.bin/", ".venv/bin/", "venv/bin/")


class Looked(NamedTuple):
    """A file of a command line, and the pattern that excludes it, if any."""

    word: Word
    found: Found | None
    spared: str = ""
    """The reason why it is not compared with the patterns."""


def looked(code: str, shell: str, ground: Ground) -> Iterator[Looked]:
    """Yield every file that a command line of any *shell* names, in order."""
    if shell != "shell":
        words = windows.opened(code, shell, known=True)
        yield from (Looked(word, _at(path(word.text, ground), word)) for word in words)
        return
    reading, found = accesses(code, ground.cwd, ground.home)
    for one in found:
        command, word = reading.commands[one.place] if one.place >= 0 else None, one.access.word
        spared = "" if one.access.how in _OPENING else _WASTES_NOTHING
        if not spared and command is not None and _exempt(command):
            spared = "a build tool opens it"
        yield Looked(word, None if spared else _at(_operand(one, ground), word), spared)


def _at(found: Found | None, word: Word) -> Found | None:
    return None if found is None else found._replace(span=word.span)


def _operand(one: Opened, ground: Ground) -> Found | None:
    """Return the pattern that excludes an operand; for a file to write, that of its folder.

    Copying a whole excluded folder is allowed.
    """
    how, word = one.access.how, one.access.word
    found = path(word.text, ground, cwd=one.cwd, parent=how in ("write", "empty"))
    whole = found is not None and how == "copy" and found.pattern.rstrip("/") == _last(word.text)
    return None if whole else found


def _last(text: str) -> str:
    return text.rstrip("/").rpartition("/")[2]


def _exempt(command: SimpleCommand) -> bool:
    """Return whether the command is a build tool, or a program that the project has installed."""
    return command.name in BUILDERS or any(place in command.words[0].text for place in _BIN)
