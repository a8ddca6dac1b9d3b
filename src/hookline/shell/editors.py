"""Editors that are driven by a script, and leave for the shell from it: sed, ed, ex, vim."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.embedded import commands
from hookline.shell.filters import kept
from hookline.shell.options import Options, options
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.sedscript import Script, ed, sed
from hookline.shell.shell_state import Call, Inner, Result, World, mark, resolve, spend
from hookline.shell.streams import MAX_FILES, write
from hookline.shell.syntax import Span

Program: TypeAlias = Callable[[World, Call], Result]

SED_VALUES = ("-e", "-f", "-l", "--expression", "--file", "--line-length")
_VIM_VALUES = ("-c", "--cmd", "-S", "-u", "-i", "-s", "-w", "-W", "-T", "--startuptime")
_EX_VALUES = tuple(name for name in _VIM_VALUES if name != "-s")
_KEEPING = re.compile(r"[\d,$!~+\s]*(?:[pdq]?|w [^\n]*)|/[^/]*/!?[pdq]|")
"""A script of sed that leaves the lines it keeps as they are."""


def _sed(world: World, call: Call) -> Result:
    split = options(call.argv[1:], SED_VALUES, mixed=True)
    scripts, operands = _scripts(world, split)
    text = "\n".join(scripts)
    script = sed(text) if spend(world, len(text)) else Script()
    keeps = not split.has("-i", "--in-place") and all(_KEEPING.fullmatch(one) for one in scripts)
    out = kept(world, call, operands) if keeps else Result()
    for path in script.writes[:MAX_FILES]:
        write(world, path, out.out if keeps else mark(world), append=False)
    inner = _inner("sed", script, call.span)
    if script.runs_input and call.stdin:
        inner.append(Inner("sed e", call.span, code=call.stdin))
    return Result(inner=tuple(inner)) if inner else out


def _scripts(world: World, split: Options) -> tuple[list[str], tuple[Word, ...]]:
    """The scripts of a sed, and the files that it reads."""
    scripts: list[str] = []
    for name, value in split.given:
        if value is not None and name in ("-e", "--expression"):
            scripts.append(value.text)
        elif value is not None and name in ("-f", "--file"):
            scripts.append(world.files.get(resolve(world, value.text), UNKNOWN))
    if scripts:
        return scripts, split.operands
    return [word.text for word in split.operands[:1]], split.operands[1:]


def _inner(via: str, script: Script, span: Span) -> list[Inner]:
    return [Inner(via + " !", span, code=code) for code in script.runs]


def _ed(world: World, call: Call) -> Result:
    script = ed(call.stdin) if spend(world, len(call.stdin)) else Script()
    for path in script.writes[:MAX_FILES]:
        write(world, path, mark(world), append=False)
    return Result("", tuple(_inner("ed", script, call.span)))


def _vim(world: World, call: Call) -> Result:
    """What is given by `-c` and `+…`, sourced by `-S`, or read where vim runs as `ex`."""
    split = options(call.argv[1:], _EX_VALUES if _plain(call) else _VIM_VALUES, mixed=True)
    given = [value for name, value in split.given if name in ("-c", "--cmd") and value is not None]
    given += [
        Word(text=word.text[1:], span=word.span) for word in split.operands if word.text.startswith("+")
    ]
    for name, value in split.given:
        if name in ("-S", "-s", "-u") and value is not None:
            given.append(Word(text=world.files.get(resolve(world, value.text), ""), span=value.span))
    if call.stdin and not call.stdin.startswith(UNKNOWN):
        given.append(Word(text=call.stdin, span=call.span))
    return Result("", tuple(one for word in given for one in _vim_runs(world, word)))


def _plain(call: Call) -> bool:
    """Whether it runs as `ex`, to which `-s` only means to be silent."""
    return call.argv[0].text.endswith("ex") or any(
        word.text in ("-e", "-es", "-E", "-Es") for word in call.argv
    )


def _vim_runs(world: World, word: Word) -> list[Inner]:
    if not word.text or not spend(world, 2 * len(word.text)):
        return []
    return _inner("vim", ed(word.text), word.span) + commands(word.text, "vim", word.span)


PROGRAMS: Mapping[str, Program] = {
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("ed", "red"), _ed),
    **dict.fromkeys(("vim", "vi", "nvim", "view", "ex", "gvim", "mvim", "vimdiff"), _vim),
}
