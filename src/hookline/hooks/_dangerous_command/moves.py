"""Moves, mirrors and copies that would destroy important data: mv, rsync --delete, scp, crontab -r."""

from collections.abc import Iterator, Mapping

from hookline.hooks._dangerous_command.rm import SYSTEM, TREES, loss
from hookline.hooks._dangerous_command.rule import Finding, Judge, Place
from hookline.shell import SimpleCommand, Word
from hookline.shell.options import parse_options, word_set
from hookline.shell.remote import SCP_VALUES

_MV_VALUES = word_set("-t -S --target-directory --suffix")
_RSYNC_VALUES = word_set(
    "-e -f -T -M --rsh --exclude --include --filter --files-from --exclude-from --include-from"
)
_DELETING = word_set(
    """--del --delete --delete-before --delete-during --delete-delay --delete-after --delete-excluded
    --remove-source-files"""
)


def _mv(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    split = parse_options(words, _MV_VALUES, mixed=True)
    given = split.has("-t", "--target-directory")
    for word in split.operands if given else split.operands[:-1]:
        if loss(word, command.cwd, place) in ("rm-root", "rm-home"):
            yield TREES.find("mv-root", command, word)


def _rsync(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    split = parse_options(words, _RSYNC_VALUES, mixed=True)
    if split.has("-n", "--dry-run", "--list-only", "--help") or not split.has(*_DELETING):
        return
    target = split.operands[-1] if split.operands else None
    dear = target is not None and loss(target, command.cwd, place) in ("rm-root", "rm-home")
    yield TREES.find("rsync-delete", command, target, None if dear else "ask")


def _scp(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    operands = parse_options(words, SCP_VALUES, mixed=True).operands
    host, colon, path = operands[-1].text.partition(":") if len(operands) > 1 else ("", "", "")
    folder = path.rstrip("/").rpartition("/")[0] if not path.endswith("/") else path.rstrip("/")
    if colon and "/" not in host and path.startswith("/") and _system(folder):
        yield TREES.find("system-upload", command, operands[-1], "ask")


def _system(folder: str) -> bool:
    if folder.startswith(("/etc", "/boot", "/bin", "/sbin", "/lib", "/root", "/var/lib")) or not folder:
        return True
    return folder in SYSTEM and folder.startswith("/usr")


def _crontab(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    if parse_options(words, ("-u",)).has("-r"):
        yield TREES.find("crontab-remove", command)


JUDGES: Mapping[str, Judge] = {
    "mv": _mv,
    "gmv": _mv,
    "rsync": _rsync,
    "scp": _scp,
    "crontab": _crontab,
}
