"""Files that a simple command would open, with the kind of access."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.hooks._paths import code, special
from hookline.hooks._paths.file_operands import (
    DATA,
    DEAF,
    LANGUAGES,
    NOTING,
    READERS,
    SPECIAL,
    Access,
    How,
    Program,
)
from hookline.hooks._paths.network_programs import at, remote
from hookline.shell import SimpleCommand, Word
from hookline.shell.options import Options, parse_options
from hookline.shell.program_table import NON_FILE_PROGRAMS

_SETTING = re.compile(r"[A-Za-z_]\w*=")
_INPUTS = frozenset({"<", "<>"})
_OUTPUTS = frozenset({">", ">>", ">|", "&>", "&>>"})


def opened(command: SimpleCommand) -> Iterator[Access]:
    """Yield every file that *command* would open, in the order of its words, redirections last."""
    yield from _operands(command)
    yield from _redirects(command)


def _operands(command: SimpleCommand) -> Iterator[Access]:
    name = command.name
    if name in SPECIAL:
        yield from special.SPECIAL[name](command)
    elif name in READERS:
        yield from _tabled(command, READERS[name])
    elif name in NOTING:
        yield from (Access(word, "note") for word in command.words[1:])
    elif name in ("awk", "gawk", "mawk", "nawk"):
        yield from _awk(command)
    elif name not in DATA and name not in NON_FILE_PROGRAMS:
        yield from _used(command)
    if name in LANGUAGES:
        yield from code.opened(command)


def _tabled(command: SimpleCommand, program: Program) -> Iterator[Access]:
    files, writes = program.files.split(), program.writes.split()
    split = parse_options(command.words[1:], (*program.values.split(), *files, *writes), mixed=True)
    if split.has("--help", "--version"):
        return
    for name, value in split.options:
        if value is not None and name in (*files, *writes):
            yield Access(value, "read" if name in files else "write")
    skip = 0 if split.has(*program.unless.split()) else program.skip
    operands = split.operands[skip:]
    if program.how in ("copy", "move", "link"):
        yield from _copied(operands, split, program.how)
        return
    here = program.here.split()
    if not operands and ("always" in here or split.has(*here)):
        operands = (Word(text=".", span=command.span),)
    how = _how(program, split)
    yield from (Access(word, how) for word in operands)


def _how(program: Program, split: Options) -> How:
    if program.noting and split.has(*program.noting.split()):
        return "note"
    return "force" if program.how == "delete" and split.has("-f", "--force") else program.how


def _copied(operands: tuple[Word, ...], split: Options, how: How) -> Iterator[Access]:
    """Yield the sources and the target; a copy of the attributes alone reads nothing."""
    target = split.value("-t", "--target-directory")
    sources = operands if target is not None or len(operands) == 1 else operands[:-1]
    plain: How = "note" if split.has("--attributes-only") else how
    yield from (Access(word, plain) for word in sources)
    yield from (Access(word, "write") for word in operands[len(sources) :])


def _awk(command: SimpleCommand) -> Iterator[Access]:
    split = parse_options(command.words[1:], ("-F", "-v", "-f", "--file", "--assign", "--field-separator"))
    scripts = [value for name, value in split.options if name in ("-f", "--file") and value is not None]
    yield from (Access(word, "read") for word in scripts)
    for word in split.operands[0 if scripts else 1 :]:
        if not _SETTING.match(word.text):
            yield Access(word, "read")


def _used(command: SimpleCommand) -> Iterator[Access]:
    """Yield the arguments of an unknown program, which may open each of them, also after `=` or `@`."""
    for word in command.words[1:]:
        text = word.text.rpartition("=")[2] if "=" in word.text else word.text
        text = text.removeprefix("@")
        if text and not text.startswith("-") and not remote(text):
            yield Access(at(word, text) if text != word.text else word, "use")


def _redirects(command: SimpleCommand) -> Iterator[Access]:
    for one in command.redirects:
        if one.op in _INPUTS and (command.name not in DEAF or one.fd not in ("", "0")):
            yield Access(one.target, "read")
        elif one.op in _OUTPUTS:
            bare = command.name in (":", "true") and one.op in (">", ">|") and len(command.words) == 1
            yield Access(one.target, "empty" if bare else "write")
