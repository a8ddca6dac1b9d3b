"""Folders that nobody wants gone, and the patterns that mean all that is in one."""

import posixpath
from fnmatch import fnmatchcase

from hookline.bash import UNKNOWN, Word
from hookline.bash.options import spelled
from hookline.hooks._dangerous.finding import Place

SYSTEM = spelled(
    """/bin /boot /dev /etc /home /lib /lib32 /lib64 /media /mnt /opt /proc /root /run /sbin /snap /srv /sys
    /tmp /usr /usr/bin /usr/lib /usr/lib64 /usr/libexec /usr/local /usr/local/bin /usr/local/lib /usr/sbin
    /usr/share /usr/include /var /var/lib /var/log /var/cache /var/tmp /var/run /var/spool
    /Applications /Library /System /Users /Volumes /private /private/etc /private/var /private/tmp
    /c /C: /mnt/c"""
)
_SCRATCH = frozenset({"/tmp", "/var/tmp", "/private/tmp"})  # noqa: S108 -- nothing is written there
"""Folders to keep whose content may go."""
_EVERYTHING = spelled("* .* ** ?* *.* .[!.]* .??* [!.]* ..?* .[^.]*")
_HOMES = ("/home", "/Users")


def loss(word: Word, cwd: str | None, place: Place) -> str | None:
    """Which core rule the deletion of *word* breaks; None when it is fine, or only running would tell."""
    if UNKNOWN in word.text:
        return _unset(word, cwd, place)
    path = whole(word.text, cwd, place)
    return _rule(_normal(path, word), word, place) if path else None


def whole(text: str, cwd: str | None, place: Place) -> str:
    """*text* as an absolute path; empty where only running would tell."""
    if not text or text.startswith("/") or (not place.home and text.startswith("~")):
        return text
    return "" if cwd is None else posixpath.join(cwd, text)


def _unset(word: Word, cwd: str | None, place: Place) -> str | None:
    """`rm -rf "$X"/*` deletes the root where X is not set; it is fine if the line sets it, or insists."""
    rest = word.text.replace(UNKNOWN, "")
    if not word.unset or not rest:
        return None
    emptied = Word(text=rest, span=word.span, glob=word.glob)
    return "rm-unknown" if loss(emptied, cwd, place) is not None else None


def _normal(path: str, word: Word) -> str:
    """The folder that would be gone or empty."""
    parts = path.rstrip("/").split("/")
    while word.glob and parts and parts[-1] in _EVERYTHING:
        parts.pop()
    found = posixpath.normpath("/".join(parts) or "/")
    return "/" + found.lstrip("/") if found.startswith("/") else found


def _rule(target: str, word: Word, place: Place) -> str | None:
    emptied = word.glob and word.text.rstrip("/").rpartition("/")[2] in _EVERYTHING
    if target == "/" or (target in SYSTEM and not (emptied and target in _SCRATCH)) or _globbed(target, word):
        return "rm-root"
    if target in ("~", place.home) or _holds(target, place.home) or posixpath.dirname(target) in _HOMES:
        return "rm-home"
    if target in (place.cwd, place.root) or _holds(target, place.cwd) or _holds(target, place.root):
        return "rm-cwd"
    return None


def _globbed(target: str, word: Word) -> bool:
    """`/et?` and `/u*`: a pattern directly under the root that takes a system folder with it."""
    patterned = word.glob and target.count("/") == 1 and any(mark in target for mark in "*?[")
    return patterned and any(fnmatchcase(one, target) for one in SYSTEM)


def _holds(target: str, inner: str) -> bool:
    return bool(inner) and inner.startswith(target.rstrip("/") + "/")
