"""Private keys, from their first line to their last: PEM, OpenPGP, PuTTY; also cut short, quoted or escaped.

A key is many lines, or many strings of a list: each loses what is of the key, and the rest stays in place.
"""

import re
from collections.abc import Iterator
from functools import cache

from hookline.redact._text_views import Span

KIND = "private-key"
LONGEST = 64 * 1024
"""Characters of the longest key that is looked for as a whole."""

_FULL = 40
"""Characters of a whole line of a key."""


def keys(text: str, *, inside: bool = False) -> list[Span]:
    """What is of private keys in *text*; *inside*, the text begins in the middle of one."""
    spans: list[Span] = []
    if inside or "PRIVATE KEY" in text:
        marks = list(_mark().finditer(text))
        done = 0
        if marks and not inside:
            spans += _tail(text, marks[0])
        for start, body, number in _begun(text, marks, inside=inside):
            if body >= done:
                done = _end(text, body, marks[number] if number < len(marks) else None)
                spans += _pieces(text, start, done, more=start == body)
    return spans + list(_putty(text)) if "Private-Lines" in text else spans


def unfinished(text: str, *, inside: bool = False) -> bool:
    """Whether *text* ends in the middle of a key, or where one may begin."""
    marks = list(_mark().finditer(text)) if "PRIVATE KEY" in text else []
    if not marks:
        return inside and _body_end(text, 0, len(text)) == len(text)
    begun = marks[-1].end()
    named = any(map(str.isalnum, text[begun:])) and not _body().match(text, begun)
    return marks[-1][1] == "BEGIN" and not named and _body_end(text, begun, len(text)) == len(text)


def _begun(text: str, marks: list[re.Match[str]], *, inside: bool) -> Iterator[tuple[int, int, int]]:
    """Where a key begins, where its body does, and which mark comes next."""
    if inside:
        yield 0, 0, 0
    for number, mark in enumerate(marks, 1):
        if mark[1] == "BEGIN" and _body().match(text, mark.end()):
            yield mark.start() - (text[mark.start() - 1 : mark.start()] == "-"), mark.end(), number


def _end(text: str, body: int, following: re.Match[str] | None) -> int:
    """Behind the key's last line, or where no more of it comes."""
    most = following.start() if following else len(text)
    broken = _broken().search(text, body, min(most, body + LONGEST))
    if following and following[1] == "END" and not broken and following.end() - body <= LONGEST:
        return following.end()
    return _body_end(text, body, broken.start() if broken else most)


def _body_end(text: str, start: int, most: int) -> int:
    """Where lines end that a key is made of; a short one only as the last, and none behind an empty one."""
    end, full = start, start == 0
    for piece in _piece().finditer(text, start, most):
        if full and text.count("\n", end, piece.start()) > 1:
            return end
        matter = _matter().search(piece[0])
        short = full and text[piece.start() - 1] == "\n" and _last_line().fullmatch(piece[0])
        if matter or short:
            end, full = piece.end(), matter is not None and ":" not in matter[0]
        elif any(map(str.isalnum, piece[0])):
            return end
    ended = text[end:most].strip() or (full and text.count("\n", end, most) > 1)
    return end if ended else most


def _tail(text: str, mark: re.Match[str]) -> Iterator[Span]:
    """The lines before the last one of a key whose first one is missing."""
    least = max(0, mark.start() - LONGEST)
    if mark[1] != "END":
        return
    pieces = list(_line().finditer(text, least, mark.start()))
    if pieces and not pieces[-1][1].strip("- \t"):
        pieces.pop()
    lines: list[tuple[int, int]] = []
    for piece in reversed(pieces):
        found = _tail_line().search(text, max(piece.start(1), piece.end() - 200), piece.end())
        if found is None or (lines and len(found[1]) < _FULL):
            break
        lines.append(found.span(1))
    if any(end - start >= _FULL for start, end in lines):
        yield from (Span(*one, KIND, more=number > 0) for number, one in enumerate(reversed(lines)))


def _pieces(text: str, start: int, end: int, *, more: bool) -> Iterator[Span]:
    for piece in _piece().finditer(text, start, end):
        found = _own().search(piece[0])
        if found:
            # A backslash at the end belongs to the quote behind it.
            ends = piece.start() + len(piece[0].rstrip("\\"))
            yield Span(piece.start() + found.start(), ends, KIND, more=more)
            more = True


def _putty(text: str) -> Iterator[Span]:
    for found in _putty_lines().finditer(text):
        for number, piece in enumerate(_piece().finditer(text, *found.span(1))):
            yield Span(*piece.span(), KIND, more=number > 0)


@cache
def _mark() -> re.Pattern[str]:
    return re.compile(r"---- ?(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")


@cache
def _line() -> re.Pattern[str]:
    """A line, also where its end is escaped."""
    return re.compile(r"(?:\\+[rn]|[\r\n])*+((?:[^\r\n\\]|\\(?![rn\\]))+)")


@cache
def _tail_line() -> re.Pattern[str]:
    return re.compile(r"([A-Za-z0-9+/]{1,200}={0,3})[ \t]{0,20}\Z")


@cache
def _body() -> re.Pattern[str]:
    # What a key is made of: code that only names the marks is left alone.
    named = r"""\n[^\s:"']{1,200}[:-][0-9]{1,6}[:-]"""  # as grep shows a line
    between = rf"""(?:\\+[nr]|{named}|[\s"'`+>|,;:()\\-]|[0-9]{{1,6}}[:\t|→ -]){{0,200}}+"""
    return re.compile(rf"{between}(?:[A-Za-z0-9+/]{{16}}|[A-Z][A-Za-z-]{{2,20}}: )")


@cache
def _piece() -> re.Pattern[str]:
    """A line, or a string of a quoted list of them."""
    return re.compile(r"""[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029"'`]+""")


@cache
def _broken() -> re.Pattern[str]:
    """Where the string ends in which the key is, and not another line of it begins."""
    return re.compile(r"""["'`][\s\\]{0,200}[]:={}[]""")


@cache
def _matter() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9+/]{24}|^\W*(?:Proc-Type|DEK-Info|Version|Comment|Hash): ")


@cache
def _last_line() -> re.Pattern[str]:
    return re.compile(r"[ \t]*[A-Za-z0-9+/]{1,76}={0,3}[ \t]*")


@cache
def _own() -> re.Pattern[str]:
    """What of a line is the key's: not a number, a file's name or the sign of a diff before it."""
    whole = r"-{4,5} ?(?:BEGIN|END) .*|[A-Za-z0-9/][A-Za-z0-9+/]{15}.*|[A-Z][A-Za-z-]{2,20}: .*"
    return re.compile(rf"{whole}|=?[A-Za-z0-9/][A-Za-z0-9+/]*={{0,3}}\\*\s*\Z", re.DOTALL)


@cache
def _putty_lines() -> re.Pattern[str]:
    gap = r"(?:\s|\\+[rn]){1,8}"
    return re.compile(rf"Private-Lines: \d{{1,4}}{gap}((?:[A-Za-z0-9+/]{{1,80}}={{0,2}}{gap}){{1,400}})")
