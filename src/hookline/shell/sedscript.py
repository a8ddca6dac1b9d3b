"""Parsing of the scripts of sed and ed: the shell commands in them, and the files they write.

Each editor command is read with its argument, so that the letter `e` in a pattern or in inserted text is not
mistaken for the command of that name.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from hookline.shell.result import UNKNOWN
from hookline.shell.shell_state import OPAQUE

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
