"""Programs that run a command with a syntax of their own: setarch, hatch, nix, debuggers, expect, fd."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.lazy import re
from hookline.shell.options import parse_options, word_set
from hookline.shell.result import Word
from hookline.shell.shell_state import Call, InnerCommand, Program, Result, ShellState, unknown_output
from hookline.shell.wrappers import run_wrapped

_ARCHITECTURE = re.compile(
    r"(?:x86_64|i\d86|linux\d\d|aarch64|arm|ppc|powerpc|s390|mips|sparc|riscv|uname26)\w*"
)
_SPAWN_STATEMENT = re.compile(r"(?:spawn|exec|system)\s+(?:-\w+\s+)*(.*)", re.DOTALL)
_STATEMENT_SEPARATOR = re.compile(r"[;\n]")
_FD_EXEC_OPTIONS = word_set("-x -X --exec --exec-batch")
_FD_VALUES = word_set(
    """-d -E -t -e -S -c -j -o --max-depth --min-depth --exclude --type --extension --size --color --threads
    --owner --changed-within --changed-before --base-directory --search-path --format"""
)
_MAX_ROOTS = 64
"""Maximum folders of one search that are evaluated."""
_PLACEHOLDERS = re.compile(r"\{(?:|/|//|\.|/\.)\}")


def _setarch(state: ShellState, call: Call) -> Result:
    words = call.argv[1:]
    if words and _ARCHITECTURE.fullmatch(words[0].text):
        words = words[1:]
    return run_wrapped("setarch", call, parse_options(words).operands)


def _hatch(state: ShellState, call: Call) -> Result:
    """Run `hatch run ENV:command …`."""
    operands = parse_options(call.argv[1:], word_set("-e -p --env --project --data-dir --config")).operands
    if not operands or operands[0].text not in ("run", "env") or len(operands) == 1:
        return Result()
    first, *rest = parse_options(operands[1:], word_set("-i -x --include --exclude")).operands or operands[:1]
    plain = Word(text=first.text.rpartition(":")[2], span=first.span)
    if " " in plain.text and not rest:
        return Result("", (InnerCommand("hatch run", plain.span, code=plain.text),))
    return run_wrapped("hatch run", call, (plain, *rest))


def _nix(state: ShellState, call: Call) -> Result:
    """Run `nix develop -c command …`, and `nix run flake#program -- arguments`."""
    words = call.argv[1:]
    texts = [word.text for word in words]
    dashes = texts.index("--") if "--" in texts else len(texts)
    index = next((index for index, text in enumerate(texts[:dashes]) if text in ("-c", "--command")), None)
    if index is not None:
        return run_wrapped("nix -c", call, words[index + 1 :])
    name = next((word for word in words[:dashes] if "#" in word.text), None)
    if name is None or "run" not in texts[:dashes]:
        return Result()
    program = Word(text=name.text.rpartition("#")[2], span=name.span)
    return run_wrapped("nix run", call, (program, *words[dashes + 1 :]))


_DEBUGGER_COMMAND_OPTIONS = word_set(
    "-ex -iex --ex --eval-command --init-eval-command -o -O --one-line --one-line-before-file -k"
)
_SHELL_ESCAPES = ("platform shell ", "shell ", "!")


def _debugger(state: ShellState, call: Call) -> Result:
    """Run the shell escapes among the debugger's commands, and the program after `--args`."""
    inner: list[InnerCommand] = []
    for index, word in enumerate(call.argv):
        previous = call.argv[index - 1].text if index else ""
        escape = next((prefix for prefix in _SHELL_ESCAPES if word.text.startswith(prefix)), None)
        if previous in _DEBUGGER_COMMAND_OPTIONS and escape is not None:
            inner.append(InnerCommand("debugger", word.span, code=word.text[len(escape) :]))
        elif previous in ("--args", "-args") or (previous == "--" and word is not call.argv[0]):
            inner += run_wrapped("debugger", call, call.argv[index:]).inner
            break
    return Result(inner=tuple(inner))


def _man(state: ShellState, call: Call) -> Result:
    values = word_set(
        "-P -C -R -L -m -M -S -s -e -p -r -E --pager --config-file --locale --manpath --sections"
    )
    pager = parse_options(call.argv[1:], values, mixed=True).value("-P", "--pager")
    return Result() if pager is None else Result(inner=(InnerCommand("man -P", pager.span, code=pager.text),))


def _expect(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], ("-c", "-f", "-D"))
    texts = [value.text for name, value in options.options if name == "-c" and value is not None]
    texts += [call.stdin] if call.stdin else []
    matches = [
        _SPAWN_STATEMENT.fullmatch(part.strip().strip("{}"))
        for text in texts
        for part in _STATEMENT_SEPARATOR.split(text)
    ]
    return Result(
        inner=tuple(
            InnerCommand("expect", call.span, code=match.group(1)) for match in matches if match is not None
        )
    )


def _start_stop_daemon(state: ShellState, call: Call) -> Result:
    texts = [word.text for word in call.argv]
    dashes = texts.index("--") if "--" in texts else len(texts)
    values = word_set(
        "-x -a -p -n -u -g -c -d -r -s -R --exec --startas --pidfile --name --user --chuid --chdir"
    )
    options = parse_options(call.argv[1:dashes], values, mixed=True)
    program = options.value("-a", "--startas") or options.value("-x", "--exec")
    if program is None:
        return Result()
    return run_wrapped("start-stop-daemon", call, (program, *call.argv[dashes + 1 :]))


def _fd(state: ShellState, call: Call) -> Result:
    """Run `fd PATTERN FOLDER… -x command {}`; a pattern that matches everything means the folder itself."""
    words = call.argv[1:]
    index = next((index for index, word in enumerate(words) if word.text in _FD_EXEC_OPTIONS), None)
    if index is None:
        return Result()
    rest = words[index + 1 :]
    end = next((position for position, word in enumerate(rest) if word.text == ";"), len(rest))
    options = parse_options((*words[:index], *rest[end + 1 :]), _FD_VALUES, mixed=True)
    matches_all = not options.options and (not options.operands or options.operands[0].text in (".", "", "*"))
    roots = options.operands[1 : 1 + _MAX_ROOTS] or (Word(text=".", span=call.span),)
    if not matches_all:
        roots = tuple(Word(text=f"{root.text}/{unknown_output(state)}", span=root.span) for root in roots)
    return Result(
        inner=tuple(InnerCommand("fd -x", call.span, _fill_placeholders(rest[:end], root)) for root in roots)
    )


def _fill_placeholders(command: tuple[Word, ...], root: Word) -> tuple[Word, ...]:
    """Return *command* with *root* in place of its placeholders, or appended if there are none."""
    if not any(_PLACEHOLDERS.search(word.text) for word in command):
        return (*command, root)
    return tuple(
        Word(text=_PLACEHOLDERS.sub(lambda _: root.text, word.text), span=word.span, glob=word.glob)
        for word in command
    )


PROGRAMS: Mapping[str, Program] = {
    "setarch": _setarch,
    "hatch": _hatch,
    "nix": _nix,
    **dict.fromkeys(("gdb", "lldb"), _debugger),
    "man": _man,
    "expect": _expect,
    "start-stop-daemon": _start_stop_daemon,
    **dict.fromkeys(("fd", "fdfind"), _fd),
}
