"""Programs whose scripts can run shell commands: sed, ed, ex, vim, and database clients."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from hookline.shell.embedded import find_commands
from hookline.shell.options import Options, parse_options
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.sedscript import Script, parse_ed, parse_sed
from hookline.shell.sedtext import apply_sed
from hookline.shell.shell_state import (
    MAX_FILES,
    OPAQUE,
    Call,
    InnerCommand,
    Result,
    ShellState,
    is_unknown,
    resolve,
    spend,
    unknown_output,
)
from hookline.shell.streams import pass_through, write_file
from hookline.shell.syntax import Span

Program: TypeAlias = Callable[[ShellState, Call], Result]

SED_VALUES = ("-e", "-f", "-l", "--expression", "--file", "--line-length")
_VIM_VALUES = ("-c", "--cmd", "-S", "-u", "-i", "-s", "-w", "-W", "-T", "--startuptime")
_EX_VALUES = tuple(name for name in _VIM_VALUES if name != "-s")
_LINE_FILTER = re.compile(r"[\d,$!~+\s]*(?:[pdq]?|w [^\n]*)|/[^/]*/!?[pdq]|")
"""A sed script that selects lines and leaves their text unchanged."""


def _sed(state: ShellState, call: Call) -> Result:
    options = parse_options(call.argv[1:], SED_VALUES, mixed=True)
    scripts, operands = _find_scripts(state, options)
    text = "\n".join(scripts)
    script = parse_sed(text) if spend(state, len(text)) else Script()
    only_filters = not options.has("-i", "--in-place") and all(
        _LINE_FILTER.fullmatch(item) for item in scripts
    )
    filtered = pass_through(state, call, operands) if only_filters else Result()
    edit = partial(apply_sed, scripts, quiet=options.has("-n", "--quiet"), extended=options.has("-E", "-r"))
    if options.has("-i", "--in-place"):
        _edit_files(state, operands, edit)
    elif not script.commands and not script.runs_input:
        filtered = _edit_text(state, pass_through(state, call, operands), filtered, edit)
    for path in script.writes[:MAX_FILES]:
        write_file(state, path, filtered.output if only_filters else unknown_output(state), append=False)
    inner = _inner_commands("sed", script, call.span)
    if script.runs_input and call.stdin:
        inner.append(InnerCommand("sed e", call.span, code=call.stdin))
    return Result(inner=tuple(inner)) if inner else filtered


def _edit_text(
    state: ShellState, read: Result, filtered: Result, edit: Callable[[str], str | None]
) -> Result:
    """Return the edited text; lines that sed prints unchanged may be more than it really prints."""
    if OPAQUE in read.output:
        return read
    unknown = is_unknown(read.output)
    text = read.output.strip() or UNKNOWN if unknown else read.output
    output = edit(text) if spend(state, len(text)) else None
    if unknown:  # text before or after an unknown line: `sed 's/^/kubectl delete /'`
        return filtered if output is None or is_unknown(output) else Result(output)
    if output is not None:
        return Result(output)
    return filtered if not is_unknown(filtered.output) else Result(OPAQUE)


def _edit_files(state: ShellState, operands: tuple[Word, ...], edit: Callable[[str], str | None]) -> None:
    """Edit the files in place that this line has written."""
    for word in operands if state.files else ():
        content = state.files.get(resolve(state, word.text))
        if content is not None and not is_unknown(content) and spend(state, len(content)):
            edited = None if OPAQUE in content else edit(content)
            write_file(state, word.text, OPAQUE if edited is None else edited, append=False)


def _find_scripts(state: ShellState, options: Options) -> tuple[list[str], tuple[Word, ...]]:
    """Return the scripts of a sed command, and the files that it reads."""
    scripts: list[str] = []
    for name, value in options.options:
        if value is not None and name in ("-e", "--expression"):
            scripts.append(value.text)
        elif value is not None and name in ("-f", "--file"):
            scripts.append(state.files.get(resolve(state, value.text), UNKNOWN))
    if scripts:
        return scripts, options.operands
    return [word.text for word in options.operands[:1]], options.operands[1:]


def _inner_commands(via: str, script: Script, span: Span) -> list[InnerCommand]:
    return [InnerCommand(via + " !", span, code=code) for code in script.commands]


def _ed(state: ShellState, call: Call) -> Result:
    script = parse_ed(call.stdin) if spend(state, len(call.stdin)) else Script()
    for path in script.writes[:MAX_FILES]:
        write_file(state, path, unknown_output(state), append=False)
    return Result("", tuple(_inner_commands("ed", script, call.span)))


def _vim(state: ShellState, call: Call) -> Result:
    """Run the scripts of `-c` and `+…`, of a file sourced with `-S`, or of the standard input for `ex`."""
    options = parse_options(call.argv[1:], _EX_VALUES if _runs_as_ex(call) else _VIM_VALUES, mixed=True)
    scripts = [value for name, value in options.options if name in ("-c", "--cmd") and value is not None]
    scripts += [
        Word(text=word.text[1:], span=word.span) for word in options.operands if word.text.startswith("+")
    ]
    for name, value in options.options:
        if name in ("-S", "-s", "-u") and value is not None:
            scripts.append(Word(text=state.files.get(resolve(state, value.text), ""), span=value.span))
    if call.stdin and not call.stdin.startswith(UNKNOWN):
        scripts.append(Word(text=call.stdin, span=call.span))
    return Result("", tuple(command for word in scripts for command in _find_vim_commands(state, word)))


def _runs_as_ex(call: Call) -> bool:
    """Return whether vim runs as `ex`, where `-s` means silent and takes no value."""
    return call.argv[0].text.endswith("ex") or any(
        word.text in ("-e", "-es", "-E", "-Es") for word in call.argv
    )


def _find_vim_commands(state: ShellState, word: Word) -> list[InnerCommand]:
    if not word.text or not spend(state, 2 * len(word.text)):
        return []
    return _inner_commands("vim", parse_ed(word.text), word.span) + find_commands(word.text, "vim", word.span)


_SHELL_ESCAPE = re.compile(
    r"^\s*(?:\\!|\.(?:shell|system)\b|system\s)\s*(.+)$"
    r"|(?:\\(?:g|gx|o|w)|\.(?:output|once|import))\s*['\"]?\|([^'\"\n]+)|(?i:\bPROGRAM)\s+'([^']+)'"
    r"|(?i:\bedit)\s*\([^()]*,\s*'([^']+)'\s*\)",
    re.MULTILINE,
)


def _database_client(state: ShellState, call: Call) -> Result:
    """Run the shell escapes of a database client: `\\! COMMAND` in psql, `.system COMMAND` in sqlite3."""
    files = [state.files.get(resolve(state, word.text), "") for word in call.argv[1:]] if state.files else []
    scripts = [word.text for word in call.argv[1:]] + files + [call.stdin]
    inner = [
        InnerCommand("database !", call.span, code=next(filter(None, match.groups())))
        for script in scripts
        if spend(state, len(script))
        for match in _SHELL_ESCAPE.finditer(script)
    ]
    return Result("" if inner else UNKNOWN, tuple(inner))


PROGRAMS: Mapping[str, Program] = {
    **dict.fromkeys(("psql", "pgcli", "mysql", "mariadb", "sqlite3", "sqlite", "duckdb"), _database_client),
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("ed", "red"), _ed),
    **dict.fromkeys(("vim", "vi", "nvim", "view", "ex", "gvim", "mvim", "vimdiff"), _vim),
}
