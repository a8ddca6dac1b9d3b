"""The place where a call runs, and normalisation of paths: slashes, `~`, dots, schemes, unknown parts."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from typing import NamedTuple

from hookline.core.events import PreToolUse
from hookline.core.state import State
from hookline.lazy import re
from hookline.shell import NO_FACTS, UNKNOWN, Facts

LONGEST = 4096
"""Maximum length in characters of a path that a system opens."""
LONGEST_NAME = 255
_DRIVE = re.compile(r"[A-Za-z]:/")
_SCHEME = re.compile(r"file:(?://(?:localhost(?=/))?)?", re.IGNORECASE)
_STREAM = re.compile(r"::?\$data$", re.IGNORECASE)
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_URL = re.compile(r"(?!file:)[a-z][a-z0-9+.-]{1,20}://", re.IGNORECASE)
_MOST_ALTERNATIVES = 64


class Place(NamedTuple):
    """The folders in which a call runs, and the patterns and facts by which paths are judged."""

    cwd: str
    root: str
    home: str = ""
    patterns: tuple[str, ...] = ()
    """Patterns of the settings, in the syntax of `.gitignore`."""
    real: Callable[[str], str] = lambda path: path
    is_file: Callable[[str], bool] = lambda path: False
    facts: Facts = NO_FACTS
    own: str = ""
    """The text of the project's `.ckignore`."""
    trusted: bool = False
    """True if a person has trusted the lines that include `.git`, `.aws` and `.ssh`."""


def find_place(event: PreToolUse, state: State, patterns: tuple[str, ...]) -> Place:
    """Return the place of *event*, without the project's `.ckignore`."""
    root = state.root or event.cwd or "/"
    return Place(
        cwd=event.cwd or root,
        root=root,
        home=state.home,
        patterns=patterns,
        real=state.facts.get("realpath", lambda path: path),
        is_file=state.facts.get("is_file", lambda path: False),
        facts=state.facts.get("shell_facts") or NO_FACTS,
    )


def slashed(text: str) -> str:
    """Return the path with forward slashes and without a scheme; an unknown part becomes `x`."""
    found = _SCHEME.match(text) if ":" in text else None
    plain = text[found.end() :] if found is not None else text
    plain = plain.replace(UNKNOWN, "x").replace("\\", "/")
    return plain[4:] if plain.startswith(("//?/", "//./")) else plain


def url(text: str) -> bool:
    """Return whether *text* is a URL other than `file:`."""
    return "://" in text and _URL.match(text) is not None


def absolute(text: str, cwd: str, home: str = "") -> str:
    """Return the absolute path, without dots."""
    plain = slashed(text)
    if home and (plain == "~" or plain.startswith("~/")):
        plain = home + plain[1:]
    if not plain.startswith(("/", "~")) and not (":/" in plain and _DRIVE.match(plain)):
        plain = posixpath.join(slashed(cwd) or "/", plain)
    found = posixpath.normpath(plain)
    return "/" + found.lstrip("/") if found.startswith("/") else found


def segments(text: str) -> tuple[str, ...]:
    """Return the names of a path in lower case, with dots resolved as far as possible."""
    found: list[str] = []
    for name in slashed(text).lower().split("/"):
        plain = _name(name)
        if plain == ".." and found and found[-1] != "..":
            found.pop()
        elif plain not in ("", "."):
            found.append(plain)
    return tuple(found)


def _name(name: str) -> str:
    """Return a name without an approval's prefix, a stream name, or trailing dots and blanks."""
    plain = _STREAM.sub("", name.strip()) if "$" in name else name.strip()
    while plain.startswith("approved:"):
        plain = plain.removeprefix("approved:").strip()
    return plain if plain in (".", "..") else plain.rstrip(". ") or plain


def alternatives(pattern: str) -> Iterator[str]:
    """Yield the expansions of the braces in a glob pattern, at most `_MOST_ALTERNATIVES`."""
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
    """Return whether *text* could be a path, by its length and line breaks."""
    return 0 < len(text) <= LONGEST and "\n" not in text.strip("\n")
