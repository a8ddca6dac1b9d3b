"""Selection of the searches for a text: each one runs only if the text contains a literal that it requires.

A literal may occur without a secret; a secret never occurs without one of its literals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from hookline.redact import _base64, _keys
from hookline.redact._assignments import NAME_STEMS, find_assigned
from hookline.redact._base64 import MIN_RUN
from hookline.redact._cli_passwords import find_cli_passwords
from hookline.redact._kube import find_kube_secrets
from hookline.redact._structured import find_shapes
from hookline.redact._text_views import Replacement, Span, View, build_view
from hookline.redact._tokens import find_tokens
from hookline.redact._urls import find_url_secrets

_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_QUOTE_ENTITIES = {"&quot;": '"', "&#34;": '"', "&#x22;": '"', "&#39;": "'", "&apos;": "'"}
_ESCAPE_SIGNS = ("\\u001b", "\\u001B", "\\x1b", "\\033", "\\e[", "\\/")


def strip_hidden_text(text: str) -> Iterator[View]:
    """Yield a view of *text* without colours, invisible characters, and escapes of slashes or quotes."""
    if _has_hidden_text(text):
        yield build_view(
            text,
            (
                Replacement(*match.span(), _replacement_text(match[0]))
                for match in _hidden_text_pattern().finditer(text)
            ),
        )


def _replacement_text(hidden: str) -> str:
    return _QUOTE_ENTITIES.get(hidden, "")


def _has_hidden_text(text: str) -> bool:
    if "&" in text and any(sign in text for sign in _QUOTE_ENTITIES):
        return True
    if "\x1b" in text or ("\\" in text and any(sign in text for sign in _ESCAPE_SIGNS)):
        return True
    return not text.isascii() and any(sign in text for sign in _INVISIBLE)


@cache
def _hidden_text_pattern() -> re.Pattern[str]:
    # Without a group around the alternatives, the search skips quickly to possible starts.
    escape = r"(?:u001[bB]|x1[bB]|033|e)"
    colour = r"\[[0-9;]{0,32}[A-Za-z]"
    return re.compile(
        rf"\x1b{colour}|\\{{1,8}}(?:{escape}{colour}|(?=/))|[{_INVISIBLE}]|{'|'.join(_QUOTE_ENTITIES)}"
    )


SHAPE_SIGNS = ("eyJ", ".", ":AA", "Q~", "_mmk", "00D", "/webhook", "$")
"""Substrings; every literal of a shape contains one of them."""
CLI_PASSWORD_SIGNS = (
    *(f" -{letter}" for letter in "uUpPawb-"),
    *("--password-stdin", "sudo -", "dentified", "DENTIFIED", "ecureString", "ecurestring"),
)
"""Substrings; every command line or statement with a password contains one of them."""
_HIDING_CHARACTERS = ("&", "\x1b", "\\")
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
    (find_url_secrets, lambda text: ":" in text),
    (find_cli_passwords, lambda text: _contains_any(text, CLI_PASSWORD_SIGNS)),
    (find_kube_secrets, lambda text: "Secret" in text),
    (find_assigned, lambda text: _contains_any(text.lower(), _NAME_SIGNS)),
)


def find_keyed_spans(text: str) -> list[Span]:
    """Return the findings of all searches that require a literal."""
    return [span for search, applies in _SEARCHES if applies(text) for span in search(text)]


def find_private_keys(text: str, *, inside: bool = False) -> list[Span]:
    """Return the parts of private keys in *text*."""
    if not inside and "PRIVATE KEY" not in text and "Private-Lines" not in text:
        return []
    return _keys.find_keys(text, inside=inside)


def find_run_secrets(text: str) -> Iterator[Span]:
    """Yield secrets that are long runs of letters and digits, or are encoded in one."""
    if len(text) >= MIN_RUN:
        yield from _base64.find_runs(text, find_keyed_spans)


def reveal_hidden_text(text: str) -> Iterator[View]:
    """Yield a view of the lines that colours, escapes or invisible characters interrupt, without these."""
    if not text.isascii() or _contains_any(text, _HIDING_CHARACTERS):
        yield from strip_hidden_text(text)
