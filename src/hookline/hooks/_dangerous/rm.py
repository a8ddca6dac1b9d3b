"""`rm` of whole trees that nobody wants gone: the root, system folders, the home, the project."""

import posixpath
from collections.abc import Iterator
from fnmatch import fnmatchcase

from hookline.bash import UNKNOWN, Simple, Word
from hookline.bash.options import options, spelled
from hookline.hooks._dangerous.finding import Finding, Place

SYSTEM = spelled(
    """/bin /boot /dev /etc /home /lib /lib32 /lib64 /media /mnt /opt /proc /root /run /sbin /snap /srv /sys
    /tmp /usr /usr/bin /usr/lib /usr/lib64 /usr/libexec /usr/local /usr/local/bin /usr/local/lib /usr/sbin
    /usr/share /usr/include /var /var/lib /var/log /var/cache /var/tmp /var/run /var/spool
    /Applications /Library /System /Users /Volumes /private /private/etc /private/var /c /C:"""
)
_SHARED = frozenset({"/tmp", "/var/tmp"})  # noqa: S108 -- names of folders to keep, nothing is written there
"""Folders to keep whose content is everybody's scratch."""
_EVERYTHING = frozenset({"*", ".*", "**", "?*", "*.*", ".[!.]*", ".??*", "[!.]*", "..?*", ".[^.]*", "{*,.*}"})
_NAMES = spelled(
    """--force --interactive --one-file-system --no-preserve-root --preserve-root --recursive --dir --verbose
    --help --version"""
)


def rm(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    split = options(words, mixed=True, names=_NAMES)
    if not split.has("-r", "-R", "--recursive") or split.has("--help", "--version"):
        return
    for word in split.operands:
        target = _target(word, command.cwd, place)
        rule = _rule(target, word, place) if target is not None else None
        if rule is not None:
            yield _finding(rule, word, command)


def _target(word: Word, cwd: str | None, place: Place) -> str | None:
    """The folder that would be gone or empty; None when only running would tell."""
    text = word.text
    if UNKNOWN in text or not text:
        return None
    if text.startswith("/") or (not place.home and text.startswith("~")):
        return _normal(text, word)
    return None if cwd is None else _normal(posixpath.join(cwd, text), word)


def _normal(path: str, word: Word) -> str:
    parts = path.rstrip("/").split("/")
    while word.glob and parts and parts[-1] in _EVERYTHING:
        parts.pop()
    found = posixpath.normpath("/".join(parts) or "/")
    return "/" + found.lstrip("/") if found.startswith("//") else found


def _rule(target: str, word: Word, place: Place) -> str | None:
    emptied = word.glob and word.text.rstrip("/").rpartition("/")[2] in _EVERYTHING
    if target == "/" or (target in SYSTEM and not (emptied and target in _SHARED)) or _globbed(target, word):
        return "rm-root"
    if target in ("~", place.home) or _holds(target, place.home):
        return "rm-home"
    if target in (place.cwd, place.root) or _holds(target, place.cwd) or _holds(target, place.root):
        return "rm-cwd"
    return None


def _globbed(target: str, word: Word) -> bool:
    """`/et?` and `/u*`: a pattern directly under the root that takes a system folder with it."""
    return word.glob and target.count("/") == 1 and any(fnmatchcase(one, target) for one in SYSTEM)


def _holds(target: str, inner: str) -> bool:
    return bool(inner) and inner.startswith(target.rstrip("/") + "/")


_REASONS = {
    "rm-root": (
        "This would delete the file system's root or a system folder",
        "Delete only folders you created",
    ),
    "rm-home": ("This would delete the user's home folder", "Name the one folder inside it that has to go"),
    "rm-cwd": (
        "This would delete the project's folder or all that is in it",
        "Name the folders that have to go, such as build or dist; `git clean -n` shows what is not tracked",
    ),
}


def _finding(rule: str, word: Word, command: Simple) -> Finding:
    reason, instead = _REASONS[rule]
    return Finding(
        rule=rule,
        reason=f"{reason}: `rm -r {word.text}` in {command.cwd or 'an unknown folder'}.",
        instead=f"{instead}. If all of it really must go, ask the person you work for to do it.",
        span=word.span if _within(word.span, command.span) else command.span,
    )


def _within(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]
