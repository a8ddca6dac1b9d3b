"""Selection of the searches for a text: each one runs only if the text contains a literal that it requires.

A literal may occur without a secret; a secret never occurs without one of its literals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hookline.redact._assignments import NAME_STEMS, find_assigned
from hookline.redact._base64 import MIN_RUN, find_basic_credentials, find_runs
from hookline.redact._cli_passwords import find_cli_passwords
from hookline.redact._encodings import decode
from hookline.redact._keys import find_keys
from hookline.redact._layouts import find_kube_secrets
from hookline.redact._structured import find_shapes
from hookline.redact._text_views import Span
from hookline.redact._tokens import find_tokens
from hookline.redact._urls import find_url_secrets

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
