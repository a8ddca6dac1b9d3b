"""What editors change: in place, by the commands of their scripts, or the file that they are given."""

import re
from collections.abc import Iterator

from hookline.bash import Simple, Word
from hookline.bash.options import options
from hookline.bash.sedscript import ed, sed
from hookline.hooks._self.target import Target, mentioned

_INPLACE = re.compile(r"-(?![MIm-])[a-zA-Z0-9]{0,6}?i")


def in_place(command: Simple) -> Iterator[Target]:
    """`sed -i`, `perl -pi`: with an option to change files in place, every operand may be one."""
    split = options(command.words[1:], ("-e", "-f", "--expression", "--file", "-l", "-s"), mixed=True)
    if split.has("--in-place", "--inplace") or any(_INPLACE.match(word.text) for word in command.words[1:]):
        yield from map(Target, split.operands)
    if command.name in ("sed", "gsed"):
        scripts = [
            value for name, value in split.given if name in ("-e", "--expression") and value is not None
        ]
        for word in scripts or split.operands[:1]:
            yield from (Target(Word(text=path, span=word.span)) for path in sed(word.text).writes)


_EDITED = re.compile(r"(?:^|[|:+\s])(?:w|wq|wr|write|x|sav|saveas|up|update)!?\s+(?:>>\s*)?([^\s|!]+)")


def editor(command: Simple) -> Iterator[Target]:
    """The files that it opens, which it may write, and those that its commands write: `-c 'w FILE'`."""
    yield from (Target(word, sure=False) for word in mentioned(command))
    for word in command.words[1:]:
        found = (one.group(1) for one in _EDITED.finditer(word.text))
        yield from (Target(Word(text=path, span=word.span)) for path in found)
    yield from (Target(Word(text=path, span=command.span)) for path in ed(command.stdin).writes)


def line_editor(command: Simple) -> Iterator[Target]:
    """ed and its like: the file that it is given, and those that its script writes."""
    yield from (Target(word, sure=False) for word in mentioned(command))
    for path in ed(command.stdin).writes:
        yield Target(Word(text=path, span=command.span))
