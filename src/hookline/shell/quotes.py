"""Read text in quotes, escapes and backticks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.source import MAX_FAILURES, Source, Unparsed, apart, deeper, fail, inside, spend
from hookline.shell.syntax import Code, Part, Quoted, Steps

Reader: TypeAlias = Callable[[Source, list[Part]], None]
_BACKTICK = re.compile(r"((?:[^`\\]|\\.)*)`", re.DOTALL)
_BACKTICK_ESCAPE = re.compile(r"\\([\\`$])")
_BACKTICK_ESCAPE_QUOTED = re.compile(r'\\([\\`$"])')


def read(src: Source, parts: list[Part], run: re.Pattern[str], readers: Mapping[str, Reader]) -> None:
    """Read parts into *parts* until a character that no reader knows, or the end."""
    while src.pos < src.end:
        found = run.match(src.text, src.pos, src.end)
        if found is not None:
            literal(parts, found.group())
            src.pos = found.end()
            continue
        reader = readers.get(src.text[src.pos])
        if reader is None:
            return
        before = src.pos
        reader(src, parts)
        if src.pos == before:
            return


def literal(parts: list[Part], text: str) -> None:
    last = parts[-1] if parts else None
    if isinstance(last, str):
        parts[-1] = last + text
    else:
        parts.append(text)


def single(src: Source, parts: list[Part]) -> None:
    close = src.text.find("'", src.pos + 1, src.end)
    if close < 0:
        raise Unparsed("a ' is never closed")
    parts.append(Quoted(src.text[src.pos + 1 : close]))
    src.pos = close + 1


def escaped(src: Source, parts: list[Part]) -> None:
    following = src.text[src.pos + 1 : min(src.pos + 2, src.end)]
    src.pos = min(src.pos + 2, src.end)
    if following != "\n":
        parts.append(Quoted(following or "\\"))


def escape_in_double(src: Source, parts: list[Part]) -> None:
    following = src.text[src.pos + 1 : min(src.pos + 2, src.end)]
    src.pos = min(src.pos + 2, src.end)
    if following != "\n":
        literal(parts, following if following and following in '$`"\\' else "\\" + following)


def escape_in_heredoc(src: Source, parts: list[Part]) -> None:
    following = src.text[src.pos + 1 : min(src.pos + 2, src.end)]
    src.pos = min(src.pos + 2, src.end)
    if following != "\n":
        literal(parts, following if following and following in "$`\\" else "\\" + following)


def escape_in_braces(src: Source, parts: list[Part]) -> None:
    if src.text.startswith("\\}", src.pos, src.end):
        literal(parts, "}")
        src.pos += 2
    else:
        escape_in_double(src, parts)


def backtick(src: Source, parts: list[Part]) -> None:
    _backtick(src, parts, _BACKTICK_ESCAPE)


def backtick_in_double(src: Source, parts: list[Part]) -> None:
    _backtick(src, parts, _BACKTICK_ESCAPE_QUOTED)


def _backtick(src: Source, parts: list[Part], escape: re.Pattern[str]) -> None:
    found = _BACKTICK.match(src.text, src.pos + 1, src.end)
    if found is None:
        raise Unparsed("a ` is never closed")
    span = found.span(1)
    spend(src, span[1] - span[0])
    code = found.group(1)
    within = apart(src, escape.sub(r"\1", code), span) if "\\" in code else inside(src, *span)
    parts.append(Code(_whole(within, within.pos), "`"))
    src.pos = found.end()


def _whole(src: Source, start: int) -> Steps:
    """All of *src* as commands; a shell reads backticks late, so what is around them holds all the same."""
    try:
        deeper(src)
        body = src.grammar(src, frozenset())
        if src.pos == src.end:
            return body
        reason = f"unexpected {src.text[src.pos]!r}"
    except Unparsed as why:
        reason = str(why)
    if len(src.failures) >= MAX_FAILURES:
        raise Unparsed(reason)
    src.pos = src.end
    fail(src, reason, start)
    return Steps(())
