"""Read redirections, and the bodies of here-documents when their line has ended."""

from __future__ import annotations

import re

from hookline.shell.source import Source, apart, blanks, inside
from hookline.shell.syntax import Heredoc, Part, Quoted, Redirection
from hookline.shell.words import heredoc, term

_OPERATOR = re.compile(
    r"(\d+|\{[A-Za-z_]\w*\})?(<<<|<<-|<<|<&|<>|<(?!\()|>>|>&|>\||>(?!\())|(&>>|&>)",
    re.ASCII,
)
_QUOTES = re.compile(r"\\(.)|['\"]|\$(?=['\"])", re.DOTALL)


def redirection(src: Source) -> Redirection | None:
    """The redirection at the cursor, or None if there is none."""
    found = _OPERATOR.match(src.text, src.pos, src.end)
    if found is None:
        return None
    src.pos = found.end()
    blanks(src)
    start = src.pos
    target = term(src)
    op, fd = found.group(2) or found.group(3), found.group(1) or ""
    if op not in ("<<", "<<-"):
        return Redirection(op, fd, target)
    return Redirection(op, fd, target, _awaited(src, src.text[start : src.pos], tabs=op == "<<-"))


def _awaited(src: Source, written: str, *, tabs: bool) -> Heredoc:
    delimiter = _QUOTES.sub(lambda found: found.group(1) or "", written)
    literal = delimiter != written
    document = Heredoc()

    def fill(src: Source) -> None:
        start, end = _lines(src, delimiter, tabs=tabs)
        document.parts = _body(src, start, end, literal=literal, tabs=tabs)

    src.pending.append(fill)
    return document


def _lines(src: Source, delimiter: str, *, tabs: bool) -> tuple[int, int]:
    """Step over the body and its closing line; where the body begins and ends."""
    start = src.pos
    while src.pos < src.end:
        at = src.pos
        newline = src.text.find("\n", at, src.end)
        stop = src.end if newline < 0 else newline
        line = src.text[at:stop].lstrip("\t") if tabs else src.text[at:stop]
        src.pos = min(stop + 1, src.end)
        if line in (delimiter, delimiter + "\r"):
            return start, at
        if src.depth and line.startswith(delimiter + ")"):
            src.pos = stop - len(line) + len(delimiter)
            return start, at
    return start, src.end


def _body(src: Source, start: int, end: int, *, literal: bool, tabs: bool) -> tuple[Part, ...]:
    text = src.text[start:end]
    if tabs:
        text = re.sub(r"(?m)^\t+", "", text)
    if literal:
        return (Quoted(text),)
    return heredoc(apart(src, text, (start, end)) if tabs else inside(src, start, end))
