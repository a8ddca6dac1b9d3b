"""One spelling for the many ways to write a path: both slashes, `~`, dots, schemes, unknown parts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from hookline.shell import UNKNOWN

LONGEST = 4096
"""Characters of a path that a system would open."""
LONGEST_NAME = 255
_DRIVE = re.compile(r"[A-Za-z]:/")
_SCHEME = re.compile(r"file:(?://(?:localhost(?=/))?)?", re.IGNORECASE)
_STREAM = re.compile(r"::?\$data$", re.IGNORECASE)
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_URL = re.compile(r"(?!file:)[a-z][a-z0-9+.-]{1,20}://", re.IGNORECASE)
_MOST_ALTERNATIVES = 64


def slashed(text: str) -> str:
    """The same path with forward slashes and without a scheme; what nobody knows stands as an `x`."""
    found = _SCHEME.match(text) if ":" in text else None
    plain = text[found.end() :] if found is not None else text
    plain = plain.replace(UNKNOWN, "x").replace("\\", "/")
    return plain[4:] if plain.startswith(("//?/", "//./")) else plain


def url(text: str) -> bool:
    """Whether it lies elsewhere: an address, and not one of a file."""
    return "://" in text and _URL.match(text) is not None


def absolute(text: str, cwd: str, home: str = "") -> str:
    """The path as one that needs no folder to be understood, without dots."""
    plain = slashed(text)
    if home and (plain == "~" or plain.startswith("~/")):
        plain = home + plain[1:]
    if not plain.startswith(("/", "~")) and not (":/" in plain and _DRIVE.match(plain)):
        plain = posixpath.join(slashed(cwd) or "/", plain)
    found = posixpath.normpath(plain)
    return "/" + found.lstrip("/") if found.startswith("/") else found


def segments(text: str) -> tuple[str, ...]:
    """The names along a path in small letters, as a system takes them, dots resolved where they can be."""
    found: list[str] = []
    for name in slashed(text).lower().split("/"):
        plain = _name(name)
        if plain == ".." and found and found[-1] != "..":
            found.pop()
        elif plain not in ("", "."):
            found.append(plain)
    return tuple(found)


def _name(name: str) -> str:
    """A name without what does not belong to it: an approval's prefix, a stream, trailing dots and blanks."""
    plain = _STREAM.sub("", name.strip()) if "$" in name else name.strip()
    while plain.startswith("approved:"):
        plain = plain.removeprefix("approved:").strip()
    return plain if plain in (".", "..") else plain.rstrip(". ") or plain


def alternatives(pattern: str) -> Iterator[str]:
    """What the braces of a glob pattern stand for, at most `_MOST_ALTERNATIVES`."""
    waiting, given = [pattern], 0
    while waiting and given < _MOST_ALTERNATIVES:
        text = waiting.pop()
        found = _BRACES.search(text)
        if found is None:
            given += 1
            yield text
        elif len(waiting) < _MOST_ALTERNATIVES:
            heads = [text[: found.start()] + one + text[found.end() :] for one in found.group(1).split(",")]
            waiting += heads[:_MOST_ALTERNATIVES]


def plausible(text: str) -> bool:
    """Whether a system would open this as a path at all."""
    return 0 < len(text) <= LONGEST and "\n" not in text.strip("\n")
