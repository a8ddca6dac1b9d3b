"""The shells of Windows, which are run on other systems too: `pwsh -Command …`, `cmd /c …`."""

from __future__ import annotations

import binascii
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from hookline.shell import cmd, powershell
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import Call, Inner, Result, World, resolve, spend
from hookline.shell.syntax import Span

Program: TypeAlias = Callable[[World, Call], Result]
Commands: TypeAlias = Callable[[str], Iterator[tuple[Word, ...]]]

DIALECTS: Mapping[str, Commands] = {"powershell": powershell.commands, "cmd": cmd.commands}
_MAX_COMMANDS = 1_000
"""Commands of one line that are followed."""


def inners(world: World, code: str, dialect: str, via: str, span: Span | None) -> tuple[Inner, ...]:
    """What *code* would run; without a *span* the places in it are those of the line itself."""
    if not spend(world, len(code)):
        return ()
    found: list[Inner] = []
    for argv in DIALECTS[dialect](code):
        place = span or (argv[0].span[0], max(word.span[1] for word in argv))
        placed = (
            argv if span is None else tuple(Word(text=one.text, span=span, glob=one.glob) for one in argv)
        )
        found.append(Inner(via, place, placed))
        if len(found) >= _MAX_COMMANDS:
            break
    return tuple(found)


def _pwsh(world: World, call: Call) -> Result:
    """`-Command` takes the rest of the line, `-File` a script, nothing at all the standard input."""
    for place, word in enumerate(call.argv[1:], 2):
        option, rest = word.text.lower(), call.argv[place:]
        if not option.startswith("-"):
            return _text(world, call, " ".join(one.text for one in call.argv[place - 1 :]), word.span)
        if len(option) > 1 and "-command".startswith(option):
            code = " ".join(one.text for one in rest)
            return _text(world, call, call.stdin if code == "-" else code, word.span)
        if "-encodedcommand".startswith(option) and option.startswith(("-e", "-ec")) and rest:
            return _text(world, call, _decoded(rest[0].text), rest[0].span)
        if "-file".startswith(option) and rest:
            return _text(world, call, world.files.get(resolve(world, rest[0].text), ""), rest[0].span)
    return _text(world, call, call.stdin, call.span)


def _text(world: World, call: Call, code: str, span: Span) -> Result:
    if code.startswith(UNKNOWN):
        return Result(inner=(Inner("pwsh", span, (Word(text=code[:2], span=span),)),))
    return Result(inner=inners(world, code, "powershell", "pwsh", span))


def _decoded(text: str) -> str:
    try:
        return binascii.a2b_base64(text.encode("ascii", "ignore")).decode("utf-16-le", "replace")
    except binascii.Error:
        return ""


def _cmd(world: World, call: Call) -> Result:
    texts = [word.text.lower() for word in call.argv]
    place = next((place for place, text in enumerate(texts) if text in ("/c", "/k", "//c", "//k")), None)
    if place is None:
        return Result()
    code = " ".join(word.text for word in call.argv[place + 1 :])
    return Result(inner=inners(world, code, "cmd", "cmd /c", call.span))


PROGRAMS: Mapping[str, Program] = {
    "pwsh": _pwsh,
    "powershell": _pwsh,
    "cmd": _cmd,
}
