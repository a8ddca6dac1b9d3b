"""Where a word begins: behind anything that is no letter or digit, and behind the escapes that end in one."""

from __future__ import annotations

import re
from functools import cache


def stands_apart(text: str, start: int, inside: str = "") -> bool:
    """Whether what begins at *start* is not the rest of a word; *inside* are more characters of such words.

    Escapes end in a letter or a digit and are no part of the word: `\\n`, `\\u0026`, `%3D`, a colour's `m`.
    """
    if start == 0:
        return True
    before = text[start - 1]
    if not (before.isascii() and before.isalnum()) and before not in inside:
        return True
    return bool(_escape().search(text, max(0, start - 12), start))


@cache
def _escape() -> re.Pattern[str]:
    escapes = (
        r"\\[abefnrtv0]",
        r"\\u[0-9A-Fa-f]{4}",
        r"\\x[0-9A-Fa-f]{2}",
        r"%[0-9A-Fa-f]{2}",
        r"\[[0-9;]{0,10}m",
    )
    return re.compile(rf"(?:{'|'.join(escapes)})\Z")
