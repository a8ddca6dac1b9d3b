"""Removal of secrets from text and JSON before it is stored, traced or injected.

Public functions: `redact` and `redact_json` replace every secret by `[redacted:kind]`; `find_secrets` returns
their positions; `redact_json_with_findings` also reports the secrets. `hookline.redact.stream` redacts text
that arrives in chunks, and `hookline.redact.gitleaks_rules` reads additional rules from gitleaks files.

    >>> from hookline.redact import redact
    >>> redact("url: postgres://ann:vK3-x9Qm2pLs@db/app")
    'url: postgres://ann:[redacted:url-password]@db/app'

Each search requires a literal to occur first, and is compiled on its first use, so a text without secrets
costs a few substring searches. Each search is linear in the length of the text; a million characters with
many secrets take seconds. So of a JSON value that others send, `MAX_CHARS` characters are searched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from hookline.redact._json import JsonString, find_max_length, iterate_strings, join_strings, rebuild
from hookline.redact._prefilter import Keep, Rules, find_spans
from hookline.redact._text_views import Replacement, Span, build_view

__all__ = [
    "MARK",
    "MAX_CHARS",
    "NO_LIMIT",
    "TOO_LONG",
    "Keep",
    "Rules",
    "Secret",
    "find_secrets",
    "redact",
    "redact_json",
    "redact_json_with_findings",
]


class Secret(Struct, frozen=True, kw_only=True):
    """The position and kind of a secret in a text; never the secret itself."""

    kind: str
    start: int
    end: int
    continued: bool = False
    """True if it continues the secret before it, on another line or in another string."""


MAX_CHARS = 1 << 19
"""Maximum characters of all strings of a payload that are searched."""
NO_LIMIT = 1 << 62
TOO_LONG = "too-long-to-check"
"""The kind of the text that was not searched, which is redacted as a whole."""


def redact(text: str, *, rules: Rules = (), keep: Keep | None = None) -> str:
    """Return *text* with `[redacted:kind]` in place of every secret; its lines and JSON syntax are kept."""
    secrets = find_secrets(text, rules=rules, keep=keep)
    return mask_secrets(text, secrets) if secrets else text


def find_secrets(
    text: str, *, rules: Rules = (), keep: Keep | None = None, inside_key: bool = False
) -> tuple[Secret, ...]:
    """Return the secrets in *text*, in order and without overlap.

    *inside_key* means that the text begins in the middle of a private key.
    """
    if len(text) < _MIN_LENGTH:
        return ()
    spans = _merge_spans(text, find_spans(text, rules, keep, inside_key=inside_key))
    if not spans:
        return ()
    for _ in range(_MAX_ROUNDS):
        masked = build_view(text, (Replacement(span.start, span.end, _format_mark(span)) for span in spans))
        new_spans = [
            span
            for span in find_spans(masked.text, rules, keep)
            if MARK not in masked.text[span.start : span.end]
        ]
        if not new_spans:
            break
        spans = _merge_spans(text, [*spans, *masked.to_source(new_spans)])
    return tuple(
        Secret(kind=span.kind, start=span.start, end=span.end, continued=span.continued) for span in spans
    )


_MARGIN = 1024
"""Searched characters that are not kept, because a secret may be cut in half there."""
_MIN_LENGTH = 8
"""Minimum characters of a text that can contain a secret."""
_MAX_ROUNDS = 4
"""Maximum searches of a text: with one secret masked, another next to it may be recognised."""


def redact_json(value: Any, *, rules: Rules = (), keep: Keep | None = None, max_chars: int = NO_LIMIT) -> Any:
    """Return a copy of a JSON value with every string redacted, judged together with its key.

    If all strings have more than *max_chars* characters, the longest are cut to one length.
    """
    return redact_json_with_findings(value, rules=rules, keep=keep, max_chars=max_chars)[0]


def redact_json_with_findings(
    value: Any, *, rules: Rules = (), keep: Keep | None = None, max_chars: int = NO_LIMIT
) -> tuple[Any, tuple[tuple[str, str, int], ...]]:
    """Return the redacted *value*, and a `(kind, path, line)` for every secret.

    The path consists of the keys that lead to the string, joined by dots; the line is that within the string.
    """
    strings = list(iterate_strings(value))
    secrets = _find_in_strings(strings, rules, keep, max_chars)
    redacted = (mask_secrets(item.text, secrets.get(index, ())) for index, item in enumerate(strings))
    findings = [
        (kind, strings[index].path, line)
        for index, found in secrets.items()
        for kind, line in _find_lines(strings[index].text, found)
    ]
    return rebuild(value, redacted), tuple(findings)


def _find_lines(text: str, secrets: Iterable[Secret]) -> Iterator[tuple[str, int]]:
    """Yield kind and line of each of the *secrets*, which are in order, and read the text once."""
    line, end = 1, 0
    for secret in secrets:
        line, end = line + text.count("\n", end, secret.start), secret.start
        if not secret.continued:
            yield secret.kind, line


def _find_in_strings(
    strings: Sequence[JsonString], rules: Rules, keep: Keep | None, max_chars: int
) -> dict[int, list[Secret]]:
    """Return the secrets in each of the *strings*, by index."""
    max_length = find_max_length(strings, max_chars)
    joined, found = join_strings(strings, max_length), dict[int, list[Secret]]()
    for secret in find_secrets(joined.text, rules=rules, keep=keep):
        for position in range(max(0, joined.index_at(secret.start)), joined.index_at(secret.end - 1) + 1):
            offset, text = joined.starts[position], strings[joined.indices[position]].text
            start, end = max(0, secret.start - offset), min(secret.end - offset, len(text), max_length)
            if start < end:
                part = Secret(
                    kind=secret.kind, start=start, end=end, continued=secret.continued and bool(found)
                )
                found.setdefault(joined.indices[position], []).append(part)
    for index, item in enumerate(strings):
        if len(item.text) > max_length:
            found[index] = [*_add_rest(item.text, found.get(index, ()), max_length, keep)]
    return found


def _add_rest(text: str, secrets: Iterable[Secret], searched: int, keep: Keep | None) -> Iterator[Secret]:
    """Yield the *secrets* of the searched part of *text*, and the rest; no secret is cut in half."""
    start = max(0, searched - _MARGIN)
    for secret in secrets:
        if secret.start < start:
            start = max(start, secret.end)
            yield secret
    if not (keep and keep(TOO_LONG, text[start:])):
        yield Secret(kind=TOO_LONG, start=start, end=len(text))


def mask_secrets(text: str, secrets: Sequence[Secret]) -> str:
    """Return *text* with the *secrets*, which are in order, replaced by their marks."""
    pieces, end = [], 0
    for secret in secrets:
        pieces += [text[end : secret.start], _format_mark(secret)]
        end = secret.end
    return "".join([*pieces, text[end:]])


MARK = "[redacted"
"""The beginning of every text that replaces a secret."""


def _format_mark(secret: Secret | Span) -> str:
    return f"{MARK}]" if secret.continued else f"{MARK}:{secret.kind}]"


def _merge_spans(text: str, spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for _, span in sorted(enumerate(spans), key=lambda item: (item[1].start, item[0])):
        if merged and span.start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(merged[-1].end, span.end))
        else:
            merged.append(span._replace(start=_include_backslashes(text, span.start)))
    return merged


def _include_backslashes(text: str, start: int) -> int:
    """Return *start*, moved before the backslashes that escape a slash there."""
    if text[start : start + 1] != "/":
        return start
    before = text[max(0, start - 8) : start]
    return start - len(before) + len(before.rstrip("\\"))
