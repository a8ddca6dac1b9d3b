"""Read the scripts of line editors, sed's and ed's: what in them is a command, and what a file to write.

Each command of the language is taken with the text that belongs to it, so that the letter `e` in a pattern,
or in a line to insert, is never taken for the command of that name.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from hookline.shell.result import UNKNOWN

_ADDRESS = re.compile(
    r"""(?:[ \t;\n{}\0\U000f0000-\U000ffffd]|\#[^\n]*|\d+(?:~\d+)?|[$,!+~]
    |/(?:[^/\\\n\[]|\\.|\[\^?\]?[^\]\n]{0,40}\]|\[)*+/[IM]*
    |\\([^\\\n])(?:\\.|(?!\1)[^\\\n])*+\1[IM]*)*+""",
    re.VERBOSE | re.DOTALL,
)
"""All that may stand before the letter of a command: addresses, blanks, braces, comments."""
_CLASS = r"\[\^?\]?[^\]\n]{0,40}\]|\["
"""A set of characters, in which the end of a pattern is one of them."""
_COMMANDS = frozenset("=aDdeFGgHhiclLNnPpQqRrTtvbWwxz:")
_LINE = re.compile(r"(?:[^\\\n]|\\.)*+", re.DOTALL)
_NAME = re.compile(r"[^\n]*")
_LABEL = re.compile(r"[^\n;}]*")
_SHAPES = {
    **dict.fromkeys("aice", _LINE),
    **dict.fromkeys("rRwW", _NAME),
    **dict.fromkeys(":btTvqQlL", _LABEL),
}
"""What text belongs to which command."""
_FLAGS = re.compile(r"[gpimeIM\d]*")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_REPLACED = re.compile(r"\\(.)|&", re.DOTALL)


class Script(NamedTuple):
    runs: tuple[str, ...] = ()
    """Shell commands, each in every reading of its backslashes."""
    writes: tuple[str, ...] = ()
    """Files."""
    runs_input: bool = False
    """Lines of the input are run as commands themselves."""


class _Found(NamedTuple):
    runs: list[str]
    writes: list[str]


def sed(script: str) -> Script:
    """What *script* makes sed do besides editing."""
    found, runs_input, pos = _Found([], []), False, 0
    while pos < len(script):
        begins = _ADDRESS.match(script, pos)
        pos = begins.end() if begins is not None else pos
        letter = script[pos : pos + 1]
        if letter == "s":
            pos, alone = _substitution(script, pos + 1, found)
            runs_input = runs_input or alone
        elif letter == "y":
            pos = _divided(script, pos + 1)[0]
        elif letter not in _COMMANDS:  # which sed refuses as a whole
            break
        else:
            text, pos = _argument(script, letter, pos + 1)
            runs_input = runs_input or (letter == "e" and not text)
            _noted(letter, text, found)
    return Script(tuple(dict.fromkeys(found.runs)), tuple(found.writes), runs_input)


def _argument(script: str, letter: str, pos: int) -> tuple[str, int]:
    """The text that belongs to the command *letter*, and where it ends."""
    shape = _SHAPES.get(letter)
    found = shape.match(script, pos) if shape is not None else None
    return (found.group().strip(), found.end()) if found is not None else ("", pos)


def _noted(letter: str, text: str, found: _Found) -> None:
    if letter == "e" and text:
        found.runs.extend((text, _ESCAPE.sub(r"\1", text)))
    elif letter in ("w", "W") and text:
        found.writes.append(text)


def _divided(script: str, pos: int) -> tuple[int, str]:
    """Where the two parts of `s/…/…/` and `y/…/…/` end, and the second of them."""
    mark = re.escape(script[pos : pos + 1] or "/")
    pattern = rf"(?:[^\\\[{mark}]|\\.|{_CLASS})*+{mark}"
    replacement = rf"(?:[^\\{mark}]|\\.)*+"
    found = re.compile(rf"{mark}{pattern}({replacement}){mark}", re.DOTALL).match(script, pos)
    return (found.end(), found.group(1)) if found is not None else (len(script), "")


def _substitution(script: str, pos: int, found: _Found) -> tuple[int, bool]:
    """Note what a `s/…/…/` runs or writes; where it ends, and whether it runs what it makes of the input."""
    end, replacement = _divided(script, pos)
    flags = _FLAGS.match(script, end)
    letters = flags.group() if flags is not None else ""
    end += len(letters)
    if script[end : end + 1] == "w":
        path, end = _argument(script, "w", end + 1)
        _noted("w", path, found)
    if "e" not in letters:
        return end, False
    found.runs.append(_REPLACED.sub(_made, replacement))
    return end, True


def _made(part: re.Match[str]) -> str:
    """What a mark in a replacement stands for: a part of the input, or itself."""
    letter = part.group(1)
    if letter is None or letter.isdecimal():
        return UNKNOWN
    return {"n": "\n", "t": "\t"}.get(letter, letter)


_ED = re.compile(
    r"""(?:[ \t:%,;.$+^-]|\d|'[a-z]|/(?:[^/\\\n]|\\.)*+/|\?(?:[^?\\\n]|\\.)*+\?)*+
    (?:(?:sil(?:ent)?!?|noa(?:utocmd)?|kee\w+|verb(?:ose)?)[ \t]+|[gGvV]!?/(?:[^/\\\n]|\\.)*+/)*+
    (?P<name>[A-Za-z]*)(?P<rest>.*)""",
    re.VERBOSE | re.DOTALL,
)
_INSERTING = frozenset({"a", "i", "c", "append", "insert", "change"})
_READING = frozenset({"r", "re", "rea", "read", "e", "E"})
_WRITING = frozenset(
    {"w", "W", "wq", "wr", "wri", "writ", "write", "x", "xit", "sav", "saveas", "up", "update", "wn", "wa"}
)
_TERMINAL = frozenset({"ter", "term", "terminal", "make", "grep"})
_DEEPEST = 4
"""Commands that are executed as a text, inside each other."""
_STRING = re.compile(r"""\s*(["'])(.*)\1\s*""", re.DOTALL)


def ed(script: str, depth: int = 0) -> Script:
    """What the lines of *script* make ed, ex or vim do besides editing; lines to insert are only text."""
    found, inserting = _Found([], []), False
    for line in script.split("\n"):
        if inserting:
            inserting = line != "."
            continue
        parts = _ED.match(line)
        name, rest = (parts["name"], parts["rest"]) if parts is not None else ("", "")
        inserting = name in _INSERTING and not rest.strip("! ")
        _edited(name, rest, found, depth)
    return Script(tuple(dict.fromkeys(found.runs)), tuple(found.writes))


def _edited(name: str, rest: str, found: _Found, depth: int) -> None:
    command = rest.lstrip()
    if name in ("exe", "execute"):
        quoted = _STRING.fullmatch(rest) if depth < _DEEPEST else None
        inner = ed(quoted.group(2), depth + 1) if quoted is not None else Script()
        found.runs.extend(inner.runs)
        found.writes.extend(inner.writes)
    elif command.startswith("!") and (not name or name in _READING or (name in _WRITING and rest[:1] != "!")):
        found.runs.append(command[1:])
    elif name in _TERMINAL:
        found.runs.append(command.lstrip("!"))
    elif name in _WRITING and (path := command.lstrip("!> ").partition("|")[0].strip()):
        found.writes.append(path)
