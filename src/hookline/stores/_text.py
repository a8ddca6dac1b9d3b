"""Texts a database may refuse (NUL, lone surrogates), written so that it takes them, and read back equal."""

from __future__ import annotations

import re

_MARK = "\ufdd0"  # a code point that Unicode promises never to give a meaning
_REFUSED = re.compile(f"[\x00\ud800-\udfff{_MARK}]")
_WRITTEN = re.compile(f"{_MARK}([0-9a-f]{{4}})")


def written(text: str) -> str:
    if taken(text):
        return text
    return _REFUSED.sub(lambda found: f"{_MARK}{ord(found[0]):04x}", text)


def read(text: str) -> str:
    return _WRITTEN.sub(lambda found: chr(int(found[1], 16)), text) if _MARK in text else text


def taken(text: str) -> bool:
    """Whether a database takes it as it is; the pattern would say the same, but takes long to compile."""
    if "\0" in text or _MARK in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
