"""Whether a path lies where an agent wastes its context, and which line would let it in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from hookline.hooks._paths import ignore_rules
from hookline.hooks._paths.spelling import absolute, url


class Ground(NamedTuple):
    """Where paths are judged, and by which patterns."""

    cwd: str
    root: str
    home: str = ""
    own: str = ""
    """The text of the project's `.ckignore`."""
    extra: tuple[str, ...] = ()
    trusted: bool = False
    """Whether a person trusted the lines that open `.git`, `.aws` and `.ssh`."""
    real: Callable[[str], str] = lambda path: path
    is_file: Callable[[str], bool] = lambda path: False


class Found(NamedTuple):
    """A path that is kept out: as it was written, the pattern, and the line that would let it in."""

    path: str
    pattern: str
    line: str
    span: tuple[int, int] | None = None
    kept: bool = False
    """Whether that line would count only once a person trusted it."""


def path(text: str, ground: Ground, *, cwd: str | None = None, parent: bool = False) -> Found | None:
    """What keeps the path *text* out, by its name or by where links lead; *parent* asks for its folder."""
    for seen, whole in _seen(text, ground, cwd=cwd, parent=parent):
        found = _judged(seen, ground, "" if parent else whole)
        if found is not None:
            return found._replace(path=text)
    return None


def reopened(text: str, ground: Ground, *, cwd: str | None = None) -> str | None:
    """The pattern that lets a path in which another keeps out."""
    for seen, whole in _seen(text, ground, cwd=cwd, parent=False):
        folder = not ground.is_file(whole)
        found = ignore_rules.decisive(seen, ignore_rules.rules(ground.own, ground.extra), folder=folder)
        if found is not None and not found[1]:
            return found[0]
    return None


def _seen(text: str, ground: Ground, *, cwd: str | None, parent: bool) -> Iterator[tuple[str, str]]:
    """The path as patterns see it, by its name and by where links lead, and the whole of each."""
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
    """What keeps it out; it is a folder, or the disk tells what lies at the *whole* path."""
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
