"""Files that archive programs, editors and changes of file modes would write."""

import re
from collections.abc import Iterator

from hookline.core.patch import parse_patch
from hookline.hooks._self_protect.target import Target, mentioned
from hookline.shell import SimpleCommand, Word
from hookline.shell.options import parse_options
from hookline.shell.sedscript import parse_ed, parse_sed


def archive(command: SimpleCommand) -> Iterator[Target]:
    """Yield the archive that `tar` creates and the folder that it extracts to.

    The contents of an archive are unknown without extracting it.
    """
    words = command.words[1:]
    first = words[0].text.lstrip("-") if words else ""
    split = parse_options(words, ("-f", "--file", "-C", "--directory"), mixed=True)
    creates = split.has("-c", "-r", "-u", "--create", "--append", "--update") or (
        first[:1] in "cru" and bool(first)
    )
    extracts = split.has("-x", "--extract", "--get") or first.startswith("x")
    file, folder = split.value("-f", "--file"), split.value("-C", "--directory")
    if creates and (file is not None or (words and "f" in first and len(words) > 1)):
        yield Target(file or words[1])
    if extracts and folder is not None:
        yield Target(folder, tree=True, merges=True)


def unzip(command: SimpleCommand) -> Iterator[Target]:
    folder = parse_options(command.words[1:], ("-d",), mixed=True).value("-d")
    yield from [Target(folder, tree=True, merges=True)] if folder is not None else []


def seven(command: SimpleCommand) -> Iterator[Target]:
    """Yield the output folder of `-oDIR`, which is a single word."""
    given = (word for word in command.words[1:] if word.text.startswith("-o") and word.text != "-o")
    yield from (Target(_cut(word, 2), tree=True, merges=True) for word in given)


def _cut(word: Word, letters: int) -> Word:
    return Word(text=word.text[letters:], span=word.span, glob=word.glob, origins=word.origins)


_MODE = re.compile(r"-[rwxXst]+(?:[,+=-].*)?|--reference=.*")


def mode(command: SimpleCommand) -> Iterator[Target]:
    """Yield the files of `chmod` and similar programs.

    The first operand is the mode, unless the mode was given as an option.
    """
    given = any(_MODE.fullmatch(word.text) for word in command.words[1:])
    operands = parse_options(command.words[1:], mixed=True).operands
    deep = parse_options(command.words[1:], mixed=True).has("-R", "--recursive")
    yield from (Target(word, tree=deep, merges=True) for word in operands[0 if given else 1 :])


def patch(command: SimpleCommand) -> Iterator[Target]:
    """Yield the files that `patch` names, and the values of its directory and output options."""
    split = parse_options(command.words[1:], ("-d", "--directory", "-o", "--output", "-i", "-p"), mixed=True)
    yield from (Target(word, sure=False) for word in split.operands)
    for name, word in split.options:
        if word is not None and name in ("-d", "--directory", "-o", "--output"):
            yield Target(word, tree=True, sure=False)


def apply_patch(command: SimpleCommand) -> Iterator[Target]:
    """Yield the files named inside a patch, for agent shells that have an `apply_patch` command."""
    for part in parse_patch("\n".join((command.stdin, *(word.text for word in command.words[1:])))):
        yield Target(Word(text=part.path, span=command.span))


def dd(command: SimpleCommand) -> Iterator[Target]:
    for word in command.words[1:]:
        if word.text.startswith("of="):
            yield Target(Word(text=word.text[3:], span=word.span, glob=word.glob))


_INPLACE = re.compile(r"-(?![MIm-])[a-zA-Z0-9]{0,6}?i")


def in_place(command: SimpleCommand) -> Iterator[Target]:
    """Yield the operands of in-place edits (`sed -i`, `perl -pi`), and the files that a sed script writes."""
    split = parse_options(command.words[1:], ("-e", "-f", "--expression", "--file", "-l", "-s"), mixed=True)
    if split.has("--in-place", "--inplace") or any(_INPLACE.match(word.text) for word in command.words[1:]):
        yield from map(Target, split.operands)
    if command.name in ("sed", "gsed"):
        scripts = [
            value for name, value in split.options if name in ("-e", "--expression") and value is not None
        ]
        for word in scripts or split.operands[:1]:
            yield from (Target(Word(text=path, span=word.span)) for path in parse_sed(word.text).writes)


_EDITED = re.compile(r"(?:^|[|:+\s])(?:w|wq|wr|write|x|sav|saveas|up|update)!?\s+(?:>>\s*)?([^\s|!]+)")


def editor(command: SimpleCommand) -> Iterator[Target]:
    """Yield the files that an editor opens, and those that its commands write: `-c 'w FILE'`."""
    yield from (Target(word, sure=False) for word in mentioned(command))
    for word in command.words[1:]:
        found = (one.group(1) for one in _EDITED.finditer(word.text))
        yield from (Target(Word(text=path, span=word.span)) for path in found)
    yield from (Target(Word(text=path, span=command.span)) for path in parse_ed(command.stdin).writes)


def line_editor(command: SimpleCommand) -> Iterator[Target]:
    """Yield the file that `ed` opens, and those that its script writes."""
    yield from (Target(word, sure=False) for word in mentioned(command))
    for path in parse_ed(command.stdin).writes:
        yield Target(Word(text=path, span=command.span))
