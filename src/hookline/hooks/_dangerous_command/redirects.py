"""Judge the targets of `>`, tee, cp and similar programs: devices, and files that the system needs."""

import posixpath
from collections.abc import Iterator, Mapping

from hookline.hooks._dangerous_command.disk import DISK, device
from hookline.hooks._dangerous_command.rm import CRITICAL, TREES, whole
from hookline.hooks._dangerous_command.rule import Finding, Judge, Place
from hookline.shell import SimpleCommand, Word
from hookline.shell.options import parse_options, word_set

_OUTPUT = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})
_VALUES = word_set("-t -S -m -o -g --target-directory --mode --owner --group -s --size -r --reference -e -f")


def redirected(command: SimpleCommand, place: Place) -> Iterator[Finding]:
    """Judge the targets of the output of *command*, which may be any program."""
    for redirect in command.redirects:
        if redirect.op in _OUTPUT:
            yield from _written(command, redirect.target, place)


def _written(command: SimpleCommand, word: Word, place: Place) -> Iterator[Finding]:
    path = posixpath.normpath(whole(word.text, command.cwd, place) or ".")
    if path == "/proc/sysrq-trigger":
        yield DISK.find("machine-off", command, word, "block")
    elif device(path):
        yield DISK.find("device-write", command, word)
    elif CRITICAL.fullmatch(path):
        yield TREES.find("system-file", command, word)


def _every(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    for word in parse_options(words, _VALUES, mixed=True).operands:
        yield from _written(command, word, place)


def _last(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    split = parse_options(words, _VALUES, mixed=True)
    if len(split.operands) > 1:
        yield from _written(command, split.operands[-1], place)
    if command.name in ("mv", "gmv"):
        yield from (found for word in split.operands[:-1] for found in _written(command, word, place))


def _in_place(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    split = parse_options(words, _VALUES, mixed=True)
    if split.has("-i", "--in-place") or command.name == "unlink":
        yield from (found for word in split.operands for found in _written(command, word, place))


JUDGES: Mapping[str, Judge] = {
    **dict.fromkeys(("tee", "truncate", "fallocate"), _every),
    **dict.fromkeys(("cp", "mv", "gcp", "gmv", "install", "ln"), _last),
    **dict.fromkeys(("sed", "gsed", "perl", "unlink"), _in_place),
}
