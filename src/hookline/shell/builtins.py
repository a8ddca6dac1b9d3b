"""Shell builtins: their effects on directory, variables, parameters and aliases, and commands they run."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.lazy import re
from hookline.shell.git_settings import find_variable_commands
from hookline.shell.options import parse_options
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import (
    Call,
    InnerCommand,
    Program,
    Result,
    ShellState,
    cwd,
    find_file,
    limit_values,
    list_matches,
    lookup,
    resolve,
    set_values,
    set_variable,
)

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
    is_unknown = UNKNOWN in target or (operands and operands[0].glob)
    set_variable(state, "PWD", UNKNOWN if is_unknown else resolve(state, target))
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
    words = tuple(map(list_matches, call.argv[1:]))
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
    """Assign the words of the next input line to variables; in the condition of a loop, of every line."""
    options = parse_options(call.argv[1:], ("-p", "-u", "-d", "-n", "-N", "-t", "-i", "-a"))
    text = _read_input(state, call, options.value("-u"))
    lines = limit_values(_next_lines(state, text, options.value("-d")))
    separator = _compile_separator(lookup(state, "IFS"))
    array = options.value("-a")
    if array is not None:
        items = [item for line in lines for item in separator.split(line) if item]
        set_values(state, array.text + "[]", tuple(items)[:_MAX_ITEMS])
        return _SILENT
    names = word_texts(options.operands) or ("REPLY",)
    rows = [_split_line(line.strip(" \t"), separator, len(names)) for line in lines]
    for position, name in enumerate(names):
        set_read_values(state, name, tuple(row[position] for row in rows))
    return _SILENT


def set_read_values(state: ShellState, name: str, values: tuple[str, ...]) -> None:
    """Set a variable to one value, or to the values of all lines in turn."""
    if len(values) == 1:
        set_variable(state, name, values[0])
    else:
        set_values(state, state.namerefs.get(name, name), values)


def _next_lines(state: ShellState, text: str, delimiter: Word | None) -> list[str]:
    """Return the next line of *text*, or all lines in the condition of a loop."""
    end = "\n" if delimiter is None or not delimiter.text else delimiter.text[:1]
    lines = text.split(end, _MAX_ITEMS)
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    if state.loop_condition:
        return lines
    position = state.reads.get(text, 0)
    state.reads[text] = position + 1
    return lines[position : position + 1] or [""]


def _split_line(line: str, separator: re.Pattern[str], count: int) -> list[str]:
    words = separator.split(line, maxsplit=count - 1) if count > 1 else [line]
    return words + [""] * (count - len(words))


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
    items = content.removesuffix(end).split(end)[:_MAX_ITEMS]
    kept = "" if options.has("-t") else end
    set_values(state, name + "[]", tuple(item + kept for item in items))
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
    return Result("".join(word.text + "\n" for word in options.operands if options.has("-t")))


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
    content, exists = (call.stdin, False) if path == "/dev/stdin" else find_file(state, path)
    if content is None:
        return Result()
    args = (path, *word_texts(words[1:])) if len(words) > 1 else None
    command = InnerCommand("source", words[0].span, code=content, args=args, subshell=False, exists=exists)
    return Result("", (command,))


def _trap(state: ShellState, call: Call) -> Result:
    operands = parse_options(call.argv[1:]).operands
    if len(operands) < 2 or operands[0].text in ("-", ""):  # noqa: PLR2004 -- a command and a signal
        return _SILENT
    state.traps.append(InnerCommand("trap", operands[0].span, code=operands[0].text, subshell=False))
    return _SILENT


def _do_nothing(state: ShellState, call: Call) -> Result:
    return _SILENT


PROGRAMS: Mapping[str, Program] = {
    **dict.fromkeys(("cd", "chdir"), _cd),
    "pushd": _pushd,
    "popd": _popd,
    **dict.fromkeys(("declare", "typeset", "local", "export", "readonly"), _declare),
    "unset": _unset,
    "set": _set,
    "shift": _shift,
    "read": _read,
    **dict.fromkeys(("mapfile", "readarray"), _mapfile),
    "alias": _alias,
    "unalias": _unalias,
    "hash": _hash,
    "shopt": _shopt,
    "eval": _eval,
    **dict.fromkeys(("source", "."), _source),
    "trap": _trap,
    **dict.fromkeys(
        ("true", "false", ":", "test", "[", "wait", "exit", "return", "break", "continue"), _do_nothing
    ),
}
