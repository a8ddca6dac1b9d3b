"""Selection of the searches for a text: each one runs only if the text contains a literal that it requires.

A literal may occur without a secret; a secret never occurs without one of its literals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from hookline.redact import _base64, _keys
from hookline.redact._assignments import STEMS, assigned
from hookline.redact._base64 import LEAST
from hookline.redact._cli_passwords import typed
from hookline.redact._kube import kube
from hookline.redact._structured import shapes
from hookline.redact._text_views import Span, Stretch, View, view
from hookline.redact._tokens import tokens
from hookline.redact._urls import urls

_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_QUOTES = {"&quot;": '"', "&#34;": '"', "&#x22;": '"', "&#39;": "'", "&apos;": "'"}
_ESCAPED = ("\\u001b", "\\u001B", "\\x1b", "\\033", "\\e[", "\\/")


def visible_lines(text: str) -> Iterator[View]:
    """The lines of *text* with colours, invisible characters, escaped slashes or quotes, without them."""
    if _covered(text):
        yield view(text, (Stretch(*found.span(), _instead(found[0])) for found in _noise().finditer(text)))


def _instead(found: str) -> str:
    return _QUOTES.get(found, "")


def _covered(text: str) -> bool:
    if "&" in text and any(mark in text for mark in _QUOTES):
        return True
    if "\x1b" in text or ("\\" in text and any(mark in text for mark in _ESCAPED)):
        return True
    return not text.isascii() and any(mark in text for mark in _INVISIBLE)


@cache
def _noise() -> re.Pattern[str]:
    # No group around the whole: then the search skips quickly to where one of these can begin.
    escape = r"(?:u001[bB]|x1[bB]|033|e)"
    colour = r"\[[0-9;]{0,32}[A-Za-z]"
    return re.compile(rf"\x1b{colour}|\\{{1,8}}(?:{escape}{colour}|(?=/))|[{_INVISIBLE}]|{'|'.join(_QUOTES)}")


SHAPED = ("eyJ", ".", ":AA", "Q~", "_mmk", "00D", "/webhook", "$")
"""One of these is in every literal that a shape is told by."""
TYPED = (
    *(f" -{letter}" for letter in "uUpPawb-"),
    *("--password-stdin", "sudo -", "dentified", "DENTIFIED", "ecureString", "ecurestring"),
)
"""One of these is in whatever takes a password without a telling name."""
_COVERS = ("&", "\x1b", "\\")
_NAMING = (*STEMS, "value", "cookie")


def _has(text: str, signs: tuple[str, ...]) -> bool:
    for sign in signs:  # noqa: SIM110 -- asked of every text that is kept: a generator takes twice as long
        if sign in text:
            return True
    return False


_SEARCHES: tuple[tuple[Callable[[str], Iterable[Span]], Callable[[str], bool]], ...] = (
    # In order of how much the kind tells: where two find the same stretch, the first names it.
    (tokens, lambda text: True),
    (shapes, lambda text: _has(text, SHAPED)),
    (urls, lambda text: ":" in text),
    (typed, lambda text: _has(text, TYPED)),
    (kube, lambda text: "Secret" in text),
    (assigned, lambda text: _has(text.lower(), _NAMING)),
)


def spans(text: str) -> list[Span]:
    """What the searches find that are keyed by a literal."""
    return [span for search, worth in _SEARCHES if worth(text) for span in search(text)]


def keys(text: str, *, inside: bool = False) -> list[Span]:
    """What is of private keys."""
    if not inside and "PRIVATE KEY" not in text and "Private-Lines" not in text:
        return []
    return _keys.keys(text, inside=inside)


def runs(text: str) -> Iterator[Span]:
    """What long runs of letters and digits are, or say."""
    if len(text) >= LEAST:
        yield from _base64.runs(text, spans)


def uncovered(text: str) -> Iterator[View]:
    """The lines that colours, escapes or invisible characters cut up, without them."""
    if not text.isascii() or _has(text, _COVERS):
        yield from visible_lines(text)
