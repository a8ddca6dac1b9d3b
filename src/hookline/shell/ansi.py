"""Decode backslash escapes as `$'…'`, `echo -e` and `printf` understand them."""

from __future__ import annotations

import re

_NAMED = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}
_ESCAPE = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(.))",
    re.DOTALL,
)
_ECHO_OCTAL = re.compile(r"\\0([0-7]{1,3})")
_MAX_CODE_POINT = 0x10FFFF


def ansi(text: str) -> str:
    """The value of `$'text'`; a NUL ends it, as in bash."""
    return _ESCAPE.sub(_decode, text).partition("\0")[0] if "\\" in text else text


def printed(text: str) -> str:
    """What `printf` writes for the format *text*, percent signs left alone.

    A NUL, which only ever separates items for `xargs -0`, comes out as the line's end that we split at.
    """
    return _ESCAPE.sub(_decode, text).replace("\0", "\n") if "\\" in text else text


def echoed(text: str) -> str:
    """What `echo -e` and `printf %b` write for *text*."""
    return printed(_ECHO_OCTAL.sub(r"\\\1", text)).partition("\\c")[0] if "\\" in text else text


def _decode(found: re.Match[str]) -> str:
    named, octal, short, four, eight, control = found.groups()
    if named is not None:
        return _NAMED[named]
    if control is not None:
        return chr(ord(control[0].upper()) & 0x1F)
    if octal is not None:
        return chr(int(octal, 8) & 0xFF)
    code = int(short or four or eight, 16)
    return chr(code) if code <= _MAX_CODE_POINT else ""
