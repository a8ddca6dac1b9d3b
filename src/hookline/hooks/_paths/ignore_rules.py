"""Ignored paths, which waste an agent's context: the default patterns and the project's `.ckignore`.

The syntax is git's, with one deliberate difference: the last line that matches a path decides. Thus
`!dist/production/` brings back a part of an excluded folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, NamedTuple

from hookline.hooks._paths.spelling import LONGEST, LONGEST_NAME, Place, absolute, url
from hookline.shell.options import word_set

_SMALL_FILE = re.compile(
    r"(?:^|/)\.?venv/pyvenv\.cfg$|(?:^|/)\.git/(?:(?:modules|worktrees)/[^*?]+/)?(?:config|description|packed-refs|[A-Z_]+|(?:hooks|info|refs|rebase-merge|rebase-apply)(?:/[^*?]*)?)/?$"
)
"""Small files of a git folder or a virtual environment, which waste nothing."""


class Found(NamedTuple):
    """An excluded path: its text, the pattern, and the line that would include it."""

    path: str
    pattern: str
    line: str
    span: tuple[int, int] | None = None
    kept: bool = False
    """True if that line takes effect only after a person has trusted it."""


def find_exclusion(text: str, place: Place, *, cwd: str | None = None) -> Found | None:
    """Return the pattern that excludes *text*, by name or by links, or None."""
    for seen, whole in _seen(text, place, cwd):
        found = _judged(seen, place, whole)
        if found is not None:
            return found._replace(path=text)
    return None


def find_inclusion(text: str, place: Place) -> str | None:
    """Return the pattern that includes a path which another one excludes, or None."""
    for seen, whole in _seen(text, place):
        found = decisive(seen, rules(place.own, place.patterns), folder=not place.is_file(whole))
        if found is not None and not found[1]:
            return found[0]
    return None


def _seen(text: str, place: Place, cwd: str | None = None) -> Iterator[tuple[str, str]]:
    """Yield the path as patterns see it, by name and with links resolved, each with its absolute path."""
    if url(text):
        return
    named = absolute(text, cwd or place.cwd, place.home)
    real = place.real(named)
    places = [(named, place.root)] + ([(real, place.real(place.root))] if real != named else [])
    for whole, root in places:
        seen = seen_from(root, whole)
        if seen:
            yield seen, whole


def _judged(seen: str, place: Place, whole: str) -> Found | None:
    """Return the pattern that excludes *seen*; the disk is asked whether *whole* is a file."""
    if _SMALL_FILE.search(seen):
        return None
    seen = "/".join(_meant(name) for name in seen.split("/"))
    if not (place.own.strip() or place.patterns or may_match(seen)):
        return None
    folder = not place.is_file(whole)
    line = reopening(seen, folder=folder)
    kept = None if place.trusted else match(seen, _kept_rules(), folder=folder)
    if kept is not None:
        return Found(seen, kept, line, kept=True)
    pattern = match(seen, rules(place.own, place.patterns), folder=folder)
    return None if pattern is None else Found(seen, pattern, line)


FOLDERS = word_set(
    """node_modules __pycache__ .git dist build out coverage .next .nuxt venv .venv env .terraform .aws
    .ssh"""
)
DEFAULT = (*sorted(f"{name}/" for name in FOLDERS), "*.log")
KEPT = (".git/", ".aws/", ".ssh/")
"""Folders that a `.ckignore` can include only after a person has trusted its lines."""
_WILD = re.compile(r"\*+")
_MOST_WILD = 4
_MOST_LINES = 2_000
_SPECIAL = re.compile(r"([\\*?\[\]])")


class Rules(NamedTuple):
    """Compiled patterns in order, each with its source line."""

    lines: tuple[tuple[str, Any], ...]
    problems: tuple[str, ...] = ()


def may_match(path: str) -> bool:
    """Return whether a default pattern may match *path*; fast, and False only if none matches."""
    return path.rstrip("/").endswith(".log") or not FOLDERS.isdisjoint(path.split("/")) or "*" in path


def match(path: str, rules: Rules, *, folder: bool) -> str | None:
    """Return the pattern that excludes *path*, which is relative to the root, or None."""
    found = decisive(path, rules, folder=folder)
    return found[0] if found is not None and found[1] else None


def decisive(path: str, rules: Rules, *, folder: bool) -> tuple[str, bool] | None:
    """Return the last pattern that matches *path* and whether it excludes it, or None without a match."""
    if len(path) > LONGEST or any(len(name) > LONGEST_NAME for name in path.split("/")):
        return None
    spellings = (path, f"{path}/") if folder and not path.endswith("/") else (path,)
    for text, pattern in reversed(rules.lines):
        if any(pattern.match_file(one) is not None for one in spellings):
            return text, pattern.include
    return None


@lru_cache(maxsize=16)
def rules(own: str, extra: tuple[str, ...] = ()) -> Rules:
    """Return the default patterns, then *extra* ones, then the lines of a project's *own* file."""
    lines: list[tuple[str, int | None]] = [(line, None) for line in (*DEFAULT, *extra)]
    lines += [
        (line.removesuffix("\r"), number) for number, line in enumerate(own.split("\n")[:_MOST_LINES], 1)
    ]
    return compiled(lines)


@lru_cache(maxsize=1)
def _kept_rules() -> Rules:
    """Return the patterns that an untrusted `.ckignore` cannot override."""
    return compiled((line, None) for line in KEPT)


def compiled(lines: Iterable[tuple[str, int | None]]) -> Rules:
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern as Pattern  # noqa: PLC0415 -- for few paths

    kept, problems = list[tuple[str, "Any"]](), list[str]()
    for text, number in lines:
        try:
            pattern: Any = None if _costly(text) else Pattern(text)
        except (ValueError, re.error):
            pattern = None
        if pattern is None:
            why = "has too many wildcards" if _costly(text) else "is not a pattern"
            problems.append(f".ckignore line {number} {why}: {text[:80]!r}")
        elif pattern.include is not None:
            kept.append((text, pattern))
    return Rules(tuple(kept), tuple(problems))


def _costly(line: str) -> bool:
    """Return whether matching *line* could be slow; a repository must not be able to delay the guards."""
    return len(line) > LONGEST or len(_WILD.findall(line)) > _MOST_WILD


def reopening(path: str, *, folder: bool) -> str:
    """Return the line of `.ckignore` that includes *path*, or its top folder if *path* is unprintable."""
    if not path.isprintable():
        return f"!/{path.partition('/')[0]}/"
    plain = _SPECIAL.sub(r"\\\1", path.rstrip("/"))
    plain = plain[:-1] + "\\ " if plain.endswith(" ") else plain
    return f"!/{plain}{'/' if folder else ''}"


def seen_from(root: str, path: str) -> str:
    """Return an absolute *path* as patterns see it: relative to the root if inside, else unchanged."""
    base = root.rstrip("/")
    if path == base:
        return ""
    return path[len(base) + 1 :] if base and path.startswith(base + "/") else path.lstrip("/")


def _meant(name: str) -> str:
    """Return the default folder that a globbed *name* matches, or *name*."""
    if not any(mark in name for mark in "*?["):
        return name
    start = name.translate({ord(char): "*" for char in "?["}).partition("*")[0]
    return next((one for one in sorted(FOLDERS) if len(start) > 1 and fnmatchcase(one, name)), name)
