"""What unpacking an archive writes, and what changing modes changes: much at once."""

import re
from collections.abc import Iterator

from hookline.bash import Simple, Word
from hookline.bash.options import options
from hookline.hooks._self.target import Target
from hookline.patch import parts


def archive(command: Simple) -> Iterator[Target]:
    """tar: what it makes, and where it unpacks to; what lies in an archive only unpacking would tell."""
    words = command.words[1:]
    first = words[0].text.lstrip("-") if words else ""
    split = options(words, ("-f", "--file", "-C", "--directory"), mixed=True)
    creates = split.has("-c", "-r", "-u", "--create", "--append", "--update") or (
        first[:1] in "cru" and bool(first)
    )
    extracts = split.has("-x", "--extract", "--get") or first.startswith("x")
    file, folder = split.value("-f", "--file"), split.value("-C", "--directory")
    if creates and (file is not None or (words and "f" in first and len(words) > 1)):
        yield Target(file or words[1])
    if extracts and folder is not None:
        yield Target(folder, tree=True, merges=True)


def unzip(command: Simple) -> Iterator[Target]:
    folder = options(command.words[1:], ("-d",), mixed=True).value("-d")
    yield from [Target(folder, tree=True, merges=True)] if folder is not None else []


def seven(command: Simple) -> Iterator[Target]:
    """`-oDIR`, in one word."""
    given = (word for word in command.words[1:] if word.text.startswith("-o") and word.text != "-o")
    yield from (Target(_cut(word, 2), tree=True, merges=True) for word in given)


def _cut(word: Word, letters: int) -> Word:
    return Word(text=word.text[letters:], span=word.span, glob=word.glob, origins=word.origins)


_MODE = re.compile(r"-[rwxXst]+(?:[,+=-].*)?|--reference=.*")


def mode(command: Simple) -> Iterator[Target]:
    """chmod and its like: the first operand is the mode, unless that was given as what looks like options."""
    given = any(_MODE.fullmatch(word.text) for word in command.words[1:])
    operands = options(command.words[1:], mixed=True).operands
    deep = options(command.words[1:], mixed=True).has("-R", "--recursive")
    yield from (Target(word, tree=deep, merges=True) for word in operands[0 if given else 1 :])


def patch(command: Simple) -> Iterator[Target]:
    """What it is named, and the folder that it goes to."""
    split = options(command.words[1:], ("-d", "--directory", "-o", "--output", "-i", "-p"), mixed=True)
    yield from (Target(word, sure=False) for word in split.operands)
    for name, word in split.given:
        if word is not None and name in ("-d", "--directory", "-o", "--output"):
            yield Target(word, tree=True, sure=False)


def apply_patch(command: Simple) -> Iterator[Target]:
    """A patch names its files itself; some agents' shells have a command that takes one."""
    for part in parts("\n".join((command.stdin, *(word.text for word in command.words[1:])))):
        yield Target(Word(text=part.path, span=command.span))


def dd(command: Simple) -> Iterator[Target]:
    for word in command.words[1:]:
        if word.text.startswith("of="):
            yield Target(Word(text=word.text[3:], span=word.span, glob=word.glob))
