"""Which paths waste an agent's context: the default patterns and the project's `.ckignore`, read as by git.

One thing differs from git on purpose: the last line that matches a path decides, so that `!dist/production/`
brings back a part of an excluded folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, NamedTuple

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern as Pattern

from hookline.hooks._paths.spelling import LONGEST, LONGEST_NAME
from hookline.shell.options import word_set

FOLDERS = word_set(
    """node_modules __pycache__ .git dist build out coverage .next .nuxt venv .venv env .terraform .aws
    .ssh"""
)
DEFAULT = (*sorted(f"{name}/" for name in FOLDERS), "*.log")
KEPT = (".git/", ".aws/", ".ssh/")
"""What a repository cannot open by itself: such lines of its `.ckignore` count once a person trusted them."""
_WILD = re.compile(r"\*+")
_MOST_WILD = 4
_MOST_LINES = 2_000
_SPECIAL = re.compile(r"([\\*?\[\]])")


class Rules(NamedTuple):
    """Compiled lines, in order, each with the text it came from."""

    lines: tuple[tuple[str, Any], ...]
    problems: tuple[str, ...] = ()


def may_match(path: str) -> bool:
    """Whether one of the default patterns could speak about *path*: cheap, and never wrong in saying no."""
    return path.rstrip("/").endswith(".log") or not FOLDERS.isdisjoint(path.split("/")) or "*" in path


def match(path: str, rules: Rules, *, folder: bool) -> str | None:
    """The pattern that keeps *path* (as seen from the root) out; None where nothing does."""
    found = decisive(path, rules, folder=folder)
    return found[0] if found is not None and found[1] else None


def decisive(path: str, rules: Rules, *, folder: bool) -> tuple[str, bool] | None:
    """The last pattern that matches *path*, and whether it keeps it out; None where none matches."""
    if len(path) > LONGEST or any(len(name) > LONGEST_NAME for name in path.split("/")):
        return None
    spellings = (path, f"{path}/") if folder and not path.endswith("/") else (path,)
    for text, pattern in reversed(rules.lines):
        if any(pattern.match_file(one) is not None for one in spellings):
            return text, pattern.include
    return None


@lru_cache(maxsize=16)
def rules(own: str, extra: tuple[str, ...] = ()) -> Rules:
    """The default patterns, then *extra* ones, then the text of a project's *own* file."""
    lines: list[tuple[str, int | None]] = [(line, None) for line in (*DEFAULT, *extra)]
    lines += [
        (line.removesuffix("\r"), number) for number, line in enumerate(own.split("\n")[:_MOST_LINES], 1)
    ]
    return compiled(lines)


@lru_cache(maxsize=1)
def kept() -> Rules:
    """The patterns that no `.ckignore` can undo by itself."""
    return compiled((line, None) for line in KEPT)


def compiled(lines: Iterable[tuple[str, int | None]]) -> Rules:
    kept, problems = list[tuple[str, "Any"]](), list[str]()
    for text, number in lines:
        try:
            pattern: Any = None if _costly(text) else Pattern(text)
        except (ValueError, re.error):
            pattern = None
        if pattern is None:
            why = "has too many wildcards" if _costly(text) else "is no pattern"
            problems.append(f".ckignore line {number} {why}: {text[:80]!r}")
        elif pattern.include is not None:
            kept.append((text, pattern))
    return Rules(tuple(kept), tuple(problems))


def _costly(line: str) -> bool:
    """Patterns that take their time on names made for it: no repository shall hold up a guard."""
    return len(line) > LONGEST or len(_WILD.findall(line)) > _MOST_WILD


def reopening(path: str, *, folder: bool) -> str:
    """The line of `.ckignore` that lets exactly *path* in; for the whole folder if nobody could type it."""
    if not path.isprintable():
        return f"!/{path.partition('/')[0]}/"
    plain = _SPECIAL.sub(r"\\\1", path.rstrip("/"))
    plain = plain[:-1] + "\\ " if plain.endswith(" ") else plain
    return f"!/{plain}{'/' if folder else ''}"


def seen_from(root: str, path: str) -> str:
    """An absolute *path* as the patterns see it: from the root if it lies there, else whole."""
    base = root.rstrip("/")
    if path == base:
        return ""
    return path[len(base) + 1 :] if base and path.startswith(base + "/") else path.lstrip("/")


def wild(names: Sequence[str]) -> str:
    """A path in which globbed names stand for the default folder that they mean, if they mean one."""
    return "/".join(_meant(name) for name in names)


def _meant(name: str) -> str:
    if not any(mark in name for mark in "*?["):
        return name
    start = name.translate({ord(char): "*" for char in "?["}).partition("*")[0]
    return next((one for one in sorted(FOLDERS) if len(start) > 1 and fnmatchcase(one, name)), name)
