"""Find the pattern that excludes a path, and the line of `.ckignore` that would include it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from hookline.hooks._paths import ignore_rules
from hookline.hooks._paths.spelling import absolute, url
from hookline.shell import NO_FACTS, Facts

_SMALL_FILE = re.compile(
    r"(?:^|/)\.?venv/pyvenv\.cfg$|(?:^|/)\.git/(?:(?:modules|worktrees)/[^*?]+/)?(?:config|description|packed-refs|[A-Z_]+|(?:hooks|info|refs|rebase-merge|rebase-apply)(?:/[^*?]*)?)/?$"
)
"""Small files of a git folder or a virtual environment, which waste nothing."""


class Ground(NamedTuple):
    """The folders and patterns by which paths are judged."""

    cwd: str
    root: str
    home: str = ""
    own: str = ""
    """The text of the project's `.ckignore`."""
    extra: tuple[str, ...] = ()
    trusted: bool = False
    """True if a person has trusted the lines that include `.git`, `.aws` and `.ssh`."""
    real: Callable[[str], str] = lambda path: path
    is_file: Callable[[str], bool] = lambda path: False
    facts: Facts = NO_FACTS


class Found(NamedTuple):
    """An excluded path: its text, the pattern, and the line that would include it."""

    path: str
    pattern: str
    line: str
    span: tuple[int, int] | None = None
    kept: bool = False
    """True if that line takes effect only after a person has trusted it."""


def path(text: str, ground: Ground, *, cwd: str | None = None, parent: bool = False) -> Found | None:
    """Return the pattern that excludes *text*, by name or by links; with *parent*, that of its folder."""
    for seen, whole in _seen(text, ground, cwd=cwd, parent=parent):
        found = _judged(seen, ground, "" if parent else whole)
        if found is not None:
            return found._replace(path=text)
    return None


def reopened(text: str, ground: Ground, *, cwd: str | None = None) -> str | None:
    """Return the pattern that includes a path which another one excludes, or None."""
    for seen, whole in _seen(text, ground, cwd=cwd, parent=False):
        folder = not ground.is_file(whole)
        found = ignore_rules.decisive(seen, ignore_rules.rules(ground.own, ground.extra), folder=folder)
        if found is not None and not found[1]:
            return found[0]
    return None


def _seen(text: str, ground: Ground, *, cwd: str | None, parent: bool) -> Iterator[tuple[str, str]]:
    """Yield the path as patterns see it, by name and with links resolved, each with its absolute path."""
    if url(text):
        return
    named = absolute(text, cwd or ground.cwd, ground.home)
    real = ground.real(named)
    places = [(named, ground.root)] + ([(real, ground.real(ground.root))] if real != named else [])
    for whole, root in places:
        inside = ignore_rules.seen_from(root, whole)
        seen = inside.rpartition("/")[0] if parent else inside
        if seen:
            yield seen, whole


def _judged(seen: str, ground: Ground, whole: str) -> Found | None:
    """Return the pattern that excludes *seen*.

    It is a folder if *whole* is empty; otherwise the disk is asked for the file at *whole*.
    """
    if _SMALL_FILE.search(seen):
        return None
    seen = ignore_rules.wild(seen.split("/"))
    if not (ground.own.strip() or ground.extra or ignore_rules.may_match(seen)):
        return None
    folder = not whole or not ground.is_file(whole)
    line = ignore_rules.reopening(seen, folder=folder)
    if not ground.trusted:
        kept = ignore_rules.match(seen, ignore_rules.kept(), folder=folder)
        if kept is not None:
            return Found(seen, kept, line, kept=True)
    pattern = ignore_rules.match(seen, ignore_rules.rules(ground.own, ground.extra), folder=folder)
    return None if pattern is None else Found(seen, pattern, line)
