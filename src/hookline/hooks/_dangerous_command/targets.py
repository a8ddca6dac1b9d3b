"""The folders that a deletion affects: the rule that protects a path, and lists that commands print."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from fnmatch import fnmatchcase
from itertools import islice
from typing import NamedTuple

from hookline.hooks._dangerous_command.rule import Place
from hookline.hooks._dangerous_command.scratch import is_temporary, join_path
from hookline.lazy import re
from hookline.shell import UNKNOWN, Effect, SimpleCommand, Word
from hookline.shell.effect_programs import find_roots
from hookline.shell.git_runs import GLOBAL_VALUES
from hookline.shell.options import parse_options, word_set

SYSTEM = word_set(
    """/bin /boot /dev /etc /home /lib /lib32 /lib64 /media /mnt /opt /proc /root /run /sbin /snap /srv /sys
    /tmp /usr /usr/bin /usr/lib /usr/lib64 /usr/libexec /usr/local /usr/local/bin /usr/local/lib /usr/sbin
    /usr/share /usr/include /var /var/lib /var/log /var/cache /var/tmp /var/run /var/spool
    /Applications /Library /System /Users /Volumes /private /private/etc /private/var /private/tmp
    /c /C: /mnt/c"""
)
_EMPTIABLE = frozenset({"/tmp", "/var/tmp", "/private/tmp"})
"""Folders that must stay, but may be emptied."""
_EVERYTHING = word_set("* .* ** ?* *.* .[!.]* .??* [!.]* ..?* .[^.]*")
_EXCLUSION = re.compile(r"!\([^()/]*\)")
"""The pattern of all names except a few, which bash matches with `extglob`."""
_HOMES = ("/home", "/Users")


def find_loss(word: Word, cwd: str | None, place: Place) -> str | None:
    """Return the core rule that the deletion of *word* breaks, or None if it is safe or unknown."""
    if UNKNOWN in word.text:
        return _find_unset_loss(word, cwd, place)
    path = join_path(word.text, cwd, place)
    return _find_rule(_emptied_folder(path, word), word, place) if path else None


def _find_unset_loss(word: Word, cwd: str | None, place: Place) -> str | None:
    """Return "rm-unknown" for a path such as `"$X"/*`, which is the root if X is not set.

    Variables that the line sets, or that must be set, are safe.
    """
    rest = word.text.replace(UNKNOWN, "")
    if not word.unset or not rest:
        return None
    emptied = Word(text=rest, span=word.span, glob=word.glob)
    return "rm-unknown" if find_loss(emptied, cwd, place) is not None else None


def _matches_everything(name: str, word: Word) -> bool:
    return (word.glob and name in _EVERYTHING) or _EXCLUSION.fullmatch(name) is not None


def _emptied_folder(path: str, word: Word) -> str:
    """Return the folder that would be deleted or emptied."""
    parts = path.rstrip("/").split("/")
    while parts and _matches_everything(parts[-1], word):
        parts.pop()
    found = posixpath.normpath("/".join(parts) or "/")
    return "/" + found.lstrip("/") if found.startswith("/") else found


def _find_rule(target: str, word: Word, place: Place) -> str | None:
    emptied = _matches_everything(word.text.rstrip("/").rpartition("/")[2], word)
    is_system = target in SYSTEM and not (emptied and target in _EMPTIABLE)
    if target == "/" or is_system or _matches_system(target, word):
        return "rm-root"
    if target in ("~", place.home) or _contains(target, place.home) or posixpath.dirname(target) in _HOMES:
        return "rm-home"
    if target in (place.cwd, place.root) or _contains(target, place.cwd) or _contains(target, place.root):
        return "rm-cwd"
    return None


def _matches_system(target: str, word: Word) -> bool:
    """Return whether a pattern directly under the root, such as `/et?` or `/u*`, matches a system folder."""
    has_pattern = word.glob and target.count("/") == 1 and any(mark in target for mark in "*?[")
    return has_pattern and any(fnmatchcase(folder, target) for folder in SYSTEM)


def _contains(target: str, inner: str) -> bool:
    return bool(inner) and inner.startswith(target.rstrip("/") + "/")


class Listing(NamedTuple):
    """A list of files that a command printed, or that `find -exec` passes on."""

    command: SimpleCommand
    kind: str
    """`folder`, or the kind of list that git printed: `changed`, `tracked`, `untracked`, `worktrees`."""
    narrowed: bool
    """True if a test or filter selects few of the files."""


def find_listing(word: Word, command: SimpleCommand, place: Place) -> Listing | None:
    """Return the list that the unknown part of *word* comes from."""
    if command.name in ("find", "gfind"):
        return Listing(command, "folder", is_narrowed(command))
    sources = place.sources(word.origins)
    if not sources and any(via.startswith(("find -", "fd -")) for via in command.via[-1:]):
        finders = (one for one in reversed(place.earlier()) if one.name in ("find", "gfind", "fd"))
        sources = tuple(islice(finders, 1))
    for source in sources:
        kind = "folder" if source.name in ("find", "gfind", "ls", "fd", "fdfind") else _git_list(source)
        if kind:
            return Listing(source, kind, any(map(is_narrowed, sources)))
    return None


def listed_folders(listing: Listing) -> tuple[Word, ...]:
    """Return the folders whose files the list contains."""
    if listing.command.name in ("find", "gfind"):
        return find_roots(listing.command)
    operands = parse_options(listing.command.words[1:], word_set("-I -w"), mixed=True).operands
    return operands or (Word(text=".", span=listing.command.span),)


def selects_git(listing: Listing) -> bool:
    """Return whether `find` selects the folder `.git` of the project by its name."""
    words = [word.text for word in listing.command.words]
    tests = list(zip(words, words[1:], words[2:], strict=False))
    named = any(
        test in _NAME_TESTS and before not in NOT and _fits_git(value) for before, test, value in tests
    )
    return listing.command.name in ("find", "gfind") and named


def _fits_git(pattern: str) -> bool:
    names = (name for name in pattern.split("/") if name not in ("", ".", ".."))
    first = next((name for name in names if _ANY_NAME.fullmatch(name) is None), "")
    return fnmatchcase(".git", first)


def restores_changes(effect: Effect, command: SimpleCommand, place: Place) -> bool:
    """Return whether changed files are overwritten with committed ones: `git show HEAD:$f > $f` for all."""
    path, folders = effect.path, {place.root, place.cwd} - {""}
    if not path.origins or posixpath.normpath(join_path(path.text, effect.cwd, place)) not in {
        f"{one}/{UNKNOWN}" for one in folders
    }:
        return False
    origins = [origin for word in command.words for origin in word.origins]
    if not any(map(_prints_committed, (command, *place.sources((*command.stdin_origins, *origins))))):
        return False
    listing = find_listing(path, command, place)
    return listing is not None and listing.kind in ("changed", "tracked") and not listing.narrowed


def _prints_committed(command: SimpleCommand) -> bool:
    words = command.words[1:] if command.name == "git" else ()
    prints = any(word.text in ("show", "cat-file") for word in words)
    return prints and any(word.dynamic and ":" in word.text for word in words)


_STATUS = re.compile(r"\^?[\\?MADRC\s.\[\]^$*+()|]*")
"""A pattern that selects states, not names, in the output of `git status`."""


def _git_list(command: SimpleCommand) -> str:
    """Return the kind of files that a git command lists, or an empty string."""
    outer = parse_options(command.words[1:], GLOBAL_VALUES) if command.name == "git" else None
    if outer is None or not outer.operands:
        return ""
    name = outer.operands[0].text
    inner = parse_options(outer.operands[1:], mixed=True)
    if name == "worktree":
        return "worktrees"
    if name == "ls-files":
        if inner.has("-o", "--others"):
            return "untracked"
        return (
            ""
            if inner.has("-d", "--deleted", "-u", "--unmerged")
            else ("changed" if inner.has("-m", "--modified") else "tracked")
        )
    if name == "ls-tree":
        return "tracked"
    if name in ("status", "diff", "diff-files", "diff-index"):
        return "changed" if name == "status" or inner.has("--name-only", "--name-status") else ""
    return ""


def is_narrowed(command: SimpleCommand) -> bool:
    """Return whether *command* selects few of the files that it lists or reads."""
    words = [word.text for word in command.words[1:]]
    if command.name in ("find", "gfind"):
        return _tests_narrow(words)
    if command.name in ("grep", "egrep", "rg", "fgrep"):
        pattern = next((text for text in words if not text.startswith("-")), "")
        inverted = any(text.startswith("-") and not text.startswith("--") and "v" in text for text in words)
        return not inverted and _STATUS.fullmatch(pattern) is None
    if command.name in ("awk", "gawk", "sed"):
        script = next((text for text in words if not text.startswith("-")), "")
        match = re.match(r"\s*(?:\$\d\s*[~=]+\s*)?[/\"]([^/\"]*)[/\"]", script)
        return match is not None and _STATUS.fullmatch(match[1]) is None
    if command.name == "git":
        return _git_narrows(words)
    if command.name in _SKIPS:
        return _SKIPS[command.name].search(" ".join(words)) is None
    return command.name in ("fzf", "comm") or (command.name in ("fd", "fdfind") and bool(words))


_SKIPS: Mapping[str, re.Pattern[str]] = {
    "head": re.compile(r"(?:-n|--lines)[ =]?-\d"),
    "tail": re.compile(r"\+\d"),
}
"""Arguments with which `tail` skips only the first lines, and `head` the last ones."""


def _git_narrows(words: list[str]) -> bool:
    """Return whether a list of git is restricted to some paths, or compares other commits."""
    if any(text.startswith("--diff-filter") for text in words):
        return True
    paths = words[words.index("--") + 1 :] if "--" in words else words[1:]
    names = [text for text in paths if not text.startswith("-") and text not in ("HEAD", "list", ".", ":/")]
    return bool(names)


NOT = word_set("! -not")
_WEAK = word_set(
    "-type -mount -xdev -depth -maxdepth -mindepth -follow -print -print0 -noleaf -size -user -ls -a -and -D"
)
"""Tests that nearly every file passes, and options that are not tests."""
_UNSELECTIVE = _WEAK | NOT | word_set("-delete -H -L -P -f -E -X -O0 -O1 -O2 -O3")
_VALUED = word_set(
    """-type -maxdepth -mindepth -size -user -name -iname -path -ipath -regex -iregex -mtime -mmin -atime
    -amin -ctime -cmin -newer -perm -group -gid -uid -inum -samefile -links -fstype -wholename -iwholename
    -D -lname -ilname -anewer -cnewer -used -xtype -printf -fprint -fprintf -fls -context -regextype"""
)
_NAME_TESTS = word_set("-name -iname -path -ipath -wholename -iwholename -regex -iregex")
_ANY_NAME = re.compile(r"(?:\./)?[*?]*\*[*?]*|\*\.\*|(?:\./)?\^?(?:\.[*+])+\$?")
"""Patterns that match every name or path."""
_SELECTIVE: Mapping[str, re.Pattern[str]] = {
    "-type": re.compile("[lspbcD]"),
    "-size": re.compile(r"\d+[a-zA-Z]?|\+[1-9]\d*[MGT]"),
}
"""Values that make a weak test selective: links only, empty or large files only."""
_ACTIONS = word_set("-exec -execdir -ok -okdir")


def _tests_narrow(words: list[str]) -> bool:
    """Return whether a test of `find` selects few files; a negated name selects nearly everything."""
    rest, negated = list(reversed(words)), False
    while rest:
        text = rest.pop()
        if text in _ACTIONS:
            while rest and rest.pop() not in (";", "+"):
                pass
        elif text in _VALUED:
            if _selects(text, rest.pop() if rest else "", negated=negated):
                return True
        elif text.startswith("-") and text not in _UNSELECTIVE:
            return True
        negated = text in NOT
    return False


def _selects(test: str, value: str, *, negated: bool) -> bool:
    if test in _NAME_TESTS:
        return not negated and _ANY_NAME.fullmatch(value) is None
    selective = _SELECTIVE.get(test)
    return test not in _WEAK or (
        selective is not None and not negated and selective.fullmatch(value) is not None
    )


_SOURCE = re.compile(
    r"(?!.*/__init__\.py$).+\.(?:py|pyi|js|jsx|mjs|cjs|ts|tsx|vue|svelte|go|rs|c|h|cc|cpp|hpp|cs|java|kt|scala|swift|rb|php|pl|lua|ex|exs"
    r"|erl|hs|clj|dart|sh|bash|zsh|ps1|sql|html|css|scss|proto|tf|nix|zig|md|rst|json|ya?ml|toml|cfg|ini)"
)
_DISPOSABLE = re.compile(
    r"/(?:dist|build|out|target|coverage|node_modules|logs?|te?mp|\.[\w-]*cache|__pycache__)/"
    r"|\.(?:log|out|err|tmp|pid|lock|cache)$"
)
"""Files of the project that programs create again, which git often ignores."""
_UNNAMED = re.compile(r"[\0*?\[]")


def loses_source(effect: Effect, path: str, place: Place) -> bool:
    """Return whether a source file of the project has changes that are not committed."""
    folder = place.root or place.cwd
    if not path.startswith(folder + "/") or is_temporary(effect.path, effect.cwd, place):
        return False
    if UNKNOWN in path and effect.path.origins:
        listed = any(one.name in ("find", "git", "fd", "ls") for one in place.sources(effect.path.origins))
        return listed and place.has_changes(folder) is not False
    if effect.path.text in place.made or path in place.made or _DISPOSABLE.search(path):
        return False
    is_source, pattern = _SOURCE.fullmatch(path) is not None, _UNNAMED.search(path)
    changed = place.has_changes(posixpath.dirname(path[: pattern.start()]) if pattern is not None else path)
    return is_source if changed is None or (pattern is not None and changed) else changed
