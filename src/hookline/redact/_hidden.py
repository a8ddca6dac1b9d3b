"""Secrets that are not seen as one piece: colours or invisible characters cut them up, or HTML quotes."""

import re
from collections.abc import Iterator
from functools import cache

from hookline.redact._views import Stretch, View, view

_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_QUOTES = {"&quot;": '"', "&#34;": '"', "&#x22;": '"', "&#39;": "'", "&apos;": "'"}
_ESCAPED = ("\\u001b", "\\u001B", "\\x1b", "\\033", "\\e[", "\\/")


def uncovered(text: str) -> Iterator[View]:
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
