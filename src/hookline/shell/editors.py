"""Editors: the shell commands in the scripts of sed, ed, vim and database clients, and the files they write.

Each editor command is read with its argument, so that the letter `e` in a pattern or in inserted text is not
mistaken for the command of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from hookline.lazy import re
from hookline.shell.embedded import find_commands
from hookline.shell.options import Options, parse_options
from hookline.shell.result import UNKNOWN, Word
from hookline.shell.sedtext import apply_sed
from hookline.shell.shell_state import (
    MAX_FILES,
    OPAQUE,
    Call,
    InnerCommand,
    Program,
    Result,
    ShellState,
    is_unknown,
    resolve,
    spend,
    unknown_output,
)
from hookline.shell.streams import pass_through, write_file
from hookline.shell.syntax import Span

_ADDRESS = re.compile(
    r"""(?:[ \t;\n{}\0\U000f0000-\U000ffffd]|\#[^\n]*|\d+(?:~\d+)?|[$,!+~]
    |/(?:[^/\\\n\[]|\\.|\[\^?\]?[^\]\n]{0,40}\]|\[)*+/[IM]*
    |\\([^\\\n])(?:\\.|(?!\1)[^\\\n])*+\1[IM]*)*+""",
    re.VERBOSE | re.DOTALL,
)
"""Everything that may precede the letter of a command: addresses, blanks, braces, comments."""
_CHARACTER_CLASS = r"\[\^?\]?[^\]\n]{0,40}\]|\["
"""A set of characters, in which the delimiter of a pattern is an ordinary character."""
_COMMAND_LETTERS = frozenset("=aDdeFGgHhiclLNnPpQqRrTtvbWwxz:")
_TEXT_ARGUMENT = re.compile(r"(?:[^\\\n]|\\.)*+", re.DOTALL)
_FILE_ARGUMENT = re.compile(r"[^\n]*")
_LABEL_ARGUMENT = re.compile(r"[^\n;}]*")
_ARGUMENTS = {
    **dict.fromkeys("aice", _TEXT_ARGUMENT),
    **dict.fromkeys("rRwW", _FILE_ARGUMENT),
    **dict.fromkeys(":btTvqQlL", _LABEL_ARGUMENT),
}
"""The argument of each command, by its letter."""
MAX_SCRIPT = 50_000
"""Maximum characters of a script that is parsed; a longer one counts as a command that is not known."""
_FLAGS = re.compile(r"[gpimeIM\d]*")
_ESCAPED_CHARACTER = re.compile(r"\\(.)", re.DOTALL)
_REPLACEMENT_REFERENCE = re.compile(r"\\(.)|&", re.DOTALL)


class Script(NamedTuple):
    """The effects of an editor script outside the edited text."""

    commands: tuple[str, ...] = ()
    """Shell commands, each in every interpretation of its backslashes."""
    writes: tuple[str, ...] = ()
    """Files that it writes."""
    runs_input: bool = False
    """True if lines of the input are run as commands."""


class _Effects(NamedTuple):
    commands: list[str]
    writes: list[str]


def parse_sed(script: str) -> Script:
    """Return the commands that a sed *script* runs, and the files it writes."""
    if len(script) > MAX_SCRIPT:
        return Script((OPAQUE,))
    effects, runs_input, pos = _Effects([], []), False, 0
    while pos < len(script):
        address = _ADDRESS.match(script, pos)
        pos = address.end() if address is not None else pos
        letter = script[pos : pos + 1]
        if letter == "s":
            pos, runs_result = _read_substitution(script, pos + 1, effects)
            runs_input = runs_input or runs_result
        elif letter == "y":
            pos = _read_two_parts(script, pos + 1)[0]
        elif letter not in _COMMAND_LETTERS:  # sed rejects the whole script
            break
        else:
            text, pos = _read_argument(script, letter, pos + 1)
            runs_input = runs_input or (letter == "e" and not text)
            _add_effect(letter, text, effects)
    return Script(tuple(dict.fromkeys(effects.commands)), tuple(effects.writes), runs_input)


def _read_argument(script: str, letter: str, pos: int) -> tuple[str, int]:
    """Return the argument of the command *letter*, and its end."""
    pattern = _ARGUMENTS.get(letter)
    match = pattern.match(script, pos) if pattern is not None else None
    return (match.group().strip(), match.end()) if match is not None else ("", pos)


def _add_effect(letter: str, text: str, effects: _Effects) -> None:
    if letter == "e" and text:
        effects.commands.extend((text, _ESCAPED_CHARACTER.sub(r"\1", text)))
    elif letter in ("w", "W") and text:
        effects.writes.append(text)


def _read_two_parts(script: str, pos: int) -> tuple[int, str]:
    """Return the end of `s/…/…/` or `y/…/…/`, and the second part."""
    delimiter = re.escape(script[pos : pos + 1] or "/")
    pattern = rf"(?:[^\\\[{delimiter}]|\\.|{_CHARACTER_CLASS})*+{delimiter}"
    replacement = rf"(?:[^\\{delimiter}]|\\.)*+"
    match = re.compile(rf"{delimiter}{pattern}({replacement}){delimiter}", re.DOTALL).match(script, pos)
    return (match.end(), match.group(1)) if match is not None else (len(script), "")


def _read_substitution(script: str, pos: int, effects: _Effects) -> tuple[int, bool]:
    """Add the effects of a `s/…/…/`; return its end, and whether it runs its result as a command."""
    end, replacement = _read_two_parts(script, pos)
    flags = _FLAGS.match(script, end)
    letters = flags.group() if flags is not None else ""
    end += len(letters)
    if script[end : end + 1] == "w":
        path, end = _read_argument(script, "w", end + 1)
        _add_effect("w", path, effects)
    if "e" not in letters:
        return end, False
    effects.commands.append(_REPLACEMENT_REFERENCE.sub(_replacement_text, replacement))
    return end, True


def _replacement_text(match: re.Match[str]) -> str:
    """Return the text of a reference in a replacement: unknown input, or the character itself."""
    letter = match.group(1)
    if letter is None or letter.isdecimal():
        return UNKNOWN
    return {"n": "\n", "t": "\t"}.get(letter, letter)


_ED_LINE = re.compile(
    r"""(?:[ \t:%,;.$+^-]|\d|'[a-z]|/(?:[^/\\\n]|\\.)*+/|\?(?:[^?\\\n]|\\.)*+\?)*+
    (?:(?:sil(?:ent)?!?|noa(?:utocmd)?|kee\w+|verb(?:ose)?)[ \t]+|[gGvV]!?/(?:[^/\\\n]|\\.)*+/)*+
    (?P<name>[A-Za-z]*)(?P<rest>.*)""",
    re.VERBOSE | re.DOTALL,
)
_INSERT_COMMANDS = frozenset({"a", "i", "c", "append", "insert", "change"})
_READ_COMMANDS = frozenset({"r", "re", "rea", "read", "e", "E"})
_WRITE_COMMANDS = frozenset(
    {"w", "W", "wq", "wr", "wri", "writ", "write", "x", "xit", "sav", "saveas", "up", "update", "wn", "wa"}
)
_TERMINAL_COMMANDS = frozenset({"ter", "term", "terminal", "make", "grep"})
_MAX_DEPTH = 4
"""Maximum nesting of commands that are executed from a string."""
_QUOTED_STRING = re.compile(r"""\s*(["'])(.*)\1\s*""", re.DOTALL)


def parse_ed(script: str, depth: int = 0) -> Script:
    """Return the commands that an ed, ex or vim *script* runs, and the files it writes."""
    if len(script) > MAX_SCRIPT:
        return Script((OPAQUE,))
    effects, inserting = _Effects([], []), False
    for line in script.split("\n"):
        if inserting:
            inserting = line != "."
            continue
        match = _ED_LINE.match(line)
        name, rest = (match["name"], match["rest"]) if match is not None else ("", "")
        inserting = name in _INSERT_COMMANDS and not rest.strip("! ")
        _read_ed_command(name, rest, effects, depth)
    return Script(tuple(dict.fromkeys(effects.commands)), tuple(effects.writes))


def _read_ed_command(name: str, rest: str, effects: _Effects, depth: int) -> None:
    command = rest.lstrip()
    if name in ("exe", "execute"):
        quoted = _QUOTED_STRING.fullmatch(rest) if depth < _MAX_DEPTH else None
        inner = parse_ed(quoted.group(2), depth + 1) if quoted is not None else Script()
        effects.commands.extend(inner.commands)
        effects.writes.extend(inner.writes)
    elif command.startswith("!") and (
        not name or name in _READ_COMMANDS or (name in _WRITE_COMMANDS and rest[:1] != "!")
    ):
        effects.commands.append(command[1:])
    elif name in _TERMINAL_COMMANDS:
        effects.commands.append(command.lstrip("!"))
    elif name in _WRITE_COMMANDS and (path := command.lstrip("!> ").partition("|")[0].strip()):
        effects.writes.append(path)


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
