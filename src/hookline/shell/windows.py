"""The Windows shells, which other systems run too: `pwsh -Command …`, `cmd /c …`."""

from __future__ import annotations

import binascii
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from hookline.shell import cmd, powershell
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.shell_state import Call, InnerCommand, Result, ShellState, resolve, spend
from hookline.shell.syntax import Span

Program: TypeAlias = Callable[[ShellState, Call], Result]
Commands: TypeAlias = Callable[[str], Iterator[tuple[Word, ...]]]

DIALECTS: Mapping[str, Commands] = {"powershell": powershell.split_commands, "cmd": cmd.split_commands}
"""The function that splits a line into commands, by shell."""
_MAX_COMMANDS = 1_000
"""Maximum commands of one line that are evaluated."""


def parse_windows_code(
    state: ShellState, code: str, dialect: str, via: str, span: Span | None
) -> tuple[InnerCommand, ...]:
    """Return the commands of *code*; without a *span*, its positions are those of the line itself."""
    if not spend(state, len(code)):
        return ()
    commands: list[InnerCommand] = []
    for argv in DIALECTS[dialect](code):
        command_span = span or (argv[0].span[0], max(word.span[1] for word in argv))
        words = (
            argv
            if span is None
            else tuple(Word(text=argument.text, span=span, glob=argument.glob) for argument in argv)
        )
        commands.append(InnerCommand(via, command_span, words))
        if len(commands) >= _MAX_COMMANDS:
            break
    return tuple(commands)


_VALUED = ("-windowstyle", "-executionpolicy", "-ep", "-version", "-workingdirectory", "-wd", "-settingsfile")


def _pwsh(state: ShellState, call: Call) -> Result:
    """Run the code of `-Command` (the rest of the line), `-EncodedCommand`, `-File`, or standard input."""
    skipped = False
    for index, word in enumerate(call.argv[1:], 2):
        option, rest = word.text.lower(), call.argv[index:]
        if skipped:
            skipped = False
            continue
        skipped = len(option) > 1 and any(name.startswith(option) for name in _VALUED)
        if not option.startswith("-"):
            return _run_powershell(
                state, call, " ".join(part.text for part in call.argv[index - 1 :]), word.span
            )
        if len(option) > 1 and "-command".startswith(option):
            code = " ".join(part.text for part in rest)
            return _run_powershell(state, call, call.stdin if code == "-" else code, word.span)
        if "-encodedcommand".startswith(option) and option.startswith("-e") and rest:
            return _run_powershell(state, call, _decode_command(rest[0].text), rest[0].span)
        if "-file".startswith(option) and rest:
            return _run_powershell(
                state, call, state.files.get(resolve(state, rest[0].text), ""), rest[0].span
            )
    return _run_powershell(state, call, call.stdin, call.span)


def _run_powershell(state: ShellState, call: Call, code: str, span: Span) -> Result:
    if code.startswith(UNKNOWN):
        return Result(inner=(InnerCommand("pwsh", span, (Word(text=code[:2], span=span),)),))
    return Result(inner=parse_windows_code(state, code, "powershell", "pwsh", span))


def _decode_command(text: str) -> str:
    try:
        return binascii.a2b_base64(text.encode("ascii", "ignore")).decode("utf-16-le", "replace")
    except binascii.Error:
        return ""


def _cmd(state: ShellState, call: Call) -> Result:
    texts = [word.text.lower() for word in call.argv]
    index = next((index for index, text in enumerate(texts) if text in ("/c", "/k", "//c", "//k")), None)
    if index is None:
        return Result()
    code = " ".join(word.text for word in call.argv[index + 1 :])
    return Result(inner=parse_windows_code(state, code, "cmd", "cmd /c", call.span))


PROGRAMS: Mapping[str, Program] = {
    "pwsh": _pwsh,
    "powershell": _pwsh,
    "cmd": _cmd,
}
