"""Programs that run their arguments as a command: find it among their options, and hand it on."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.options import Options, options
from hookline.shell.result import Word
from hookline.shell.runners import RUNNERS, WRAPPERS, Wrapper
from hookline.shell.shell_state import Call, Inner, Result, World, resolve

Program: TypeAlias = Callable[[World, Call], Result]

_SETTING = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL | re.ASCII)


def _wrapper(world: World, call: Call, name: str, table: Wrapper) -> Result:
    split = options(
        _unpaired(call.argv[1:], table.pairs.split()), (*table.values.split(), *table.code.split())
    )
    if split.has(*table.inert.split()):
        return Result()
    given = split.value(*table.code.split())
    if given is not None:
        return Result("", (Inner(name, given.span, code=given.text, stdin=call.stdin),))
    settings, rest = _settings(split.operands) if table.settings else ((), split.operands)
    folder = split.value(*table.folder.split())
    if folder is not None:
        settings = (*settings, ("PWD", resolve(world, folder.text)))
    rest = rest[table.operands :]
    if table.operands and rest and rest[0].text == "--":
        rest = rest[1:]
    if table.line and len(rest) == 1 and " " in rest[0].text:
        return Result("", (Inner(name, rest[0].span, code=rest[0].text, stdin=call.stdin),))
    return run(name, call, rest, settings)


def _unpaired(words: tuple[Word, ...], pairs: list[str]) -> tuple[Word, ...]:
    """*words* without the options that take two of them."""
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


def run(name: str, call: Call, argv: tuple[Word, ...], settings: tuple[tuple[str, str], ...] = ()) -> Result:
    """The result of running *argv* through the wrapper *name*."""
    if not argv:
        return Result(call.stdin)
    span = (argv[0].span[0], max(argv[0].span[1], argv[-1].span[1]))
    inside = name in ("command", "builtin", "noglob", "nocorrect", "time")
    return Result("", (Inner(name, span, argv, stdin=call.stdin, settings=settings, subshell=not inside),))


def _settings(words: tuple[Word, ...]) -> tuple[tuple[tuple[str, str], ...], tuple[Word, ...]]:
    settings: list[tuple[str, str]] = []
    for position, word in enumerate(words):
        found = _SETTING.fullmatch(word.text)
        if found is None:
            return tuple(settings), words[position:]
        settings.append((found.group(1), found.group(2)))
    return tuple(settings), ()


_ENV_VALUES = ("-u", "-C", "-S", "-P", "--unset", "--chdir", "--split-string", "--block-signal")


def _env(world: World, call: Call) -> Result:
    """`env`; `-S` holds words that count as if written one by one, options among them."""
    split = _env_split(call.argv[1:])
    words = split.operands[1:] if split.operands and split.operands[0].text == "-" else split.operands
    settings, rest = _settings(words)
    folder = split.value("-C", "--chdir")
    if folder is not None:
        settings = (*settings, ("PWD", resolve(world, folder.text)))
    return run("env", call, rest, settings) if rest else Result()


def _env_split(words: tuple[Word, ...]) -> Options:
    split = options(words, _ENV_VALUES)
    string = split.value("-S", "--split-string")
    if string is None:
        return split
    pieces = tuple(Word(text=piece.strip("'\""), span=string.span) for piece in string.text.split())
    return options((*pieces, *split.operands), _ENV_VALUES)


def subcommand(world: World, call: Call, name: str) -> Result:
    """What the program *name* runs, which has one subcommand for that."""
    runner = RUNNERS[name]
    operands = options(call.argv[1:], runner.values.split()).operands
    if not operands or operands[0].text not in runner.subcommands.split():
        return Result()
    rest = operands[1:]
    dashes = next((place for place, word in enumerate(rest) if word.text == "--"), None)
    if dashes is not None and runner.table.dashes:
        return run(name, call, rest[dashes + 1 :])
    return _wrapper(world, call._replace(argv=operands), name, runner.table)


def declared(name: str, runners: Mapping[str, str]) -> Program:
    """The program *name* as a user's table has it: `name` itself, or single subcommands of it."""

    def program(world: World, call: Call) -> Result:
        inner: list[Inner] = []
        for key, values in runners.items():
            first, *path = key.split() or [""]
            operands = options(call.argv[1:], values.split()).operands
            if first == name and [word.text for word in operands[: len(path)]] == path:
                rest = options(operands[len(path) :], values.split()).operands
                inner += run(name, call, rest).inner
        return Result(inner=tuple(inner))

    return program


def _wrapped(name: str, table: Wrapper) -> Program:
    return lambda world, call: _wrapper(world, call, name, table)


def _subcommanded(name: str) -> Program:
    return lambda world, call: subcommand(world, call, name)


PROGRAMS: Mapping[str, Program] = {
    **{name: _wrapped(name, table) for name, table in WRAPPERS.items()},
    **{name: _subcommanded(name) for name in RUNNERS},
    "env": _env,
    "genv": _env,
}
