"""Which searches for secrets a text is worth: each runs on a text that holds what it cannot do without.

A sign may be wider than its search, never narrower.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from hookline.redact import _hidden, _keys, _runs
from hookline.redact._assigned import STEMS, assigned
from hookline.redact._kube import kube
from hookline.redact._runs import LEAST
from hookline.redact._shapes import shapes
from hookline.redact._spans import Span
from hookline.redact._tokens import tokens
from hookline.redact._typed import typed
from hookline.redact._urls import urls
from hookline.redact._views import View

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
        yield from _runs.runs(text, spans)


def uncovered(text: str) -> Iterator[View]:
    """The lines that colours, escapes or invisible characters cut up, without them."""
    if not text.isascii() or _has(text, _COVERS):
        yield from _hidden.uncovered(text)
