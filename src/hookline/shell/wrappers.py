"""Programs that run their arguments as a command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.options import Options, parse_options
from hookline.shell.result import Word
from hookline.shell.runners import RUNNERS, WRAPPERS, Wrapper
from hookline.shell.shell_state import OPAQUE, Call, InnerCommand, Result, ShellState, resolve

Program: TypeAlias = Callable[[ShellState, Call], Result]

_MAX_SPLIT = 4_096
"""Maximum characters of a text that is split into words by its quotes."""
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL | re.ASCII)


def _run_wrapper(state: ShellState, call: Call, name: str, table: Wrapper) -> Result:
    options = parse_options(
        _drop_pairs(call.argv[1:], table.pairs.split()), (*table.values.split(), *table.code.split())
    )
    if options.has(*table.inert.split()):
        return Result()
    command = options.value(*table.code.split())
    if command is not None:
        return Result("", (InnerCommand(name, command.span, code=command.text, stdin=call.stdin),))
    settings, rest = _split_settings(options.operands) if table.settings else ((), options.operands)
    folder = options.value(*table.folder.split())
    if folder is not None:
        settings = (*settings, ("PWD", resolve(state, folder.text)))
    rest = rest[table.operands :]
    if table.operands and rest and rest[0].text == "--":
        rest = rest[1:]
    if table.line and len(rest) == 1 and " " in rest[0].text:
        return Result("", (InnerCommand(name, rest[0].span, code=rest[0].text, stdin=call.stdin),))
    return run_wrapped(name, call, rest, settings)


def _drop_pairs(words: tuple[Word, ...], pairs: list[str]) -> tuple[Word, ...]:
    """Return *words* without the options that take two of them."""
    if not pairs:
        return words
    rest = list(reversed(words))
    kept: list[Word] = []
    while rest:
        word = rest.pop()
        if word.text in pairs:
            del rest[-2:]
        else:
            kept.append(word)
    return tuple(kept)


def run_wrapped(
    name: str, call: Call, argv: tuple[Word, ...], settings: tuple[tuple[str, str], ...] = ()
) -> Result:
    """Return the result of running *argv* through the wrapper *name*."""
    if not argv:
        return Result(call.stdin)
    span = (argv[0].span[0], max(argv[0].span[1], argv[-1].span[1]))
    same_shell = name in ("command", "builtin", "noglob", "nocorrect", "time")
    return Result(
        "", (InnerCommand(name, span, argv, stdin=call.stdin, settings=settings, subshell=not same_shell),)
    )


def _split_settings(words: tuple[Word, ...]) -> tuple[tuple[tuple[str, str], ...], tuple[Word, ...]]:
    settings: list[tuple[str, str]] = []
    for position, word in enumerate(words):
        match = _ASSIGNMENT.fullmatch(word.text)
        if match is None:
            return tuple(settings), words[position:]
        settings.append((match.group(1), match.group(2)))
    return tuple(settings), ()


_ENV_VALUES = ("-u", "-C", "-S", "-P", "--unset", "--chdir", "--split-string", "--block-signal")


def _env(state: ShellState, call: Call) -> Result:
    """Run `env`; the words in the value of `-S` count as separate arguments, including options."""
    options = _parse_env_options(call.argv[1:])
    words = options.operands[1:] if options.operands and options.operands[0].text == "-" else options.operands
    settings, rest = _split_settings(words)
    folder = options.value("-C", "--chdir")
    if folder is not None:
        settings = (*settings, ("PWD", resolve(state, folder.text)))
    return run_wrapped("env", call, rest, settings) if rest else Result()


def split_quoted(text: str) -> list[str]:
    """Return the words of *text* without their quotes; an unclosed quote is an ordinary character."""
    if len(text) > _MAX_SPLIT:
        return [OPAQUE]
    try:
        return shlex.split(text)
    except ValueError:
        return [piece.strip("'\"") for piece in text.split()]


def _parse_env_options(words: tuple[Word, ...]) -> Options:
    options = parse_options(words, _ENV_VALUES)
    string = options.value("-S", "--split-string")
    if string is None:
        return options
    pieces = tuple(Word(text=piece, span=string.span) for piece in split_quoted(string.text))
    return parse_options((*pieces, *options.operands), _ENV_VALUES)


def run_subcommand(state: ShellState, call: Call, name: str) -> Result:
    """Return the commands that the program *name* runs by a subcommand."""
    runner = RUNNERS[name]
    operands = parse_options(call.argv[1:], runner.values.split()).operands
    if not operands or operands[0].text not in runner.subcommands.split():
        return Result()
    rest = operands[1:]
    dashes = next((index for index, word in enumerate(rest) if word.text == "--"), None)
    if dashes is not None and runner.table.dashes:
        return run_wrapped(name, call, rest[dashes + 1 :])
    return _run_wrapper(state, call._replace(argv=operands), name, runner.table)


def declare_runner(name: str, runners: Mapping[str, str]) -> Program:
    """Return the program *name* from a user's table: the program itself, or some of its subcommands."""

    def program(state: ShellState, call: Call) -> Result:
        inner: list[InnerCommand] = []
        for key, values in runners.items():
            first, *path = key.split() or [""]
            operands = parse_options(call.argv[1:], values.split()).operands
            if first == name and [word.text for word in operands[: len(path)]] == path:
                rest = parse_options(operands[len(path) :], values.split()).operands
                inner += run_wrapped(name, call, rest).inner
        return Result(inner=tuple(inner))

    return program


def _make_wrapper(name: str, table: Wrapper) -> Program:
    return lambda state, call: _run_wrapper(state, call, name, table)


def _make_subcommand(name: str) -> Program:
    return lambda state, call: run_subcommand(state, call, name)


PROGRAMS: Mapping[str, Program] = {
    **{name: _make_wrapper(name, table) for name, table in WRAPPERS.items()},
    **{name: _make_subcommand(name) for name in RUNNERS},
    "env": _env,
    "genv": _env,
}
