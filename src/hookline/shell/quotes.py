"""Quotes and escapes: those inside words, and the backslash escapes of `$'…'`, `echo -e` and `printf`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from hookline.lazy import re
from hookline.shell.source import (
    MAX_FAILURES,
    ParseError,
    Source,
    add_failure,
    detach_source,
    enter_nesting,
    narrow_source,
    spend_rescan,
    spend_work,
)
from hookline.shell.syntax import Code, Part, Quoted, Steps

Reader: TypeAlias = Callable[[Source, list[Part]], None]
PART_WORK = 3
"""Units of work of an expansion, an escape or a quoted part of a word."""
_BACKTICK = re.compile(r"((?:[^`\\]|\\.)*)`", re.DOTALL)
_BACKTICK_ESCAPE = re.compile(r"\\([\\`$])")
_BACKTICK_ESCAPE_QUOTED = re.compile(r'\\([\\`$"])')


def read_parts(
    src: Source, parts: list[Part], literal_run: re.Pattern[str], readers: Mapping[str, Reader]
) -> None:
    """Append parts to *parts* until a character without a reader, or the end."""
    while src.pos < src.end:
        match = literal_run.match(src.text, src.pos, src.end)
        if match is not None:
            append_literal(parts, match.group())
            src.pos = match.end()
            continue
        reader = readers.get(src.text[src.pos])
        if reader is None:
            return
        before = src.pos
        spend_work(src, PART_WORK)
        reader(src, parts)
        if src.pos == before:
            return


def append_literal(parts: list[Part], text: str) -> None:
    last = parts[-1] if parts else None
    if isinstance(last, str):
        parts[-1] = last + text
    else:
        parts.append(text)


def read_single_quoted(src: Source, parts: list[Part]) -> None:
    close = src.text.find("'", src.pos + 1, src.end)
    if close < 0:
        raise ParseError("unclosed '")
    parts.append(Quoted(src.text[src.pos + 1 : close]))
    src.pos = close + 1


def read_escape(src: Source, parts: list[Part]) -> None:
    next_char = src.text[src.pos + 1 : min(src.pos + 2, src.end)]
    src.pos = min(src.pos + 2, src.end)
    if next_char != "\n":
        parts.append(Quoted(next_char or "\\"))


def read_escape_in_heredoc(src: Source, parts: list[Part], special: str = "$`\\") -> None:
    next_char = src.text[src.pos + 1 : min(src.pos + 2, src.end)]
    src.pos = min(src.pos + 2, src.end)
    if next_char != "\n":
        append_literal(parts, next_char if next_char and next_char in special else "\\" + next_char)


read_escape_in_double = partial(read_escape_in_heredoc, special='$`"\\')


def read_escape_in_braces(src: Source, parts: list[Part]) -> None:
    if src.text.startswith("\\}", src.pos, src.end):
        append_literal(parts, "}")
        src.pos += 2
    else:
        read_escape_in_double(src, parts)


def read_backtick(src: Source, parts: list[Part], escape: re.Pattern[str] = _BACKTICK_ESCAPE) -> None:
    match = _BACKTICK.match(src.text, src.pos + 1, src.end)
    if match is None:
        raise ParseError("unclosed `")
    span = match.span(1)
    spend_rescan(src, span[1] - span[0])
    code = match.group(1)
    inner = detach_source(src, escape.sub(r"\1", code), span) if "\\" in code else narrow_source(src, *span)
    parts.append(Code(_read_all_steps(inner, inner.pos), "`"))
    src.pos = match.end()


read_backtick_in_double = partial(read_backtick, escape=_BACKTICK_ESCAPE_QUOTED)


def _read_all_steps(src: Source, start: int) -> Steps:
    """Return all of *src* as commands; a failure is recorded only, because a shell parses backticks late."""
    try:
        enter_nesting(src)
        body = src.read_steps(src, frozenset())
        if src.pos == src.end:
            return body
        failure = ParseError(f"unexpected {src.text[src.pos]!r}")
    except ParseError as error:
        failure = error
    if len(src.failures) >= MAX_FAILURES:
        raise failure
    src.pos = src.end
    add_failure(src, failure, start)
    return Steps(())


_NAMED = dict(zip("abeEfnrtv\\'\"?", "\a\b\x1b\x1b\f\n\r\t\v\\'\"?", strict=True))
_ESCAPE = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(.))",
    re.DOTALL,
)
_ECHO_OCTAL = re.compile(r"\\0([0-7]{1,3})")
_MAX_CODE_POINT = 0x10FFFF


def decode_ansi(text: str) -> str:
    """Return the value of `$'text'`; a NUL ends it, as in bash."""
    return _ESCAPE.sub(_decode, text).partition("\0")[0] if "\\" in text else text


def decode_printf(text: str) -> str:
    """Return the output of `printf` for the format *text*, with percent signs unchanged.

    A NUL only separates items for `xargs -0`; it becomes a newline, where the items are split later.
    """
    return _ESCAPE.sub(_decode, text).replace("\0", "\n") if "\\" in text else text


def decode_echo(text: str) -> str:
    """Return the output of `echo -e` and `printf %b` for *text*."""
    return decode_printf(_ECHO_OCTAL.sub(r"\\\1", text)).partition("\\c")[0] if "\\" in text else text


def _decode(match: re.Match[str]) -> str:
    named, octal, short, four, eight, control = match.groups()
    if named is not None:
        return _NAMED[named]
    if control is not None:
        return chr(ord(control[0].upper()) & 0x1F)
    if octal is not None:
        return chr(int(octal, 8) & 0xFF)
    code = int(short or four or eight, 16)
    return chr(code) if code <= _MAX_CODE_POINT else ""
