"""Redact a text that comes in pieces, with bounded memory: what is decided goes on, the rest waits.

A line is decided when it is whole, unless it ends in what may go on: a private key, or a token broken over
lines. Behind every cut a little of what went on before is seen again, but never said again.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hookline.redact import Rules, Secret, cut, find
from hookline.redact._keys import unfinished

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
    one = Stream(rules=rules)
    for chunk in chunks:
        piece = one.feed(chunk)
        if piece:
            yield piece
    last = one.end()
    if last:
        yield last


class Stream:
    """The same for whoever is handed the pieces one by one."""

    def __init__(self, *, rules: Rules = ()) -> None:
        self._rules = rules
        self._seen, self._waiting, self._line, self._inside = "", "", 1, False

    def feed(self, chunk: str) -> Piece | None:
        """What is decided by now."""
        self._waiting += chunk
        waiting = self._waiting
        if "\n" not in chunk and len(waiting) < MOST:
            return None
        end = _decided(waiting)
        if not end:
            return None
        secrets = _found(self._seen, waiting, self._rules, inside=self._inside)
        end = _outside(secrets, end) or (end if len(waiting) >= 2 * MOST else 0)
        return self._said(end, secrets) if end else None

    def end(self) -> Piece | None:
        """The rest."""
        if not self._waiting:
            return None
        secrets = _found(self._seen, self._waiting, self._rules, inside=self._inside)
        return self._said(len(self._waiting), secrets)

    def _said(self, end: int, secrets: list[Secret]) -> Piece:
        whole = self._waiting
        piece = _piece(whole[:end], _until(secrets, end), self._line)
        self._inside = unfinished(whole[:end], inside=self._inside)
        self._line += whole.count("\n", 0, end)
        self._seen, self._waiting = (self._seen + whole[:end])[-_SEEN:], whole[end:]
        return piece


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
    return [
        Secret(kind=secret.kind, start=secret.start, end=min(secret.end, end), more=secret.more)
        for secret in secrets
        if secret.start < end
    ]


def _piece(text: str, secrets: list[Secret], line: int) -> Piece:
    found = tuple((one.kind, line + text.count("\n", 0, one.start)) for one in secrets if not one.more)
    return Piece(cut(text, secrets), found)
