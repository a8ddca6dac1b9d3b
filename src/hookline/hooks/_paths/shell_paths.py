"""Which files of a command line lie where an agent wastes its context."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hookline.hooks._paths import windows
from hookline.hooks._paths.file_operands import BUILDERS, How
from hookline.hooks._paths.scout_rules import Found, Ground, path
from hookline.hooks._paths.shell import Opened, accesses
from hookline.shell import SimpleCommand, Word

_OPENING = frozenset[How]({"read", "list", "copy", "write", "empty", "change"})
_WASTES_NOTHING = "what becomes of it shows nothing of its content"
_BIN = ("node_modules/.bin/", ".venv/bin/", "venv/bin/")


class Looked(NamedTuple):
    """A file of a command line, and what keeps it out, if anything does."""

    word: Word
    found: Found | None
    spared: str = ""
    """Why it is not held against the patterns at all."""


def looked(code: str, shell: str, ground: Ground) -> Iterator[Looked]:
    """Every file that a command line of whichever *shell* names, in order."""
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
    """What is written by the line itself wastes nothing, unless it lands in a folder that is kept out."""
    how, word = one.access.how, one.access.word
    found = path(word.text, ground, cwd=one.cwd, parent=how in ("write", "empty"))
    whole = found is not None and how == "copy" and found.pattern.rstrip("/") == _last(word.text)
    return None if whole else found


def _last(text: str) -> str:
    return text.rstrip("/").rpartition("/")[2]


def _exempt(command: SimpleCommand) -> bool:
    """Build tools, each for its own simple command, and what a project has installed."""
    return command.name in BUILDERS or any(place in command.words[0].text for place in _BIN)
