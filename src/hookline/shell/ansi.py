"""Decoding of backslash escapes in `$'…'`, `echo -e` and `printf`."""

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


def decode_ansi(text: str) -> str:
    """Return the value of `$'text'`; a NUL ends it, as in bash."""
    return _ESCAPE.sub(_decode, text).partition("\0")[0] if "\\" in text else text


def decode_printf(text: str) -> str:
    """Return the output of `printf` for the format *text*, with percent signs unchanged.

    A NUL only separates items for `xargs -0`; it becomes a newline, where the items are split later.
    """
    return _ESCAPE.sub(_decode, text).replace("\0", "\n") if "\\" in text else text


def decode_echo(text: str) -> str:
    """Return the output of `echo -e` and `printf %b` for *text*."""
    return decode_printf(_ECHO_OCTAL.sub(r"\\\1", text)).partition("\\c")[0] if "\\" in text else text


def _decode(match: re.Match[str]) -> str:
    named, octal, short, four, eight, control = match.groups()
    if named is not None:
        return _NAMED[named]
    if control is not None:
        return chr(ord(control[0].upper()) & 0x1F)
    if octal is not None:
        return chr(int(octal, 8) & 0xFF)
    code = int(short or four or eight, 16)
    return chr(code) if code <= _MAX_CODE_POINT else ""
