"""Redact a text that comes in pieces, with bounded memory: what is decided goes on, the rest waits.

A line is decided when it is whole, unless it ends in what may go on: a private key, or a token broken over
lines. Behind every cut a little of what went on before is seen again, but never said again.
"""

from collections.abc import Iterable, Iterator

from hookline.record import replace
from hookline.redact import Rules, Secret, cut, find
from hookline.redact._keys import unfinished
from hookline.tuples import NamedTuple

MOST = 256 * 1024
"""Characters that wait at most."""
_SEEN = 2 * 1024
"""Characters that are seen again."""
_OVERLAP = 8 * 1024
"""Characters of a line without an end that wait for the next piece."""
_LINES = 3
"""Lines that wait at most, because a token may be broken over them."""
_WORD = 8
"""Characters of a word that may be the first part of a token."""


class Piece(NamedTuple):
    """A stretch of the text that is decided."""

    text: str
    secrets: tuple[tuple[str, int], ...]
    """The kind of each, and its line in the whole text, from 1."""


def stream(chunks: Iterable[str], *, rules: Rules = ()) -> Iterator[Piece]:
    """The text of *chunks* without its secrets, as soon as it is decided."""
    seen, waiting, line, inside = "", "", 1, False
    for chunk in chunks:
        waiting += chunk
        if "\n" not in chunk and len(waiting) < MOST:
            continue
        end = _decided(waiting)
        if end:
            secrets = _found(seen, waiting, rules, inside=inside)
            end = _outside(secrets, end) or (end if len(waiting) >= 2 * MOST else 0)
        if end:
            yield _piece(waiting[:end], _until(secrets, end), line)
            inside = unfinished(waiting[:end], inside=inside)
            line += waiting.count("\n", 0, end)
            seen, waiting = (seen + waiting[:end])[-_SEEN:], waiting[end:]
    if waiting:
        yield _piece(waiting, _found(seen, waiting, rules, inside=inside), line)


def _decided(text: str) -> int:
    """Up to where nothing that follows can change the judgement."""
    if len(text) >= MOST:
        whole = text.rfind("\n", len(text) - MOST // 2) + 1
        return whole or len(text) - _OVERLAP
    end = text.rfind("\n") + 1
    for _ in range(_LINES):
        before = text.rfind("\n", 0, max(0, end - 1)) + 1
        if not end or not _may_go_on(text[before:end]):
            break
        end = before
    return end


def _may_go_on(line: str) -> bool:
    """A long word at the end may be the first part of a token, a value may get its name on the next line, and
    the first line of a key says nothing yet."""
    word = line.rstrip("\r\n").rpartition(" ")[2]
    token = len(word) >= _WORD and word.isascii() and (word != word.lower() or any(map(str.isdigit, word)))
    return token or "value" in line.lower() or unfinished(line)


def _found(seen: str, text: str, rules: Rules, *, inside: bool) -> list[Secret]:
    """The secrets of *text*, judged behind what was *seen*."""
    if inside:
        return list(find(text, rules=rules, inside_key=True))
    begins = len(seen)
    return [
        Secret(kind=one.kind, start=max(0, one.start - begins), end=one.end - begins, more=one.more)
        for one in find(seen + text, rules=rules)
        if one.end > begins
    ]


def _outside(secrets: list[Secret], end: int) -> int:
    """An end that cuts no secret in two."""
    return next((one.start for one in secrets if one.start < end < one.end), end)


def _until(secrets: list[Secret], end: int) -> list[Secret]:
    return [replace(one, end=min(one.end, end)) for one in secrets if one.start < end]


def _piece(text: str, secrets: list[Secret], line: int) -> Piece:
    found = tuple((one.kind, line + text.count("\n", 0, one.start)) for one in secrets if not one.more)
    return Piece(cut(text, secrets), found)
