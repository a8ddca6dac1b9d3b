"""Judge `rm` of important folders: the root, system folders, the home, the project, git's own data."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from hookline.hooks._dangerous_command.git_history import HISTORY
from hookline.hooks._dangerous_command.rule import CORE, INTERPRETERS, Finding, Judge, Pack, Place
from hookline.shell import UNKNOWN, SimpleCommand, Word
from hookline.shell.options import parse_options, word_set

TREES = Pack(
    "system-trees",
    {
        "rm-home-folder": (
            "This would delete a folder of the user's own: keys, settings or documents.",
            "Name the one thing inside it that has to go.",
        ),
        "rm-system-part": (
            "This would delete a part of the system's own folders.",
            "Let the package manager remove what it installed; delete only what you created.",
        ),
        "rm-remote": (
            "This would delete a whole folder on another machine.",
            "Look first with `ssh HOST ls DIR`, and ask the user to delete there.",
        ),
        "find-delete": (
            "This would delete everything that find finds in a protected folder.",
            "Look with `find . -name '*.tmp' -print` first, then delete under a folder of your own.",
        ),
        "mv-root": (
            "This would move system folders or a home away from where everything looks for them.",
            "Copy what you need with `cp -r DIR/NAME COPY`.",
        ),
        "rsync-delete": (
            "rsync with --delete removes everything at the target that the source does not have.",
            "Look with `rsync -an --delete SOURCE/ TARGET/` first, or leave --delete out.",
        ),
        "system-file": (
            "This would overwrite or delete a file that the system needs to start or to let people in.",
            "Copy it with `cp /etc/hosts hosts.bak` and show the person the change to make.",
        ),
        "system-upload": (
            "This would put a file into the system folders of another machine.",
            "Copy to your own folder there: `scp FILE HOST:FILE`.",
        ),
        "crontab-remove": (
            "This deletes all scheduled jobs of the user.",
            "Look with `crontab -l`, and edit the one line.",
        ),
    },
)


SYSTEM = word_set(
    """/bin /boot /dev /etc /home /lib /lib32 /lib64 /media /mnt /opt /proc /root /run /sbin /snap /srv /sys
    /tmp /usr /usr/bin /usr/lib /usr/lib64 /usr/libexec /usr/local /usr/local/bin /usr/local/lib /usr/sbin
    /usr/share /usr/include /var /var/lib /var/log /var/cache /var/tmp /var/run /var/spool
    /Applications /Library /System /Users /Volumes /private /private/etc /private/var /private/tmp
    /c /C: /mnt/c"""
)
_SCRATCH_FOLDERS = frozenset({"/tmp", "/var/tmp", "/private/tmp"})  # noqa: S108 -- nothing is written there
"""Folders that must stay, but may be emptied."""
_EVERYTHING = word_set("* .* ** ?* *.* .[!.]* .??* [!.]* ..?* .[^.]*")
_HOMES = ("/home", "/Users")


def loss(word: Word, cwd: str | None, place: Place) -> str | None:
    """Return the core rule that the deletion of *word* breaks, or None if it is safe or unknown."""
    if UNKNOWN in word.text:
        return _unset(word, cwd, place)
    path = whole(word.text, cwd, place)
    return _rule(_normal(path, word), word, place) if path else None


def whole(text: str, cwd: str | None, place: Place) -> str:
    """Return *text* as an absolute path, or an empty string if the working folder is unknown."""
    if not text or text.startswith("/") or (not place.home and text.startswith("~")):
        return text
    return "" if cwd is None else posixpath.join(cwd, text)


def _unset(word: Word, cwd: str | None, place: Place) -> str | None:
    """Return "rm-unknown" for a path such as `"$X"/*`, which is the root if X is not set.

    Variables that the line sets, or that must be set, are safe.
    """
    rest = word.text.replace(UNKNOWN, "")
    if not word.unset or not rest:
        return None
    emptied = Word(text=rest, span=word.span, glob=word.glob)
    return "rm-unknown" if loss(emptied, cwd, place) is not None else None


def _normal(path: str, word: Word) -> str:
    """Return the folder that would be deleted or emptied."""
    parts = path.rstrip("/").split("/")
    while word.glob and parts and parts[-1] in _EVERYTHING:
        parts.pop()
    found = posixpath.normpath("/".join(parts) or "/")
    return "/" + found.lstrip("/") if found.startswith("/") else found


def _rule(target: str, word: Word, place: Place) -> str | None:
    emptied = word.glob and word.text.rstrip("/").rpartition("/")[2] in _EVERYTHING
    if (
        target == "/"
        or (target in SYSTEM and not (emptied and target in _SCRATCH_FOLDERS))
        or _globbed(target, word)
    ):
        return "rm-root"
    if target in ("~", place.home) or _holds(target, place.home) or posixpath.dirname(target) in _HOMES:
        return "rm-home"
    if target in (place.cwd, place.root) or _holds(target, place.cwd) or _holds(target, place.root):
        return "rm-cwd"
    return None


def _globbed(target: str, word: Word) -> bool:
    """Return whether a pattern directly under the root, such as `/et?` or `/u*`, matches a system folder."""
    patterned = word.glob and target.count("/") == 1 and any(mark in target for mark in "*?[")
    return patterned and any(fnmatchcase(one, target) for one in SYSTEM)


def _holds(target: str, inner: str) -> bool:
    return bool(inner) and inner.startswith(target.rstrip("/") + "/")


_NAMES = word_set(
    """--force --interactive --one-file-system --no-preserve-root --preserve-root --recursive --dir --verbose
    --help --version"""
)
_METADATA = re.compile(
    r"(?:^|/)\.git(?:/(?:(?:objects|refs|logs|worktrees|modules|packed-refs)(?:/|$)|[*{]|$)|$)"
)
_OWN = re.compile(
    r"/(?:\.ssh|\.gnupg|\.aws|\.kube|\.config|\.local|\.password-store|Documents|Desktop|Downloads|Pictures|Music"
    r"|Movies|Videos|Library)"
)
_PARTS = ("/etc/", "/boot/", "/bin/", "/sbin/", "/lib/", "/usr/bin/", "/usr/sbin/", "/System/")
_DATA = re.compile(r"/var/lib/(?!apt/lists)[^/]+/?$")
"""Data folders of services."""
_SETTINGS = re.compile(r"/etc/(?:[^/]+/)*[^/]+\.(?:conf|cfg)|/etc/[^/.]+")
_SCRATCH = ("/tmp/", "/var/tmp/")  # noqa: S108 -- nothing is written there
CRITICAL = re.compile(
    r"/etc/(?:passwd|shadow|group|gshadow|sudoers|fstab|crontab|profile|ld\.so\.preload|ssh/sshd_config)-?"
    r"|/etc/(?:sudoers|pam)\.d/.*|/boot/(?!.*\.bak).+|/proc/sysrq-trigger"
)
"""Files that the system needs to start, or for logins."""


def rm(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    split = parse_options(words, mixed=True, names=_NAMES)
    if split.has("--help", "--version"):
        return
    recursive = split.has("-r", "-R", "--recursive") or command.name in ("rimraf", "del-cli")
    for word in split.operands:
        path = posixpath.normpath(whole(word.text, command.cwd, place) or ".")
        if recursive:
            yield from _tree(command, word, path, place)
        elif CRITICAL.fullmatch(path):
            yield TREES.find("system-file", command, word)
        elif _SETTINGS.fullmatch(path):
            yield TREES.find("rm-system-part", command, word, "ask")


def _tree(command: SimpleCommand, word: Word, path: str, place: Place) -> Iterator[Finding]:
    core = loss(word, command.cwd, place)
    if core is not None:
        yield CORE.find(core, command, word, "ask" if core == "rm-unknown" else None)
    elif _METADATA.search(word.text) and not path.startswith(_SCRATCH):
        yield HISTORY.find("rm-git-metadata", command, word)
    elif place.home and path.startswith(place.home) and _OWN.fullmatch(path[len(place.home) :]):
        yield TREES.find("rm-home-folder", command, word)
    elif path.startswith(_PARTS) or _DATA.match(path):
        yield TREES.find("rm-system-part", command, word, "ask")
    elif _by_code(command) and word.text.startswith(("/", "~", UNKNOWN)) and not _inside(path, place.root):
        yield INTERPRETERS.find("code-delete", command, word)
    elif "ssh" in command.via and word.text.startswith("/") and not path.startswith(_SCRATCH):
        yield TREES.find("rm-remote", command, word, "ask")


def _by_code(command: SimpleCommand) -> bool:
    """Return whether the command stands for a call in code, such as `python rmtree()`."""
    return bool(command.via) and command.via[-1].endswith("()") and " " in command.via[-1]


def _inside(path: str, root: str) -> bool:
    return bool(root) and path.startswith(root + "/")


JUDGES: Mapping[str, Judge] = dict.fromkeys(("rm", "grm", "rimraf", "del-cli"), rm)
