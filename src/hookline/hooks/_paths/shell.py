"""What a command line opens on this machine: each access with its command, files of compounds among them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from hookline.hooks._paths.file_operands import Access, How
from hookline.hooks._paths.opened_files import opened
from hookline.shell import Reading, SimpleCommand, Word, read
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
"""Where a compound ends and a redirect begins; not each such place is one."""
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "eval"})
_DEEPEST = 50
_REMEMBERED = 8
"""Lines at hand, as readings are: two guards of one call ask for the same."""
MOST = 1_000
"""Accesses of one line that are looked at: beyond that, somebody tests us."""


class Opened(NamedTuple):
    """One access, and which command of the reading makes it; -1 for a redirect around several."""

    access: Access
    place: int
    cwd: str | None


@lru_cache(maxsize=_REMEMBERED)
def accesses(line: str, cwd: str, home: str) -> tuple[Reading, tuple[Opened, ...]]:
    """What *line* would run, and every file that it opens here, in order, at most `MOST`."""
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
    """Whether something may be redirected as a whole."""
    return ("<" in text or ">" in text) and _AROUND.search(text) is not None


def elsewhere(command: SimpleCommand, host: str) -> bool:
    """Whether a command runs on another machine, or in a box of its own."""
    return ("ssh" in command.via and not _HERE.fullmatch(host)) or any(
        _BOX.fullmatch(one) for one in command.via
    )


def _host(command: SimpleCommand) -> str:
    operands = parse_options(command.words[1:], _SSH_VALUES).operands
    return operands[0].text if operands else ""


def _around(line: str) -> Iterator[Access]:
    """Redirects of loops, groups and branches, which belong to no simple command, where they are plain."""
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
    """What a word says that nothing can expand; None for others."""
    texts = [
        part if isinstance(part, str) else part.text if isinstance(part, Quoted) else _static_inside(part)
        for part in parts
    ]
    return "".join(text for text in texts if text is not None) if None not in texts else None


def _static_inside(part: Part) -> str | None:
    return _static(part.parts) if isinstance(part, Double) else None
