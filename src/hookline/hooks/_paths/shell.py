"""Files that a command line opens on this machine, each with its command, and with compound redirections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from hookline.hooks._paths.file_operands import Access, How
from hookline.hooks._paths.opened_files import opened
from hookline.shell import MAX_LINE, Reading, SimpleCommand, Word, read
from hookline.shell.grammar import parse
from hookline.shell.options import parse_options
from hookline.shell.syntax import (
    Code,
    Command,
    Compound,
    Double,
    Function,
    Node,
    Part,
    Pipe,
    Quoted,
    Redirection,
    Steps,
)

_BOX = re.compile(r"(?:docker|podman|nerdctl|docker-compose|kubectl|oc|k3s) exec")
_HERE = re.compile(r"(?:[^@]*@)?(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)")
_SSH_VALUES = tuple(f"-{letter}" for letter in "BbcDEeFIiJLlmOopQRSWw")
_OPS: Mapping[str, How] = {
    "<": "read",
    "<>": "read",
    ">": "write",
    ">>": "write",
    ">|": "write",
    "&>": "write",
}
_AROUND = re.compile(r"(?:\b(?:done|fi|esac)|[})\]])\s*(?:\d+|\{\w+\})?&?[<>]")
"""Possible end of a compound command followed by a redirection; may match other text."""
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "eval"})
_DEEPEST = 50
_REMEMBERED = 8
"""Number of lines in the cache; two guards of the same call ask for the same line."""
MOST = 1_000
"""Maximum number of accesses of one line; more are a sign of an attack."""


class Opened(NamedTuple):
    """An access and the number of its command, or -1 for a redirection of a compound command."""

    access: Access
    place: int
    cwd: str | None


def accesses(line: str, cwd: str, home: str) -> tuple[Reading, tuple[Opened, ...]]:
    """Return the reading of *line*, and every file that it opens here, in order, at most `MOST`."""
    return (read(line), ()) if len(line) > MAX_LINE else _read_accesses(line, cwd, home)


@lru_cache(maxsize=_REMEMBERED)
def _read_accesses(line: str, cwd: str, home: str) -> tuple[Reading, tuple[Opened, ...]]:
    reading = read(line, cwd=cwd, home=home)
    return reading, tuple(islice(_accesses(line, reading), MOST))


def _accesses(line: str, reading: Reading) -> Iterator[Opened]:
    host = ""
    for place, command in enumerate(reading.commands):
        if command.name in _SHELLS:
            texts = (word.text for word in command.words[1:] if _encloses(word.text))
            yield from (Opened(one, place, command.cwd) for text in texts for one in _around(text))
        if command.name in ("ssh", "mosh", "autossh"):
            host = _host(command)
        if not command.via or not elsewhere(command, host):
            yield from (Opened(one, place, command.cwd) for one in opened(command))
    if _encloses(line):
        yield from (Opened(one, -1, None) for one in _around(line))


def _encloses(text: str) -> bool:
    """Return whether *text* may redirect a compound command."""
    return ("<" in text or ">" in text) and _AROUND.search(text) is not None


def elsewhere(command: SimpleCommand, host: str) -> bool:
    """Return whether a command runs on another machine, or in a container."""
    return ("ssh" in command.via and not _HERE.fullmatch(host)) or any(
        _BOX.fullmatch(one) for one in command.via
    )


def _host(command: SimpleCommand) -> str:
    operands = parse_options(command.words[1:], _SSH_VALUES).operands
    return operands[0].text if operands else ""


def _around(line: str) -> Iterator[Access]:
    """Yield the literal redirection targets of loops, groups and branches."""
    steps, _ = parse(line)
    waiting: list[tuple[Node, int]] = [(step.node, 0) for step in steps.items]
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, Compound):
            for one in node.redirections:
                yield from _plain(one)
        if depth < _DEEPEST:
            waiting += ((inner, depth + 1) for inner in _inside(node))


def _inside(node: Node) -> Iterator[Node]:
    bodies: tuple[Steps, ...] = ()
    if isinstance(node, Pipe):
        yield from node.stages
    elif isinstance(node, Function):
        yield node.body
    elif isinstance(node, Compound):
        bodies = node.bodies
    elif isinstance(node, Command):
        bodies = tuple(
            part.body for term in node.words for part in _parts(term.parts) if isinstance(part, Code)
        )
    yield from (step.node for body in bodies for step in body.items)


def _parts(parts: tuple[object, ...]) -> Iterator[object]:
    for part in parts:
        yield part
        if isinstance(part, Double):
            yield from part.parts


def _plain(one: Redirection) -> Iterator[Access]:
    text = _static(one.target.parts)
    if one.body is None and text is not None and one.op in _OPS:
        yield Access(Word(text=text, span=one.target.span), _OPS[one.op])


def _static(parts: tuple[Part, ...]) -> str | None:
    """Return the text of a word without expansions, or None."""
    texts = [
        part if isinstance(part, str) else part.text if isinstance(part, Quoted) else _static_inside(part)
        for part in parts
    ]
    return "".join(text for text in texts if text is not None) if None not in texts else None


def _static_inside(part: Part) -> str | None:
    return _static(part.parts) if isinstance(part, Double) else None
