"""Programs whose output is computed, because a line may run it: echo, printf, cat, which, ls, mktemp."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile

from hookline.lazy import re
from hookline.shell.options import parse_options, word_set
from hookline.shell.quotes import decode_echo, decode_printf
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import (
    MAX_TEXT,
    OPAQUE,
    UNSET,
    Call,
    Program,
    Result,
    ShellState,
    cwd,
    find_written_files,
    list_matches,
    lookup,
    read_file,
    set_variable,
    unknown_output,
)
from hookline.shell.streams import write_file
from hookline.shell.wrappers import PROGRAMS as WRAPPER_PROGRAMS

_ECHO_OPTIONS = re.compile(r"-[neE]+")
_FORMAT_SPECIFIER = re.compile(r"%(?:%|[-+ #0']*(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlLjzt]*([a-zA-Z]))")
_MAX_ROUNDS = 500
"""Maximum times a printf format is reused for further arguments."""


def _echo(state: ShellState, call: Call) -> Result:
    words = [word.text for word in call.argv[1:]]
    options = list(takewhile(_ECHO_OPTIONS.fullmatch, words))
    flags, line = "".join(options), " ".join(words[len(options) :])
    return Result((decode_echo(line) if "e" in flags else line) + ("" if "n" in flags else "\n"))


def _printf(state: ShellState, call: Call) -> Result:
    words = list(call.argv[1:])
    variable = None
    if len(words) > 1 and words[0].text.startswith("-v"):
        variable = words.pop(0).text[2:] or words.pop(0).text
    if words and words[0].text == "--":
        words.pop(0)
    text = _format_output(words) if words else ""
    if variable is None:
        return Result(text)
    set_variable(state, variable, text)
    return Result("")


def _format_output(words: list[Word]) -> str:
    template, values = words[0].text, [word.text for word in words[1:]]
    values.reverse()
    rounds = [_format_once(template, values)]
    while values and len(rounds) < _MAX_ROUNDS and len(rounds[-1]) * len(rounds) < MAX_TEXT:
        remaining = len(values)
        rounds.append(_format_once(template, values))
        if len(values) == remaining:
            return rounds[0]
    return "".join(rounds)


def _format_once(template: str, values: list[str]) -> str:
    """Return the format applied once; its arguments are popped from the end of *values*."""
    pieces: list[str] = []
    position = 0
    for match in _FORMAT_SPECIFIER.finditer(template):
        pieces.append(decode_printf(template[position : match.start()]))
        pieces.append(_convert_value(match, values))
        position = match.end()
    pieces.append(decode_printf(template[position:]))
    return "".join(pieces)


def _convert_value(match: re.Match[str], values: list[str]) -> str:
    if match.group(1) is None:
        return "%"
    value = values.pop() if values else ""
    plain = match.group() in ("%s", "%b", "%c")
    if not plain:
        return value if match.group(1) in "di" and value.isdecimal() else UNKNOWN
    return {"s": value, "b": decode_echo(value), "c": value[:1]}[match.group(1)]


def _cat(state: ShellState, call: Call) -> Result:
    operands = parse_options(call.argv[1:], mixed=True).operands
    if not operands:
        return Result(call.stdin)
    content = "".join(
        call.stdin if word.text in ("-", "/dev/stdin") else read_file(state, word.text) for word in operands
    )
    return Result(content if len(content) <= MAX_TEXT else OPAQUE)


def _tee(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:])
    for word in options.operands:
        write_file(state, word.text, call.stdin, append=options.has("-a", "--append"))
    return Result(call.stdin)


def _pwd(state: ShellState, call: Call) -> Result:
    return Result(cwd(state) + "\n")


def _printenv(state: ShellState, call: Call) -> Result:
    operands = parse_options(call.argv[1:]).operands
    return Result((lookup(state, operands[0].text) or "") + "\n") if len(operands) == 1 else Result()


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
    "echo": _echo,
    "printf": _printf,
    "cat": _cat,
    "tee": _tee,
    "pwd": _pwd,
    "printenv": _printenv,
    **dict.fromkeys(("which", "whence"), _which),
    "whereis": _whereis,
    "type": _type,
    "command": _command,
    **dict.fromkeys(("ls", "gls"), _ls),
    "mktemp": _mktemp,
}
