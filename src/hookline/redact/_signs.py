"""Which searches for secrets a text is worth: each is imported when a text holds what it cannot do without.

A sign may be wider than its search, never narrower.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from hookline.redact._spans import Span
    from hookline.redact._views import View

STEMS = ("pass", "pwd", "pw", "secret", "credential", "key", "token", "auth", "bearer", "sig")
"""What every name of a secret contains, in lower case."""
SHAPED = ("eyJ", ".", ":AA", "Q~", "_mmk", "00D", "/webhook", "$")
"""One of these is in every literal that a shape is told by."""
TYPED = (
    *(f" -{letter}" for letter in "uUpPawb-"),
    *("--password-stdin", "sudo -", "dentified", "DENTIFIED", "ecureString", "ecurestring"),
)
"""One of these is in whatever takes a password without a telling name."""
_COVERS = ("&", "\x1b", "\\")
_NAMING = (*STEMS, "value", "cookie")


def _assigned(text: str) -> bool:
    return _has(text.lower(), _NAMING)


def _has(text: str, signs: tuple[str, ...]) -> bool:
    for sign in signs:  # noqa: SIM110 -- asked of every text that is kept: a generator takes twice as long
        if sign in text:
            return True
    return False


_SEARCHES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    # In order of how much the kind tells: where two find the same stretch, the first names it.
    ("tokens", lambda text: True),
    ("shapes", lambda text: _has(text, SHAPED)),
    ("urls", lambda text: ":" in text),
    ("typed", lambda text: _has(text, TYPED)),
    ("kube", lambda text: "Secret" in text),
    ("assigned", _assigned),
)


def spans(text: str) -> list[Span]:
    """What the searches find that are keyed by a literal."""
    return [span for name, worth in _SEARCHES if worth(text) for span in _search(name)(text)]


def keys(text: str, *, inside: bool = False) -> list[Span]:
    """What is of private keys."""
    if not inside and "PRIVATE KEY" not in text and "Private-Lines" not in text:
        return []
    found: list[Span] = _search("keys")(text, inside=inside)
    return found


def runs(text: str) -> Iterator[Span]:
    """What long runs of letters and digits are, or say."""
    if len(text) >= LEAST:
        yield from _search("runs")(text, spans)


LEAST = 24
"""Characters of a run that is worth a look."""


def uncovered(text: str) -> Iterator[View]:
    """The lines that colours, escapes or invisible characters cut up, without them."""
    if not text.isascii() or _has(text, _COVERS):
        yield from import_module("hookline.redact._hidden").uncovered(text)


@cache
def _search(name: str) -> Callable[..., Any]:
    search: Callable[..., Any] = getattr(import_module(f"hookline.redact._{name}"), name)
    return search
