"""Private keys from first to last line: PEM, OpenPGP and PuTTY, also if truncated, quoted or escaped.

A key spans many lines, or many strings of a list. Only the key's part of each is redacted.
"""

import re
from collections.abc import Iterator
from functools import cache

from hookline.redact._text_views import Span

KIND = "private-key"
MAX_KEY = 64 * 1024
"""Maximum characters of a key."""

_FULL_LINE = 40
"""Minimum characters of a full line of a key."""


def find_keys(text: str, *, inside: bool = False) -> list[Span]:
    """Return the parts of private keys in *text*; *inside* means that it begins in the middle of a key."""
    spans: list[Span] = []
    if inside or "PRIVATE KEY" in text:
        boundaries = list(_boundary_pattern().finditer(text))
        end = 0
        if boundaries and not inside:
            spans += _find_tail(text, boundaries[0])
        for start, body, next_index in _find_starts(text, boundaries, inside=inside):
            if body >= end:
                end = _find_end(text, body, boundaries[next_index] if next_index < len(boundaries) else None)
                spans += _split_key(text, start, end, continued=start == body)
    return spans + list(_find_putty_keys(text)) if "Private-Lines" in text else spans


def ends_inside_key(text: str, *, inside: bool = False) -> bool:
    """Return whether *text* ends in the middle of a key, or where one may begin."""
    boundaries = list(_boundary_pattern().finditer(text)) if "PRIVATE KEY" in text else []
    if not boundaries:
        return inside and _find_body_end(text, 0, len(text)) == len(text)
    body = boundaries[-1].end()
    other_text = any(map(str.isalnum, text[body:])) and not _body_pattern().match(text, body)
    return (
        boundaries[-1][1] == "BEGIN" and not other_text and _find_body_end(text, body, len(text)) == len(text)
    )


def _find_starts(
    text: str, boundaries: list[re.Match[str]], *, inside: bool
) -> Iterator[tuple[int, int, int]]:
    """Yield the start of each key, the start of its body, and the index of the next boundary."""
    if inside:
        yield 0, 0, 0
    for next_index, boundary in enumerate(boundaries, 1):
        if boundary[1] == "BEGIN" and _body_pattern().match(text, boundary.end()):
            yield (
                boundary.start() - (text[boundary.start() - 1 : boundary.start()] == "-"),
                boundary.end(),
                next_index,
            )


def _find_end(text: str, body: int, following: re.Match[str] | None) -> int:
    """Return the end of the key's last line, or of the last text that belongs to the key."""
    limit = following.start() if following else len(text)
    string_end = _string_end_pattern().search(text, body, min(limit, body + MAX_KEY))
    if following and following[1] == "END" and not string_end and following.end() - body <= MAX_KEY:
        return following.end()
    return _find_body_end(text, body, string_end.start() if string_end else limit)


def _find_body_end(text: str, start: int, limit: int) -> int:
    """Return the end of the key's lines; a short line is the last one, and so is one before an empty line."""
    end, after_full_line = start, start == 0
    for piece in _piece_pattern().finditer(text, start, limit):
        if after_full_line and text.count("\n", end, piece.start()) > 1:
            return end
        content = _content_pattern().search(piece[0])
        is_last_line = (
            after_full_line
            and _line_break_pattern().fullmatch(text, end, piece.start())
            and _last_line_pattern().fullmatch(piece[0])
        )
        if content or is_last_line:
            end, after_full_line = piece.end(), content is not None and ":" not in content[0]
        elif any(map(str.isalnum, piece[0])):
            return end
    has_other_text = text[end:limit].strip() or (after_full_line and text.count("\n", end, limit) > 1)
    return end if has_other_text else limit


def _find_tail(text: str, boundary: re.Match[str]) -> Iterator[Span]:
    """Yield the lines before the last line of a key whose first line is missing."""
    first = max(0, boundary.start() - MAX_KEY)
    if boundary[1] != "END":
        return
    pieces = list(_line_pattern().finditer(text, first, boundary.start()))
    if pieces and not pieces[-1][1].strip("- \t"):
        pieces.pop()
    lines: list[tuple[int, int]] = []
    for piece in reversed(pieces):
        match = _tail_line_pattern().search(text, max(piece.start(1), piece.end() - 200), piece.end())
        if match is None or (lines and len(match[1]) < _FULL_LINE):
            break
        lines.append(match.span(1))
    if any(end - start >= _FULL_LINE for start, end in lines):
        yield from (Span(*line, KIND, continued=number > 0) for number, line in enumerate(reversed(lines)))


def _split_key(text: str, start: int, end: int, *, continued: bool) -> Iterator[Span]:
    for piece in _piece_pattern().finditer(text, start, end):
        match = _key_text_pattern().search(piece[0])
        if match:
            # A backslash at the end escapes the quote after it.
            piece_end = piece.start() + len(piece[0].rstrip("\\"))
            yield Span(piece.start() + match.start(), piece_end, KIND, continued=continued)
            continued = True


def _find_putty_keys(text: str) -> Iterator[Span]:
    for match in _putty_pattern().finditer(text):
        for index, piece in enumerate(_piece_pattern().finditer(text, *match.span(1))):
            yield Span(*piece.span(), KIND, continued=index > 0)


@cache
def _boundary_pattern() -> re.Pattern[str]:
    return re.compile(r"---- ?(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")


@cache
def _line_pattern() -> re.Pattern[str]:
    """Return the pattern of a line, whose end may be escaped."""
    return re.compile(r"(?:\\+[rn]|[\r\n])*+((?:[^\r\n\\]|\\(?![rn\\]))+)")


@cache
def _tail_line_pattern() -> re.Pattern[str]:
    return re.compile(r"([A-Za-z0-9+/]{1,200}={0,3})[ \t]{0,20}\Z")


@cache
def _body_pattern() -> re.Pattern[str]:
    # Requires key text, so that code that only mentions the boundaries is not redacted.
    named = r"""\n[^\s:"']{1,200}[:-][0-9]{1,6}[:-]"""  # as grep shows a line
    between = rf"""(?:\\+[nr]|{named}|[\s"'`+>|,;:()\\-]|[0-9]{{1,6}}[:\t|→ -]){{0,200}}+"""
    return re.compile(rf"{between}(?:[A-Za-z0-9+/]{{16}}|[A-Z][A-Za-z-]{{2,20}}: )")


@cache
def _piece_pattern() -> re.Pattern[str]:
    """Return the pattern of a line, or of a string in a quoted list of lines."""
    return re.compile(r"""[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029"'`]+""")


@cache
def _string_end_pattern() -> re.Pattern[str]:
    """Return the pattern of the end of a string after which no other line of the key follows."""
    return re.compile(r"""["'`][\s\\]{0,200}[]:={}[]""")


@cache
def _content_pattern() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9+/]{24}|^\W*(?:Proc-Type|DEK-Info|Version|Comment|Hash): ")


@cache
def _line_break_pattern() -> re.Pattern[str]:
    return re.compile(r"[^\"'`\n]{0,80}\n")


@cache
def _last_line_pattern() -> re.Pattern[str]:
    return re.compile(r"[ \t]*[A-Za-z0-9+/]{1,76}={0,3}[ \t]*")


@cache
def _key_text_pattern() -> re.Pattern[str]:
    """Return the pattern of the key text in a line, after a line number, file name or diff sign."""
    whole = r"-{4,5} ?(?:BEGIN|END) .*|[A-Za-z0-9/][A-Za-z0-9+/]{15}.*|[A-Z][A-Za-z-]{2,20}: .*"
    return re.compile(rf"{whole}|=?[A-Za-z0-9/][A-Za-z0-9+/]*={{0,3}}\\*\s*\Z", re.DOTALL)


@cache
def _putty_pattern() -> re.Pattern[str]:
    gap = r"(?:\s|\\+[rn]){1,8}"
    return re.compile(rf"Private-Lines: \d{{1,4}}{gap}((?:[A-Za-z0-9+/]{{1,80}}={{0,2}}{gap}){{1,400}})")
