"""Redaction of a text that arrives in chunks, with bounded memory: decided text is returned, the rest waits.

A line is decided when it is complete, unless it ends in a private key or a token that may continue on the
next line. Some text before each cut is searched again as context, but not returned again.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hookline.redact import Rules, Secret, find_secrets, mask_secrets
from hookline.redact._keys import ends_inside_key

MAX_WAITING = 256 * 1024
"""Maximum characters that wait."""
_MAX_SEEN = 2 * 1024
"""Maximum characters of returned text that are searched again as context."""
_OVERLAP = 8 * 1024
"""Characters of an endless line that wait for the next chunk."""
_MAX_LINES = 3
"""Maximum complete lines that wait because a token may continue on the next line."""
_MAX_CONTINUED = 16
"""Maximum lines of one command that wait for its last line."""
_MIN_WORD = 8
"""Minimum characters of a word that may be the first part of a token."""


_CONTINUATIONS = ("\\\n", "\\\r\n")
"""The end of a line that continues on the next, in shells."""


class Piece(NamedTuple):
    """A decided part of the text."""

    text: str
    secrets: tuple[tuple[str, int], ...]
    """The kind of each secret, and its line in the whole text, from 1."""


def redact_stream(chunks: Iterable[str], *, rules: Rules = ()) -> Iterator[Piece]:
    """Yield the text of *chunks* without its secrets, as soon as it is decided."""
    redactor = StreamRedactor(rules=rules)
    for chunk in chunks:
        piece = redactor.feed(chunk)
        if piece:
            yield piece
    last = redactor.end()
    if last:
        yield last


class StreamRedactor:
    """A redactor that is fed the chunks of a text one by one."""

    def __init__(self, *, rules: Rules = ()) -> None:
        self._rules = rules
        self._seen, self._waiting, self._line, self._inside_key = "", "", 1, False

    def feed(self, chunk: str) -> Piece | None:
        """Add *chunk*, and return the text that is decided now, if any."""
        self._waiting += chunk
        waiting = self._waiting
        if "\n" not in chunk and len(waiting) < MAX_WAITING:
            return None
        end = _find_decided_end(waiting)
        if not end:
            return None
        secrets = _find_after_seen(self._seen, waiting, self._rules, inside=self._inside_key)
        end = _avoid_secret(secrets, end) or (end if len(waiting) >= 2 * MAX_WAITING else 0)
        return self._emit(end, secrets) if end else None

    def end(self) -> Piece | None:
        """Return the rest of the text, if any."""
        if not self._waiting:
            return None
        secrets = _find_after_seen(self._seen, self._waiting, self._rules, inside=self._inside_key)
        return self._emit(len(self._waiting), secrets)

    def _emit(self, end: int, secrets: list[Secret]) -> Piece:
        whole = self._waiting
        piece = _make_piece(whole[:end], _clip_secrets(secrets, end), self._line)
        self._inside_key = ends_inside_key(whole[:end], inside=self._inside_key)
        self._line += whole.count("\n", 0, end)
        self._seen, self._waiting = (self._seen + whole[:end])[-_MAX_SEEN:], whole[end:]
        return piece


def _find_decided_end(text: str) -> int:
    """Return the end of the text that further chunks cannot change."""
    if len(text) >= MAX_WAITING:
        line_end = text.rfind("\n", len(text) - MAX_WAITING // 2) + 1
        return line_end or len(text) - _OVERLAP
    end = text.rfind("\n") + 1
    for number in range(_MAX_CONTINUED):
        line_start = text.rfind("\n", 0, max(0, end - 1)) + 1
        line = text[line_start:end]
        if not (line.endswith(_CONTINUATIONS) or (number < _MAX_LINES and _may_continue(line))):
            break
        end = line_start
    return end


def _may_continue(line: str) -> bool:
    """Return whether the next line may change the judgement of *line*.

    It may continue a token or a private key, or contain the name of a value.
    """
    word = line.rstrip("\r\n").rpartition(" ")[2]
    token = (
        len(word) >= _MIN_WORD and word.isascii() and (word != word.lower() or any(map(str.isdigit, word)))
    )
    return token or "value" in line.lower() or ends_inside_key(line)


def _find_after_seen(seen: str, text: str, rules: Rules, *, inside: bool) -> list[Secret]:
    """Return the secrets of *text*, judged with the text *seen* before it."""
    if inside:
        return list(find_secrets(text, rules=rules, inside_key=True))
    offset = len(seen)
    return [
        Secret(
            kind=secret.kind,
            start=max(0, secret.start - offset),
            end=secret.end - offset,
            continued=secret.continued,
        )
        for secret in find_secrets(seen + text, rules=rules)
        if secret.end > offset
    ]


def _avoid_secret(secrets: list[Secret], end: int) -> int:
    """Return *end*, moved to the start of a secret that it would cut in two."""
    return next((secret.start for secret in secrets if secret.start < end < secret.end), end)


def _clip_secrets(secrets: list[Secret], end: int) -> list[Secret]:
    return [
        Secret(kind=secret.kind, start=secret.start, end=min(secret.end, end), continued=secret.continued)
        for secret in secrets
        if secret.start < end
    ]


def _make_piece(text: str, secrets: list[Secret], line: int) -> Piece:
    findings = tuple(
        (secret.kind, line + text.count("\n", 0, secret.start)) for secret in secrets if not secret.continued
    )
    return Piece(mask_secrets(text, secrets), findings)
