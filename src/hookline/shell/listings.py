"""Programs that print names: of programs, of files in a folder, of a new temporary file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.options import parse_options, word_set
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import (
    UNSET,
    Call,
    Result,
    ShellState,
    find_written_files,
    list_matches,
    unknown_output,
)
from hookline.shell.wrappers import PROGRAMS as WRAPPER_PROGRAMS

Program: TypeAlias = Callable[[ShellState, Call], Result]

_PROGRAM_FOLDER = "/usr/bin/"
_LS_VALUES = word_set("-I -w -T --ignore --width --color --sort --time --format")
_LS_ROWS = word_set("-l -g -o -s -i -R --recursive --size --inode")
"""Options with which a line has more than a name."""


def _which(state: ShellState, call: Call) -> Result:
    """Return the paths of programs; the folder does not matter for their names."""
    operands = parse_options(call.argv[1:]).operands
    return Result("".join(_program_path(word) + "\n" for word in operands)) if operands else Result()


def _program_path(word: Word) -> str:
    return word.text if "/" in word.text or word.dynamic else _PROGRAM_FOLDER + word.text


def _whereis(state: ShellState, call: Call) -> Result:
    operands = parse_options(call.argv[1:], ("-B", "-M", "-S")).operands
    return Result("".join(f"{word.text}: {_program_path(word)}\n" for word in operands))


def _type(state: ShellState, call: Call) -> Result:
    return _which(state, call) if parse_options(call.argv[1:]).has("-p", "-P") else Result()


def _command(state: ShellState, call: Call) -> Result:
    if parse_options(call.argv[1:]).has("-v"):
        return _which(state, call)
    return WRAPPER_PROGRAMS["command"](state, call)


def _ls(state: ShellState, call: Call) -> Result:
    """Return the names in a folder as one unknown name, which may be that of any file in it."""
    options = parse_options(call.argv[1:], _LS_VALUES, mixed=True)
    if options.has(*_LS_ROWS):
        return Result()
    mark = unknown_output(state).removeprefix(UNKNOWN)
    if not options.operands:
        return Result("./" + UNSET + mark + "\n")
    names = [name for word in options.operands for name in _listed(state, word, folder=options.has("-d"))]
    return Result("".join(name + mark * (UNKNOWN in name) + "\n" for name in names))


def _listed(state: ShellState, word: Word, *, folder: bool) -> list[str]:
    if word.glob:
        return [*find_written_files(state, word.text), list_matches(word)]
    written = find_written_files(state, word.text + "/*") if state.files else []
    inside = [path.rpartition("/")[2] for path in written] or [UNSET]
    return [word.text] if folder else ["./" + UNSET] if word.text in (".", "./") else inside


def _mktemp(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], ("-p", "--tmpdir", "-t", "--suffix"), mixed=True)
    template = options.operands[0].text if options.operands else "tmp.XXXXXX"
    word = options.value("-p", "--tmpdir")
    folder = word.text if word is not None else "/tmp"
    name = template.replace("XXX", str(len(state.commands)).zfill(3), 1)
    if UNKNOWN in name or options.has("-u"):
        return Result()
    return Result((name if "/" in name else f"{folder}/{name}") + "\n")


PROGRAMS: Mapping[str, Program] = {
    **dict.fromkeys(("which", "whence"), _which),
    "whereis": _whereis,
    "type": _type,
    "command": _command,
    **dict.fromkeys(("ls", "gls"), _ls),
    "mktemp": _mktemp,
}
