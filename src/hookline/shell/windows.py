"""The Windows shells, which other systems run too: `pwsh -Command …`, `cmd /c …`, and effects of cmdlets."""

from __future__ import annotations

import binascii
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from hookline.lazy import re
from hookline.shell.options import word_set
from hookline.shell.powershell import split_powershell
from hookline.shell.result import UNKNOWN, Action, Effect, SimpleCommand, Word
from hookline.shell.shell_state import Call, InnerCommand, Program, Result, ShellState, resolve, spend
from hookline.shell.syntax import Span

Commands: TypeAlias = Callable[[str], Iterator[tuple[Word, ...]]]

_TOKEN = re.compile(
    r'(?P<blank>[ \t]+)|(?P<end>&&|\|\||[&|\n()])|(?P<word>(?:"[^"\n]*"?|\^.|[^\s&|()"^])+|.)', re.DOTALL
)
_VARIABLE = re.compile(r"%([^%\n]*)%|!(\w+)!")
_SWITCH = re.compile(r"(?<=.)(?=/[A-Za-z])")
_SYNONYMS = {"rmdir": "rd", "erase": "del"}
_CMD_COMMANDS = frozenset({"rd", "del", "format", "move", "rename", "ren", "copy", "xcopy", "robocopy"})
"""Commands of cmd that differ from a Unix command of that name; they are recorded as `cmd rd` and so on."""
_MAX_WORDS = 1_000
"""Maximum words of one command."""


def split_cmd(code: str) -> Iterator[tuple[Word, ...]]:
    """Yield the commands of *code* as argument lists; the spans are positions in *code*."""
    words: list[Word] = []
    for match in _TOKEN.finditer(code):
        if match.lastgroup == "end":
            yield from _normalize_command(words)
            words = []
        elif match.lastgroup == "word" and len(words) < _MAX_WORDS:
            words.append(Word(text=_unquote(match.group()), span=match.span()))
    yield from _normalize_command(words)


def _unquote(text: str) -> str:
    plain = re.sub(r"\^(.)", r"\1", text, flags=re.DOTALL) if '"' not in text else text.replace('"', "")
    return _VARIABLE.sub(_expand_variable, plain)


def _expand_variable(match: re.Match[str]) -> str:
    name = (match.group(1) or match.group(2) or "").lower()
    return {"userprofile": "~", "homepath": "~", "cd": ".", "systemroot": "C:/Windows"}.get(name, UNKNOWN)


def _normalize_command(words: list[Word]) -> Iterator[tuple[Word, ...]]:
    rest = _skip_keywords(words)
    if not rest:
        return
    head, *switches = _SWITCH.split(rest[0].text.lstrip("@"))
    name = head.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe").removesuffix(".com")
    name = _SYNONYMS.get(name, name)
    first = Word(text=f"cmd {name}" if name in _CMD_COMMANDS else name, span=rest[0].span)
    yield (first, *(Word(text=switch, span=rest[0].span) for switch in switches), *rest[1:])


def _skip_keywords(words: list[Word]) -> list[Word]:
    """Return the command after `if exist x`, `for … do`, `call` and `start`."""
    texts = [word.text.lower().lstrip("@") for word in words]
    if "do" in texts and texts[0] == "for":
        return _skip_keywords(words[texts.index("do") + 1 :])
    if texts[:1] == ["if"]:
        skipped = 1 + (texts[1:2] == ["/i"]) + ("not" in texts[1:3])
        return _skip_keywords(words[skipped + (2 if texts[skipped : skipped + 1] == ["exist"] else 1) :])
    return _skip_keywords(words[1:]) if texts[:1] in (["call"], ["start"], ["do"]) else words


DIALECTS: Mapping[str, Commands] = {"powershell": split_powershell, "cmd": split_cmd}
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
        words = (Word(text=word.text, span=span or word.span, glob=word.glob) for word in argv)
        commands.append(InnerCommand(via, command_span, tuple(words) if span is not None else argv))
        if len(commands) >= _MAX_COMMANDS:
            break
    return tuple(commands)


_PWSH_VALUED = tuple("-windowstyle -executionpolicy -ep -version -workingdirectory -wd -settingsfile".split())


def _pwsh(state: ShellState, call: Call) -> Result:
    """Run the code of `-Command` (the rest of the line), `-EncodedCommand`, `-File`, or standard input."""
    skipped = False
    for index, word in enumerate(call.argv[1:], 2):
        option, rest = word.text.lower(), call.argv[index:]
        if skipped:
            skipped = False
            continue
        skipped = len(option) > 1 and any(name.startswith(option) for name in _PWSH_VALUED)
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


PROGRAMS: Mapping[str, Program] = {**dict.fromkeys(("pwsh", "powershell"), _pwsh), "cmd": _cmd}


_VALUED = word_set(
    """-value -encoding -filter -include -exclude -pattern -name -itemtype -type -totalcount -tail -head
    -first -stream -delimiter -inputobject -target -erroraction -readcount -width -newname"""
)
"""Parameters whose value is not a path."""
_LIMITS = word_set("-totalcount -tail -last -head -first")
"""Parameters with which a cmdlet reads a few lines."""
_MIN_PARAMETER = 4
"""Minimum characters of an abbreviated parameter that takes a value; `-Fo` and `-r` are switches."""


class _Row(NamedTuple):
    action: Action
    target: Action | None = None
    """Action on the operand after the first one."""
    single: bool = False
    """True if only the first operand is a path."""
    skip: int = 0


_ROWS: Mapping[str, _Row] = {
    **dict.fromkeys(word_set("get-content import-csv import-clixml format-hex"), _Row("read")),
    "select-string": _Row("read", skip=1),
    **dict.fromkeys(
        word_set("set-content out-file tee-object export-csv export-clixml"), _Row("write", single=True)
    ),
    "add-content": _Row("append", single=True),
    "new-item": _Row("create", single=True),
    "clear-content": _Row("truncate"),
    "remove-item": _Row("delete"),
    "copy-item": _Row("copy", "write"),
    **dict.fromkeys(("move-item", "rename-item"), _Row("move", "write")),
    **dict.fromkeys(
        word_set("writealltext writealllines writeallbytes create openwrite"), _Row("write", single=True)
    ),
    **dict.fromkeys(word_set("appendalltext appendalllines appendtext"), _Row("append", single=True)),
    **dict.fromkeys(
        word_set("readalltext readalllines readallbytes readlines openread opentext"), _Row("read")
    ),
    **dict.fromkeys(("delete", "delete-file"), _Row("delete", single=True)),
    "copy": _Row("copy", "write"),
    "move": _Row("move", "write"),
}


def _cmdlet_effects(command: SimpleCommand) -> Iterator[Effect]:
    row = _ROWS[command.name.removeprefix(".net ")]
    operands, switches = split_parameters(command.words[1:])
    if any(one.startswith("-wh") for one in switches):
        return
    recursive = command.name == ".net delete" or any(
        len(o) > 1 and "-recurse".startswith(o) for o in switches
    )
    bounded = command.name == "select-string" or any(o in _LIMITS for o in switches)
    sources = operands[row.skip :][: 1 if row.single or row.target else None]
    for word in sources:
        yield Effect(action=row.action, path=word, recursive=recursive, bounded=bounded)
    if row.target is not None:
        yield from (Effect(action=row.target, path=word) for word in operands[1:2])


def split_parameters(words: tuple[Word, ...]) -> tuple[list[Word], list[str]]:
    """Return the operands up to a pipe, with the values of `-Path` and the like, and the other parameters."""
    operands: list[Word] = []
    switches: list[str] = []
    is_value = False
    for word in words:
        if word.text == "|":
            break
        if is_value or not word.text.startswith("-"):
            path = word.text.replace("\\", "/")
            operands += [] if is_value else [word if path == word.text else word.with_text(path, ())]
            is_value = False
            continue
        switches.append(word.text.lower().partition(":")[0])
        is_value = len(switches[-1]) >= _MIN_PARAMETER and any(o.startswith(switches[-1]) for o in _VALUED)
    return operands, switches


EFFECTS = {
    name if "-" in name and name != "delete-file" else f".net {name}": _cmdlet_effects for name in _ROWS
}
