"""Shell builtins: their effects on directory, variables, parameters and aliases, and commands they run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.git_settings import find_variable_commands
from hookline.shell.options import parse_options
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import (
    Call,
    InnerCommand,
    Result,
    ShellState,
    cwd,
    lookup,
    resolve,
    set_values,
    set_variable,
)

Program: TypeAlias = Callable[[ShellState, Call], Result]

_SILENT = Result("")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\+?)=(.*)", re.DOTALL | re.ASCII)
_DEFAULT_SEPARATOR = re.compile(r"[ \t\n]+")


def word_texts(words: tuple[Word, ...]) -> tuple[str, ...]:
    return tuple(word.text for word in words)


def _cd(state: ShellState, call: Call) -> Result:
    operands = parse_options(call.argv[1:]).operands
    target = operands[0].text if operands else lookup(state, "HOME") or state.home
    here = cwd(state)
    if target == "-":
        target = lookup(state, "OLDPWD") or UNKNOWN
    set_variable(state, "OLDPWD", here)
    set_variable(
        state,
        "PWD",
        UNKNOWN if UNKNOWN in target or (operands and operands[0].glob) else resolve(state, target),
    )
    return _SILENT


def _pushd(state: ShellState, call: Call) -> Result:
    set_values(state, "DIRSTACK[]", (cwd(state), *state.variables.get("DIRSTACK[]", ())))
    return _cd(state, call)


def _popd(state: ShellState, call: Call) -> Result:
    stack = state.variables.get("DIRSTACK[]", (UNKNOWN,))
    set_variable(state, "PWD", stack[0] if stack else UNKNOWN)
    set_values(state, "DIRSTACK[]", stack[1:])
    return _SILENT


def _declare(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:])
    local = call.argv[0].text == "local" or (
        call.argv[0].text in ("declare", "typeset") and not options.has("-g")
    )
    settings: list[tuple[str, str]] = []
    for word in options.operands:
        match = _ASSIGNMENT.fullmatch(word.text)
        name = match.group(1) if match else word.text
        if local and state.scopes:
            state.scopes[-1].setdefault(name, state.variables.get(name, (UNKNOWN,)))
        if match and options.has("-n"):
            state.namerefs[name] = match.group(3)
        elif match:
            old = (lookup(state, name) or "") if match.group(2) else ""
            settings.append((name, _apply_case(old + match.group(3), options.options)))
            set_variable(state, *settings[-1])
    return Result("", tuple(find_variable_commands(state, settings, call.span)))


def _apply_case(value: str, options: tuple[tuple[str, Word | None], ...]) -> str:
    names = {name for name, _ in options}
    if "-l" in names:
        return value.lower()
    if "-u" in names:
        return value.upper()
    return value


def _unset(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:])
    for word in options.operands:
        if not options.has("-f"):
            set_values(state, word.text, ())
            state.variables.pop(word.text + "[]", None)
        if not options.has("-v"):
            state.functions.pop(word.text, None)
    return _SILENT


def _set(state: ShellState, call: Call) -> Result:
    words = word_texts(call.argv[1:])
    if "--" in words:
        set_values(state, "@[]", words[words.index("--") + 1 :])
    elif words and not words[0].startswith(("-", "+")):
        set_values(state, "@[]", words)
    return _SILENT


def _shift(state: ShellState, call: Call) -> Result:
    count = call.argv[1].text if len(call.argv) > 1 else "1"
    items = state.variables.get("@[]")
    if items is not None and count.isdecimal():
        set_values(state, "@[]", items[int(count[:6]) :])
    return _SILENT


def _read(state: ShellState, call: Call) -> Result:
    """Assign the words of the first input line to variables; the last variable takes the rest."""
    options = parse_options(call.argv[1:], ("-p", "-u", "-d", "-n", "-N", "-t", "-i", "-a"))
    text = _read_input(state, call, options.value("-u"))
    line = text if options.value("-d") else text.partition("\n")[0]
    separator = _compile_separator(lookup(state, "IFS"))
    array = options.value("-a")
    if array is not None:
        set_values(
            state, array.text + "[]", tuple(item for item in separator.split(line) if item)[:_MAX_ITEMS]
        )
        return _SILENT
    names = word_texts(options.operands) or ("REPLY",)
    rest = line.strip(" \t")
    for name in names[:-1]:
        first, *remainder = separator.split(rest, maxsplit=1)
        set_variable(state, name, first)
        rest = remainder[0] if remainder else ""
    set_variable(state, names[-1], rest)
    return _SILENT


_MAX_ITEMS = 1_000
"""Maximum items of an array that `read` or `mapfile` fills."""


def _compile_separator(separators: str | None) -> re.Pattern[str]:
    if not separators or UNKNOWN in separators or not separators.strip(" \t\n"):
        return _DEFAULT_SEPARATOR
    return re.compile("[" + re.escape(separators) + "\n]")


def _mapfile(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], ("-d", "-n", "-O", "-s", "-u", "-C", "-c"))
    content = _read_input(state, call, options.value("-u"))
    delimiter = options.value("-d")
    end = delimiter.text[:1] or "\n" if delimiter is not None else "\n"
    name = options.operands[0].text if options.operands else "MAPFILE"
    set_values(state, name + "[]", tuple(content.rstrip(end).split(end)[:_MAX_ITEMS]))
    callback = options.value("-C")
    if callback is None:
        return _SILENT
    return Result("", (InnerCommand("mapfile -C", callback.span, code=callback.text, subshell=False),))


def _read_input(state: ShellState, call: Call, fd: Word | None) -> str:
    if fd is not None:
        return state.files.get("/dev/fd/" + fd.text, UNKNOWN)
    return call.stdin or UNKNOWN


def _alias(state: ShellState, call: Call) -> Result:
    for word in call.argv[1:]:
        name, equals, value = word.text.partition("=")
        if equals:
            set_values(state, "alias " + name, (value,))
    return _SILENT


def _unalias(state: ShellState, call: Call) -> Result:
    for word in call.argv[1:]:
        state.variables.pop("alias " + word.text, None)
    return _SILENT


def _hash(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], ("-p",))
    path = options.value("-p")
    if path is not None and options.operands:
        set_values(state, "alias " + options.operands[0].text, (path.text,))
    return _SILENT


def _shopt(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:])
    for word in options.operands:
        set_values(state, "shopt " + word.text, ("on" if options.has("-s") else "off",))
    return _SILENT


def _eval(state: ShellState, call: Call) -> Result:
    words = call.argv[2:] if word_texts(call.argv[1:2]) == ("--",) else call.argv[1:]
    if not words:
        return _SILENT
    span = (words[0].span[0], words[-1].span[1])
    code = " ".join(word_texts(words))
    return Result("", (InnerCommand("eval", span, code=code, stdin=call.stdin, subshell=False),))


def _source(state: ShellState, call: Call) -> Result:
    words = call.argv[2:] if word_texts(call.argv[1:2]) == ("--",) else call.argv[1:]
    if not words:
        return _SILENT
    path = words[0].text
    content = call.stdin if path == "/dev/stdin" else state.files.get(resolve(state, path))
    if content is None:
        return Result()
    args = (path, *word_texts(words[1:])) if len(words) > 1 else None
    return Result("", (InnerCommand("source", words[0].span, code=content, args=args, subshell=False),))


def _trap(state: ShellState, call: Call) -> Result:
    operands = parse_options(call.argv[1:]).operands
    if len(operands) < 2 or operands[0].text in ("-", ""):  # noqa: PLR2004 -- a command and a signal
        return _SILENT
    return Result("", (InnerCommand("trap", operands[0].span, code=operands[0].text, subshell=False),))


def _do_nothing(state: ShellState, call: Call) -> Result:
    return _SILENT


PROGRAMS: Mapping[str, Program] = {
    "cd": _cd,
    "chdir": _cd,
    "pushd": _pushd,
    "popd": _popd,
    **dict.fromkeys(("declare", "typeset", "local", "export", "readonly"), _declare),
    "unset": _unset,
    "set": _set,
    "shift": _shift,
    "read": _read,
    "mapfile": _mapfile,
    "readarray": _mapfile,
    "alias": _alias,
    "unalias": _unalias,
    "hash": _hash,
    "shopt": _shopt,
    "eval": _eval,
    "source": _source,
    ".": _source,
    "trap": _trap,
    **dict.fromkeys(
        ("true", "false", ":", "test", "[", "wait", "exit", "return", "break", "continue"), _do_nothing
    ),
}
