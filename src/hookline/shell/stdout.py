"""What those programs print whose output a line can be made of: echo, printf, cat, base64 and the like."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Mapping
from itertools import takewhile
from typing import TypeAlias

from hookline.shell.ansi import echoed, printed
from hookline.shell.options import options
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import MAX_TEXT, Call, Result, World, cwd, look, put, resolve
from hookline.shell.streams import write

Program: TypeAlias = Callable[[World, Call], Result]

_ECHO_OPTIONS = re.compile(r"-[neE]+")
_CONVERSION = re.compile(r"%(?:%|[-+ #0']*(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlLjzt]*([a-zA-Z]))")
_MAX_ROUNDS = 500
"""Times a printf format is used again for further arguments."""


def _echo(world: World, call: Call) -> Result:
    words = [word.text for word in call.argv[1:]]
    given = list(takewhile(_ECHO_OPTIONS.fullmatch, words))
    flags, line = "".join(given), " ".join(words[len(given) :])
    return Result((echoed(line) if "e" in flags else line) + ("" if "n" in flags else "\n"))


def _printf(world: World, call: Call) -> Result:
    words = list(call.argv[1:])
    variable = None
    if len(words) > 1 and words[0].text.startswith("-v"):
        variable = words.pop(0).text[2:] or words.pop(0).text
    if words and words[0].text == "--":
        words.pop(0)
    text = _formatted(words) if words else ""
    if variable is None:
        return Result(text)
    put(world, variable, text)
    return Result("")


def _formatted(words: list[Word]) -> str:
    template, values = words[0].text, [word.text for word in words[1:]]
    values.reverse()
    rounds = [_round(template, values)]
    while values and len(rounds) < _MAX_ROUNDS and len(rounds[-1]) * len(rounds) < MAX_TEXT:
        left = len(values)
        rounds.append(_round(template, values))
        if len(values) == left:
            return rounds[0]
    return "".join(rounds)


def _round(template: str, values: list[str]) -> str:
    """The format used once; it takes its arguments off the end of *values*."""
    pieces: list[str] = []
    position = 0
    for found in _CONVERSION.finditer(template):
        pieces.append(printed(template[position : found.start()]))
        pieces.append(_converted(found, values))
        position = found.end()
    pieces.append(printed(template[position:]))
    return "".join(pieces)


def _converted(found: re.Match[str], values: list[str]) -> str:
    if found.group(1) is None:
        return "%"
    value = values.pop() if values else ""
    plain = found.group() in ("%s", "%b", "%c")
    if not plain:
        return value if found.group(1) in "di" and value.isdecimal() else UNKNOWN
    return {"s": value, "b": echoed(value), "c": value[:1]}[found.group(1)]


def _cat(world: World, call: Call) -> Result:
    operands = options(call.argv[1:], mixed=True).operands
    if not operands:
        return Result(call.stdin)
    whole = "".join(_file(world, word.text, call.stdin) for word in operands)
    return Result(whole if len(whole) <= MAX_TEXT else UNKNOWN)


def _file(world: World, path: str, stdin: str) -> str:
    if path in ("-", "/dev/stdin"):
        return stdin
    return world.files.get(resolve(world, path), UNKNOWN)


def _tee(world: World, call: Call) -> Result:
    split = options(call.argv[1:])
    for word in split.operands:
        write(world, word.text, call.stdin, append=split.has("-a", "--append"))
    return Result(call.stdin)


def _pwd(world: World, call: Call) -> Result:
    return Result(cwd(world) + "\n")


def _printenv(world: World, call: Call) -> Result:
    operands = options(call.argv[1:]).operands
    return Result((look(world, operands[0].text) or "") + "\n") if len(operands) == 1 else Result()


def _base64(world: World, call: Call) -> Result:
    split = options(call.argv[1:], ("-w", "--wrap", "-i", "-o"), mixed=True)
    text = _file(world, split.operands[0].text, call.stdin) if split.operands else call.stdin
    if not split.has("-d", "-D", "--decode") or UNKNOWN in text or not text:
        return Result()
    return Result(_decoded(text))


def _decoded(text: str) -> str:
    try:
        return (
            binascii.a2b_base64(text.encode("ascii", "ignore")).decode("utf-8", "replace").replace("\0", "")
        )
    except binascii.Error:
        return UNKNOWN


def _xxd(world: World, call: Call) -> Result:
    split = options(call.argv[1:], ("-l", "-s", "-c", "-o"), mixed=True)
    digits = re.sub(r"\s+", "", call.stdin)
    if not split.has("-r") or not split.has("-p") or not re.fullmatch(r"(?:[0-9a-fA-F]{2})+", digits):
        return Result()
    return Result(bytes.fromhex(digits).decode("utf-8", "replace"))


def _rev(world: World, call: Call) -> Result:
    return Result("\n".join(line[::-1] for line in call.stdin.split("\n")))


PROGRAMS: Mapping[str, Program] = {
    "echo": _echo,
    "printf": _printf,
    "cat": _cat,
    "tee": _tee,
    "pwd": _pwd,
    "printenv": _printenv,
    "base64": _base64,
    "xxd": _xxd,
    "rev": _rev,
}
