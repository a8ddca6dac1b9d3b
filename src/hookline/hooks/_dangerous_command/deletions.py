"""Judge effects on files: deletions, moves, overwritten system files and devices, emptied source files."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from hookline.hooks._dangerous_command.git_history import HISTORY
from hookline.hooks._dangerous_command.machine import DISK, PERMISSIONS, is_device
from hookline.hooks._dangerous_command.rule import CORE, INTERPRETERS, TREES, Finding, Judge, Place
from hookline.hooks._dangerous_command.scratch import (
    is_inside_created,
    is_scratch_folder,
    is_temporary,
    join_path,
)
from hookline.hooks._dangerous_command.tables import table
from hookline.hooks._dangerous_command.targets import (
    Listing,
    find_listing,
    find_loss,
    listed_folders,
    loses_source,
    restores_changes,
    selects_git,
)
from hookline.lazy import re
from hookline.shell import UNKNOWN, Action, Effect, SimpleCommand, Word
from hookline.shell.options import word_set

_GIT_DATA = re.compile(
    r"(?:^|/)\.git(?:/+(?:(?:objects|refs|logs|worktrees|modules|packed-refs|HEAD|config|index)(?:/|$)|[*{.\0]|$)|$)"
    r"|(?:^|/)\.(?:g|\?|\[[^]]*g[^]]*\])(?:i|\?|\[[^]]*i[^]]*\])(?:t|\?|\[[^]]*t[^]]*\])$"
)
_GIT_BLOBS = re.compile(r"(?:^|/)\.git/(?:objects|refs|logs|worktrees|modules|packed-refs|HEAD)(?:/|$)")
"""Files of a repository that cannot be rebuilt."""
_OWN = re.compile(
    r"/(?:\.ssh|\.gnupg|\.aws|\.kube|\.config|\.local|\.password-store|Documents|Desktop|Downloads|Pictures|Music"
    r"|Movies|Videos|Library)"
)
_PARTS = ("/etc/", "/boot/", "/bin/", "/sbin/", "/lib/", "/usr/bin/", "/usr/sbin/", "/System/")
_DATA = re.compile(r"/var/lib/(?!apt/lists)[^/]+/?$")
"""Data folders of services."""
_SETTINGS = re.compile(r"/etc/(?:[^/]+/)*[^/]+\.(?:conf|cfg)|/etc/[^/.]+")
_CRITICAL = re.compile(
    r"/etc/(?:passwd|shadow|group|gshadow|sudoers|fstab|crontab|profile|ld\.so\.preload|ssh/sshd_config)-?"
    r"|/etc/(?:sudoers|pam)\.d/.*|/boot/(?!.*\.bak).+|/proc/sysrq-trigger"
)
"""Files that the system needs to start, or for logins."""
_SOURCE_FOLDERS = word_set("src source sources app apps packages server client backend frontend uploads")
_RECOVERABLE = word_set("git trash trash-put gio rmdir remove-item") | {".net delete", ".net delete-file"}
"""Programs whose deletions can be undone, or have rules of their own."""
_REMOTE_SCRATCH = ("/tmp/", "/var/tmp/", "/var/cache/")
EffectJudge: TypeAlias = Callable[[Effect, SimpleCommand, Place], Iterator[Finding]]


def judge_effects(command: SimpleCommand, place: Place) -> Iterator[Finding]:
    """Judge the effects of *command* on files."""
    for effect in place.effects.get(place.index, ()):
        judge = _EFFECT_JUDGES.get(effect.action)
        if judge is not None and effect.certain:
            yield from judge(effect, command, place)


def _judge_deletion(effect: Effect, command: SimpleCommand, place: Place) -> Iterator[Finding]:
    word, path = effect.path, _absolute(effect, place)
    if command.name in _RECOVERABLE or is_inside_created(command, place):
        return
    if command.name == "rsync":
        yield from _judge_mirror(effect, command, place)
        return
    listing = find_listing(word, command, place) if _may_be_listed(word, command) else None
    if listing is not None:
        yield from _judge_listed(effect, command, listing, place)
    yield from _judge_path(effect, command, path, place)


def _judge_mirror(effect: Effect, command: SimpleCommand, place: Place) -> Iterator[Finding]:
    if not is_temporary(effect.path, effect.cwd, place):
        dear = find_loss(effect.path, effect.cwd, place) in ("rm-root", "rm-home")
        yield TREES.find("rsync-delete", command, effect.path, None if dear else "ask")


def _judge_path(effect: Effect, command: SimpleCommand, path: str, place: Place) -> Iterator[Finding]:
    word = effect.path
    if effect.recursive and command.name not in ("find", "gfind"):
        yield from _judge_tree(effect, command, path, place)
    elif _CRITICAL.fullmatch(path):
        yield TREES.find("system-file", command, word)
    elif _SETTINGS.fullmatch(path):
        yield TREES.find("rm-system-part", command, word, "ask")
    elif _is_git_data(effect, command, place, _GIT_BLOBS):
        yield HISTORY.find("rm-git-metadata", command, word)
    elif posixpath.basename(path) in ("*", UNKNOWN):
        folder = Word(text=posixpath.dirname(path), span=word.span)
        if _is_own(folder.text, place) or find_loss(folder, effect.cwd, place) == "rm-home":
            yield TREES.find("rm-home-folder", command, word)


def _is_own(path: str, place: Place) -> bool:
    """Return whether *path* is a folder with keys, settings or documents of the user."""
    home = place.home
    return bool(home) and path.startswith(home) and _OWN.fullmatch(path, len(home)) is not None


def _may_be_listed(word: Word, command: SimpleCommand) -> bool:
    by_find = command.name in ("find", "gfind") or any(via.startswith("find -") for via in command.via[-1:])
    return by_find or (UNKNOWN in word.text and bool(word.origins))


def _judge_listed(
    effect: Effect, command: SimpleCommand, listing: Listing, place: Place
) -> Iterator[Finding]:
    """Judge the deletion of files that another command listed: the folders of find and ls, lists of git."""
    whole = not listing.narrowed and not is_scratch_folder(listing.command, place)
    if listing.kind != "folder":
        rule = _LISTED.get(listing.kind)
        if rule is not None and whole:
            yield (CORE if rule in CORE.rules else HISTORY).find(rule, command, effect.path)
        return
    for root in listed_folders(listing):
        rule = find_loss(root, listing.command.cwd, place)
        is_git = selects_git(listing) or (_GIT_DATA.search(root.text) and not listing.narrowed)
        if is_git and not is_scratch_folder(listing.command, place):
            yield HISTORY.find("rm-git-metadata", command, root)
        if rule in (None, "rm-unknown") or (listing.narrowed and root.text != "/"):
            continue
        if (effect.recursive and not listing.narrowed and rule != "rm-root") or rule == "rm-home":
            yield CORE.find(rule, command, root)
        else:
            asks = listing.narrowed or rule == "rm-cwd"
            yield TREES.find("find-delete", command, root, "ask" if asks else None)


_LISTED = {
    "untracked": "git-clean-force",
    "changed": "git-checkout-dot",
    "tracked": "git-rm-all",
    "worktrees": "git-worktree-force",
}
"""Rules about the deletion of all files that git lists."""


def _judge_tree(effect: Effect, command: SimpleCommand, path: str, place: Place) -> Iterator[Finding]:
    word, core = effect.path, find_loss(effect.path, effect.cwd, place)
    moved = [find_loss(source, cwd, place) for source, cwd in _moved_sources(effect, place)]
    core = core or next(filter(None, moved), None)
    if core is not None:
        yield CORE.find(core, command, word, "ask" if core == "rm-unknown" else None)
    elif _is_git_data(effect, command, place, _GIT_DATA):
        yield HISTORY.find("rm-git-metadata", command, word)
    elif _is_own(path.removesuffix("/*"), place):
        yield TREES.find("rm-home-folder", command, word)
    elif path.startswith(_PARTS) or _DATA.match(path):
        yield TREES.find("rm-system-part", command, word, "ask")
    elif _is_source_folder(path, place) and place.has_changes(path) is not False:
        yield CORE.find("rm-sources", command, word, "ask")
    elif _is_code(command) and _deletes_unknown_entry(effect, place):
        yield INTERPRETERS.find("code-delete", command, word)
    elif _is_elsewhere(command) and word.text.startswith("/") and not path.startswith(_REMOTE_SCRATCH):
        yield TREES.find("rm-remote", command, word, "ask")


def _is_source_folder(path: str, place: Place) -> bool:
    """Return whether *path* is the folder with the sources of the project, or with data of its users."""
    folder, _, name = path.rpartition("/")
    return folder == (place.root or place.cwd) and name in _SOURCE_FOLDERS


def _is_git_data(effect: Effect, command: SimpleCommand, place: Place, pattern: re.Pattern[str]) -> bool:
    """Return whether the effect is on a repository's own data, outside of scratch repositories."""
    paths = [(effect.path, effect.cwd), *_moved_sources(effect, place)]
    found = [
        (word, cwd)
        for word, cwd in paths
        if pattern.search((join_path(word.text, cwd, place) or word.text).rstrip("/"))
    ]
    return any(not is_temporary(word, cwd, place) for word, cwd in found) and not (
        not effect.path.text.startswith("/") and is_scratch_folder(command, place)
    )


def _moved_sources(effect: Effect, place: Place) -> tuple[tuple[Word, str | None], ...]:
    return place.moved.get(join_path(effect.path.text, effect.cwd, place), ())


def _is_code(command: SimpleCommand) -> bool:
    """Return whether the command stands for a call in code, such as `python rmtree()`."""
    return bool(command.via) and command.via[-1].endswith("()") and " " in command.via[-1]


def _deletes_unknown_entry(effect: Effect, place: Place) -> bool:
    """Return whether code deletes an entry of a protected folder whose name is known only at run time."""
    folder, _, name = effect.path.text.rpartition("/")
    parent = Word(text=folder or "/", span=effect.path.span)
    return name == UNKNOWN and find_loss(parent, effect.cwd, place) is not None


def _is_elsewhere(command: SimpleCommand) -> bool:
    return any(via in ("ssh", "ansible -a", "database !") or via.endswith(" exec") for via in command.via)


def _absolute(effect: Effect, place: Place) -> str:
    return posixpath.normpath(join_path(effect.path.text, effect.cwd, place) or ".")


def _judge_move(effect: Effect, command: SimpleCommand, place: Place) -> Iterator[Finding]:
    word = effect.path
    rule = find_loss(word, effect.cwd, place)
    if rule in ("rm-root", "rm-home"):
        yield TREES.find("mv-root", command, word)
    elif _CRITICAL.fullmatch(_absolute(effect, place)):
        yield TREES.find("system-file", command, word)
    elif _moves_away(place):
        if _is_git_data(effect, command, place, _GIT_DATA):
            yield HISTORY.find("rm-git-metadata", command, word)
        elif rule == "rm-cwd":
            yield CORE.find(rule, command, word, "ask")
        elif _is_own(_absolute(effect, place).removesuffix("/*"), place):
            yield TREES.find("rm-home-folder", command, word)


def _moves_away(place: Place) -> bool:
    """Return whether the target of the command is in a temporary folder, from which it may vanish."""
    if (known := place.moving_away.get(place.index)) is None:
        written = [one for one in place.effects.get(place.index, ()) if one.action == "write"]
        known = place.moving_away[place.index] = any(is_temporary(o.path, o.cwd, place) for o in written)
    return known


def _judge_content(effect: Effect, command: SimpleCommand, place: Place) -> Iterator[Finding]:
    """Judge a written file: a device, a file that the system needs, a repository's data, a source file."""
    word, path = effect.path, _absolute(effect, place)
    if path == "/proc/sysrq-trigger":
        yield DISK.find("machine-off", command, word, "block")
    elif is_device(path):
        yield DISK.find("device-write", command, word)
    elif effect.action == "write" and restores_changes(effect, command, place):
        yield CORE.find("git-checkout-dot", command, word)
    elif command.name == "git":
        return
    elif _CRITICAL.fullmatch(path):
        yield TREES.find("system-file", command, word)
    elif effect.action in ("truncate", "write") and _is_git_data(
        effect, command, place, _GIT_DATA if effect.action == "truncate" else _GIT_BLOBS
    ):
        yield HISTORY.find("rm-git-metadata", command, word)
    elif effect.action == "truncate" and loses_source(effect, path, place):
        yield CORE.find("truncate-source", command, word, "ask")


def _judge_mode(effect: Effect, command: SimpleCommand, place: Place) -> Iterator[Finding]:
    by_find = any(via.startswith("find ") for via in command.via[-1:])
    if not (effect.recursive or by_find):
        return
    listing = find_listing(effect.path, command, place) if by_find else None
    words = listed_folders(listing) if listing is not None else (effect.path,)
    for word in words:
        if find_loss(word, effect.cwd, place) in ("rm-root", "rm-home") and not (
            listing and listing.narrowed
        ):
            yield PERMISSIONS.find("mode-of-tree", command, word)


_EFFECT_JUDGES: Mapping[Action, EffectJudge] = {
    "delete": _judge_deletion,
    "move": _judge_move,
    "mode": _judge_mode,
    **dict.fromkeys(("write", "append", "edit", "truncate"), _judge_content),
}


def _rsync(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge `rsync --delete` onto another machine, which has no effect here."""
    operands = [word.text for word in words if not word.text.startswith("-")]
    deletes = any(word.text.startswith("--del") for word in words)
    dry = any(re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*|--dry-run|--list-only", word.text) for word in words)
    is_local = any(one.action == "delete" for one in place.effects.get(place.index, ()))
    if deletes and operands and not dry and not is_local and not is_temporary(words[-1], command.cwd, place):
        yield TREES.find("rsync-delete", command, None, "ask")


JUDGES: Mapping[str, Judge] = {"rsync": _rsync, **table(TREES, "crontab -r crontab-remove", values="-u")}
