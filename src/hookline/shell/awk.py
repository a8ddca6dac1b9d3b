"""The commands that awk runs, the files it writes, and its output as far as it is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from hookline.lazy import re
from hookline.shell.embedded import find_commands, record_effect
from hookline.shell.options import Options, parse_options, word_set
from hookline.shell.quotes import decode_ansi, decode_printf
from hookline.shell.result import UNKNOWN
from hookline.shell.shell_state import (
    OPAQUE,
    Call,
    InnerCommand,
    Program,
    Result,
    ShellState,
    is_unknown,
    lookup,
    spend,
)
from hookline.shell.text_filters import read_text

_STRING = r'"(?:[^"\\\n]|\\.)*+"'
_AWK_NAME = re.compile(
    rf'{_STRING}|/(?:[^/\\\n]|\\.)+/|ENVIRON\["(?P<environment>\w+)"\]|(?<![$\w])(?P<name>[A-Za-z_]\w*)(?![\w(]|\s*=[^=])'
)
"""A string or pattern, which stays as it is, or a variable that is not set here."""
_AWK_JOINED = re.compile(r'(?<=[^\\])"[ \t]+"(?=[^;)}\n,])')
_AWK_ASSIGNMENT = re.compile(rf"\b(\w+)\s*=\s*({_STRING})\s*[;}}\n]")
_AWK_OUTPUT = re.compile(r'\bprintf?\b(?:"(?:[^"\\\n]|\\.)*+"|[^;}\n>"])*+(>>?)\s*"((?:[^"\\\n]|\\.)*+)"')
_MAX_AWK_ROUNDS = 3
_AWK_BLOCK = re.compile(
    r"\s*(?:(BEGIN|END|NF|1|/[^/]*/|NR[<>=!]=?\d+)\s*)?\{([^{}]*)\}\s*|\s*(1|NF|//|\$0)\s*;?\s*\Z"
)
_AWK_STATEMENT = re.compile(r"\s*(print|printf|system)\b\s*(\(.*\)|.*)\s*", re.DOTALL)
_MAX_AWK = 1_000
"""Maximum characters of an awk program whose output is computed."""
_UNKNOWN_FIELDS = 20
"""Number of fields of an unknown line that are unknown values."""
_AWK_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|\$(NF|\d+)|(NR)|(,)|\s+')


def _awk(state: ShellState, call: Call) -> Result:
    """Run the commands in the code of awk, and return the text that it prints."""
    options = parse_options(call.argv[1:], word_set("-F -v -f --file --assign --field-separator"))
    if options.has("-f", "--file") or not options.operands:
        return Result()
    if not spend(state, 2 * len(options.operands[0].text)):
        return Result()
    code = options.operands[0]
    program = code.with_text(_set_awk_variables(state, code.text, options), ())
    for operator, text in _AWK_OUTPUT.findall(program.text):
        path = program.with_text(decode_ansi(text), ())
        record_effect(state, "append" if operator == ">>" else "write", path)
    commands = find_commands(program.text, "awk", program.span)
    printed = _print_awk(state, call, options._replace(operands=(program, *options.operands[1:])))
    return printed._replace(inner=(*commands, *printed.inner))


def _set_awk_variables(state: ShellState, program: str, options: Options) -> str:
    """Return *program* with the known variables replaced by strings, and adjacent strings joined."""
    settings = [value.text for name, value in options.options if name in ("-v", "--assign") and value]
    pairs = (setting.partition("=") for setting in settings)
    variables = {name: _quote_awk(decode_ansi(text)) for name, _, text in pairs}
    for _ in range(_MAX_AWK_ROUNDS):
        text = _AWK_JOINED.sub("", _AWK_NAME.sub(partial(_replace_awk_name, state, variables), program))
        found = dict(_AWK_ASSIGNMENT.findall(text))
        if text == program and not found.keys() - variables.keys():
            break
        program, variables = text, {**found, **variables}
    return program


def _replace_awk_name(state: ShellState, variables: Mapping[str, str], match: re.Match[str]) -> str:
    if match["environment"]:
        value = lookup(state, match["environment"])
        return match.group() if value is None or UNKNOWN in value else _quote_awk(value)
    return variables.get(match["name"] or "", match.group())


def _quote_awk(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _print_awk(state: ShellState, call: Call, options: Options) -> Result:
    """Run an awk program that only prints fields and strings, or runs them with `system`."""
    blocks = _parse_awk(options.operands[0].text)
    text = read_text(state, call, options._replace(operands=options.operands[1:]))
    if blocks is None:
        starts = options.operands[0].text.lstrip().startswith("BEGIN")
        return Result(OPAQUE if (text or starts) and UNKNOWN not in text else UNKNOWN)
    starts = any(condition == "BEGIN" for condition, _ in blocks)
    if OPAQUE in text:
        return Result(OPAQUE)
    if is_unknown(text) and not starts:
        if any(condition for condition, _ in blocks):
            return Result()
        text = text.strip() or UNKNOWN
    word = options.value("-F", "--field-separator")
    printed, run = list[str](), list[str]()
    for record in _awk_records(blocks, text, decode_ansi(word.text) if word is not None else ""):
        if not spend(state, 4):
            return Result(OPAQUE)
        (run if record[0] == "system" else printed).append(record[1])
    inner = tuple(InnerCommand("awk", options.operands[0].span, code=code) for code in run)
    return Result("".join(printed), inner)


def _parse_awk(program: str) -> list[tuple[str, list[str]]] | None:
    """Return the conditions and statements of *program*, or None if it is not in the subset."""
    blocks: list[tuple[str, list[str]]] = []
    pos = 0 if len(program) <= _MAX_AWK else -1
    while 0 <= pos < len(program):
        match = _AWK_BLOCK.match(program, pos)
        if match is None or match.end() == pos:
            return None
        pos = match.end()
        if match.group(3):
            blocks.append(("", ["print $0"]))
        else:
            condition = "" if match.group(1) in ("1", "NF") else match.group(1) or ""
            parts = re.split(r'[;\n](?=(?:[^"]*"[^"]*")*[^"]*\Z)', match.group(2))
            blocks.append((condition, [part for part in parts if part.strip()]))
    return blocks if pos >= 0 else None


def _awk_records(blocks: list[tuple[str, list[str]]], text: str, separator: str) -> Iterator[tuple[str, str]]:
    """Yield the texts that the program prints or runs, with the kind of each."""
    lines = text.removesuffix("\n").split("\n")
    for condition, statements in blocks:
        inputs = [""] if condition in ("BEGIN", "END") else lines
        for number, line in enumerate(inputs, 1):
            fields = line.split() if separator in ("", " ") else line.split(separator)
            fields = [line] * _UNKNOWN_FIELDS if is_unknown(line) and line else fields
            for statement in statements:
                yield _awk_output(statement, [line, *fields], number)


def _awk_output(statement: str, fields: list[str], number: int) -> tuple[str, str]:
    match = _AWK_STATEMENT.fullmatch(statement)
    if match is None:
        return "print", OPAQUE
    name, rest = match.group(1), match.group(2).strip()
    arguments = _awk_values(
        rest[1:-1] if rest.startswith("(") and rest.endswith(")") else rest, fields, number
    )
    if arguments is None:
        return name, OPAQUE
    if name == "printf":
        pieces = iter(arguments[1:])
        return name, re.sub(r"%[sd]", lambda _: next(pieces, ""), decode_printf(arguments[0]))
    return name, " ".join(arguments) + ("\n" if name == "print" else "") if arguments else fields[0] + "\n"


def _awk_values(text: str, fields: list[str], number: int) -> list[str] | None:
    """Return the values of a list of strings and fields, where adjacent ones are joined."""
    values: list[str] = []
    pos, joins = 0, False
    while pos < len(text):
        match = _AWK_TOKEN.match(text, pos)
        if match is None:
            return None
        pos = match.end()
        string, field, record, comma = match.groups()
        if comma:
            joins = False
        elif string is not None or field or record:
            value = str(number) if record else _awk_field(field, fields) if field else decode_ansi(string)
            values[len(values) - joins :] = ["".join(values[len(values) - joins :]) + value]
            joins = True
    return values


def _awk_field(name: str, fields: list[str]) -> str:
    index = len(fields) - 1 if name == "NF" else int(name[:4])
    return fields[index] if index < len(fields) else ""


PROGRAMS: Mapping[str, Program] = dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk)
