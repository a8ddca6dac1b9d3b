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

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from hookline.redact._assignments import NAME_STEMS, find_assigned
from hookline.redact._base64 import MIN_RUN, find_basic_credentials, find_runs
from hookline.redact._cli_passwords import find_cli_passwords
from hookline.redact._encodings import decode
from hookline.redact._json import JsonString, find_max_length, iterate_strings, join_strings, rebuild
from hookline.redact._keys import find_keys
from hookline.redact._layouts import find_kube_secrets
from hookline.redact._structured import find_shapes
from hookline.redact._text_views import Replacement, Span, build_view
from hookline.redact._tokens import find_tokens
from hookline.redact._urls import find_url_secrets

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


Keep = Callable[[str, str], bool]
"""Called with `(kind, value)` of a secret; returns whether it stays in the text."""
Rules = Iterable[Callable[[str], Iterable[Span]]]
"""Additional searches, such as those of a rule file."""

SHAPE_SIGNS = ("eyJ", ".", ":AA", "Q~", "_mmk", "00D", "/webhook", "$")
"""Substrings; every literal of a shape contains one of them."""
CLI_PASSWORD_SIGNS = (
    *(f" -{letter}" for letter in "uUpPawbk-"),
    *("--password-stdin", "sudo -", "dentified", "DENTIFIED", "ecureString", "ecurestring", "psk"),
    *("htpasswd", "chpasswd", "setenv ", "set -", "--pass", "--token", "--secret"),
)
"""Substrings; every command line or statement with a password contains one of them."""
_NAME_SIGNS = (*NAME_STEMS, "value", "cookie")


def _contains_any(text: str, signs: tuple[str, ...]) -> bool:
    for sign in signs:  # noqa: SIM110 -- runs for every stored text; a generator takes twice as long
        if sign in text:
            return True
    return False


_SEARCHES: tuple[tuple[Callable[[str], Iterable[Span]], Callable[[str], bool]], ...] = (
    # The most specific kinds first: if two searches find the same span, the first one names it.
    (find_tokens, lambda text: True),
    (find_shapes, lambda text: _contains_any(text, SHAPE_SIGNS)),
    (find_basic_credentials, lambda text: "asic " in text),
    (find_url_secrets, lambda text: ":" in text),
    (find_cli_passwords, lambda text: _contains_any(text, CLI_PASSWORD_SIGNS)),
    (find_kube_secrets, lambda text: "Secret" in text),
    (find_assigned, lambda text: _contains_any(text.lower(), _NAME_SIGNS)),
)


def find_spans(text: str, rules: Rules, keep: Keep | None, *, inside_key: bool = False) -> list[Span]:
    """Return the findings of all searches in *text*, and in it with its encodings undone."""
    return _find_spans(text, rules, keep, _MAX_LEVELS, inside_key=inside_key)


_MAX_LEVELS = 4
"""Maximum encodings inside each other that are undone."""


def _find_spans(
    text: str, rules: Rules, keep: Keep | None, levels: int, *, inside_key: bool = False
) -> list[Span]:
    spans = [*_find_private_keys(text, inside=inside_key), *_find_keyed_spans(text)]
    if len(text) >= MIN_RUN:
        spans += find_runs(text, lambda decoded: _find_spans(decoded, (), keep, levels - 1) if levels else [])
    for rule in rules:
        spans += rule(text)
    spans = [span for span in spans if not (keep and keep(span.kind, text[span.start : span.end]))]
    view = decode(text) if levels else None
    return [*spans, *view.to_source(_find_spans(view.text, rules, keep, levels - 1))] if view else spans


def _find_keyed_spans(text: str) -> list[Span]:
    return [span for search, applies in _SEARCHES if applies(text) for span in search(text)]


def _find_private_keys(text: str, *, inside: bool) -> list[Span]:
    if not inside and "PRIVATE KEY" not in text and "Private-Lines" not in text:
        return []
    return find_keys(text, inside=inside)
