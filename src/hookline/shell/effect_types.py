"""Rows of the effect table, which turn the operands of a program into effects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from hookline.shell.options import Options, parse_options
from hookline.shell.result import Action, Effect, SimpleCommand, Word


class Operands(NamedTuple):
    """A row of the table: the options of a program, and the action on its operands.

    Options are words separated by spaces; "always" stands for the program without any option.
    """

    action: Action = "read"
    last: Action | None = None
    """The action on the last of several operands, which is the target."""
    values: str = ""
    """Options that take a value other than a file."""
    names: str = ""
    """Long options, which may be abbreviated."""
    reads: str = ""
    """Options whose value is a file that is read."""
    writes: str = ""
    """Options whose value is a file that is written."""
    skip: int = 0
    """Number of operands before the files: a pattern, a script, a mode."""
    unless: str = ""
    """Options that replace these operands."""
    here: str = ""
    """Options with which the program reads the working directory if it has no operand."""
    recursive: str = ""
    """Options that include everything below a folder."""
    bounded: str = ""
    """Options that limit the output."""
    follows: str = ""
    """Options with which the output does not end."""
    inspects: str = ""
    """Options that restrict the action to `inspect`."""
    content: Literal["", "copied", "streamed"] = ""
    """The origin of the content that is written; see `Effect`."""
    edits: str = ""
    """Options with which the program changes the files in place."""

    def valued_options(self) -> tuple[str, ...]:
        """Return the options that take a value."""
        return _split(f"{self.values} {self.reads} {self.writes}")

    def is_bounded(self, options: Options) -> bool:
        """Return whether the output is limited; that of `tail -f` is not."""
        return _applies(self.bounded, options) and not _applies(self.follows, options)


@lru_cache(maxsize=1024)
def _split(words: str) -> tuple[str, ...]:
    return tuple(words.split())


def _applies(condition: str, options: Options) -> bool:
    return condition == "always" or (condition != "" and options.has(*_split(condition)))


def table_effects(command: SimpleCommand, row: Operands) -> Iterator[Effect]:
    """Yield the effects of *command* according to its *row*."""
    options = parse_options(command.words[1:], row.valued_options(), mixed=True, names=_split(row.names))
    if options.has("--help", "--version"):
        return
    reads, writes = _split(row.reads), _split(row.writes)
    for name, value in options.options:
        if value is not None and (name in reads or name in writes):
            yield Effect(action="read" if name in reads else "write", path=value)
    operands = options.operands[0 if _applies(row.unless, options) else row.skip :]
    if row.last is not None:
        yield from _transfer_effects(operands, options, row)
        return
    if not operands and _applies(row.here, options):
        operands = (Word(text=".", span=command.span),)
    action = "inspect" if _applies(row.inspects, options) else row.action
    action = "edit" if _applies(row.edits, options) else action
    yield from (
        Effect(
            action=action,
            path=word,
            recursive=_applies(row.recursive, options),
            forced=row.action == "delete" and options.has("-f", "--force"),
            bounded=row.is_bounded(options),
            content=row.content,
        )
        for word in operands
    )


def _transfer_effects(operands: tuple[Word, ...], options: Options, row: Operands) -> Iterator[Effect]:
    """Yield the effects of a copy, move or link: on the sources, the target and paths below it."""
    folder = options.value("-t", "--target-directory")
    sources = operands if folder is not None or len(operands) == 1 else operands[:-1]
    target = folder or (operands[-1] if len(operands) > 1 else None)
    recursive = _applies(row.recursive, options)
    action = "inspect" if _applies(row.inspects, options) else row.action
    yield from (Effect(action=action, path=word, recursive=recursive) for word in sources)
    if target is None or row.last is None:
        return
    replaces = recursive and options.has("-T", "--no-target-directory")
    yield Effect(action=row.last, path=target, recursive=replaces, content="copied")
    for source in sources:
        yield Effect(action=row.last, path=_below(target, source), recursive=recursive, derived=True)


def _below(folder: Word, source: Word) -> Word:
    """Return the path that *source* gets inside *folder*."""
    name = source.text.rstrip("/").rpartition("/")[2]
    merges = name in (".", "..")
    text = f"{folder.text.rstrip('/')}/{'*' if merges else name}"
    return Word(text=text, span=folder.span, glob=folder.glob or merges, origins=source.origins)


def part_of(word: Word, text: str) -> Word:
    """Return the part *text* of *word* as a word of its own."""
    if text == word.text and not word.unset:
        return word
    return Word(text=text, span=word.span, glob=word.glob, origins=word.origins)


def named_paths(words: Sequence[Word]) -> Iterator[Word]:
    """Yield the arguments that may be paths, also after `=` and `@`; for programs that no table knows."""
    for word in words[1:]:
        text = word.text.rpartition("=")[2] if "=" in word.text else word.text
        text = text.removeprefix("@")
        if text and not text.startswith("-") and not is_remote(text):
            yield part_of(word, text)


_REMOTE = re.compile(r"(?!file:)(?:(?:[^/\\:]{2,}|\[[^\]]+\]):|\w+://)", re.IGNORECASE)


def is_remote(text: str) -> bool:
    """Return whether an operand is on another machine: `host:path`, `rsync://…`."""
    return _REMOTE.match(text) is not None


def option_effects(options: Options, table: Mapping[Action, frozenset[str]]) -> Iterator[Effect]:
    """Yield the effects of options whose value is a file."""
    for name, value in options.options:
        if value is not None:
            yield from (Effect(action=action, path=value) for action, names in table.items() if name in names)
