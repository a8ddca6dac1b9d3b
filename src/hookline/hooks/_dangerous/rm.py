"""`rm` of what nobody wants gone: the root, system folders, the home, the project, git's own data."""

import posixpath
import re
from collections.abc import Iterator, Mapping

from hookline.bash import UNKNOWN, Simple, Word
from hookline.bash.options import options, spelled
from hookline.hooks._dangerous._folders import loss, whole
from hookline.hooks._dangerous.core import CORE
from hookline.hooks._dangerous.finding import Finding, Judge, Place
from hookline.hooks._dangerous.history import HISTORY
from hookline.hooks._dangerous.interpreters import INTERPRETERS
from hookline.hooks._dangerous.trees import TREES

_NAMES = spelled(
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
"""Where services keep what they know."""
_SETTINGS = re.compile(r"/etc/(?:[^/]+/)*[^/]+\.(?:conf|cfg)|/etc/[^/.]+")
_SCRATCH = ("/tmp/", "/var/tmp/")  # noqa: S108 -- nothing is written there
CRITICAL = re.compile(
    r"/etc/(?:passwd|shadow|group|gshadow|sudoers|fstab|crontab|profile|ld\.so\.preload|ssh/sshd_config)-?"
    r"|/etc/(?:sudoers|pam)\.d/.*|/boot/(?!.*\.bak).+|/proc/sysrq-trigger"
)
"""Files that the system needs to start, or to let people in."""


def rm(command: Simple, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    split = options(words, mixed=True, names=_NAMES)
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


def _tree(command: Simple, word: Word, path: str, place: Place) -> Iterator[Finding]:
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


def _by_code(command: Simple) -> bool:
    """Whether a call such as `python rmtree()` stands behind it."""
    return bool(command.via) and command.via[-1].endswith("()") and " " in command.via[-1]


def _inside(path: str, root: str) -> bool:
    return bool(root) and path.startswith(root + "/")


JUDGES: Mapping[str, Judge] = dict.fromkeys(("rm", "grm", "rimraf", "del-cli"), rm)
