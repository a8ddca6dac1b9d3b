"""Pack permissions: access rights changed for whole trees or for all users."""

import re
from collections.abc import Iterator, Mapping

from hookline.hooks._dangerous_command.rm import loss
from hookline.hooks._dangerous_command.rule import Finding, Judge, Pack, Place
from hookline.shell import SimpleCommand, Word
from hookline.shell.options import parse_options, word_set

PERMISSIONS = Pack(
    "permissions",
    {
        "mode-of-tree": (
            "This changes who may use a whole system folder or home; afterwards programs or logins fail.",
            "Change the one file or folder that is yours: `chmod -R u+w build`.",
        ),
        "mode-for-everybody": (
            "This lets everybody on the machine change the file.",
            "Give only what is needed: `chmod 755 FILE` to run it, `chmod 644 FILE` to read it.",
        ),
    },
)
_EVERYBODY = re.compile(r"0?[0-7]{2}[2367]|[ugo]*[ao][ugoa]*[+=][rx]*w[rwxX]*(?:,.*)?")
_NAMES = word_set(
    "--recursive --reference --changes --quiet --silent --verbose --from --no-preserve-root --help"
)
_VALUES = word_set("--reference --from -m -x -M -X -s --modify --remove --set --restore")


def _tree(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    split = parse_options(words, _VALUES, mixed=True, names=_NAMES)
    if split.has("--help", "--version"):
        return
    if split.has("-R", "--recursive") or (command.via and command.via[-1].startswith("find ")):
        for word in split.operands:
            if loss(word, command.cwd, place) in ("rm-root", "rm-home"):
                yield PERMISSIONS.find("mode-of-tree", command, word)


def _chmod(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    yield from _tree(command, words, place)
    operands = parse_options(words, _VALUES, mixed=True, names=_NAMES).operands
    for word in operands if len(operands) > 1 else ():
        if _EVERYBODY.fullmatch(word.text):
            yield PERMISSIONS.find("mode-for-everybody", command, word)


JUDGES: Mapping[str, Judge] = {
    "chmod": _chmod,
    "gchmod": _chmod,
    **dict.fromkeys(("chown", "chgrp", "gchown", "setfacl", "chattr", "chflags"), _tree),
}
