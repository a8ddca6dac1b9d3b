"""Find the line of everything in a configuration file, so that a complaint can point at it.

A path names keys as they are read and items of lists by their numbers. A key that is said again in the same
table is there too, as `again` names it. Each character is looked at once, and nobody nests configuration
deeper than `DEEPEST`, so that no file can make this slow.
"""

import json
import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile

from msgspec import Struct, field

Path = tuple[str, ...]
DEEPEST = 12
"""Levels: what lies deeper is found at the line of what is around it."""
AGAIN = "\0"
_JSON = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_TOML = re.compile(
    r'''\#[^\n]*
    | """ (?: [^"\\] | \\. | "(?!"") )*+ "{3,5}
    | \'\'\' (?: [^'] | '(?!'') )*+ '{3,5}
    | " (?: [^"\\\n] | \\. )*+ "
    | '[^'\n]*'
    | [\[\]{}=,.\n]
    | [^\s\[\]{}=,.#"']+''',
    re.DOTALL | re.VERBOSE,
)
Token = tuple[str, int]
"""A word and where it begins."""
Found = tuple[Path, int]


class _Open(Struct, kw_only=True):
    """A list or a table that is being read."""

    path: Path
    is_list: bool
    here: Path = ()
    """The item, or the key, whose value is being read."""
    number: int = 0
    key: list[str] = field(default_factory=list)
    begins: int = 0
    """Where the key begins."""
    fresh: bool = True
    """Whether an item, or a key, is about to begin."""


def json_lines(text: str) -> Mapping[Path, int]:
    """The line of every key and list item."""
    return _numbered(text, _walk(_tokens(_JSON, text), ()))


def toml_lines(text: str) -> Mapping[Path, int]:
    """The line of every table, key and list item."""
    return _numbered(text, _statements(_tokens(_TOML, text)))


def again(key: str, times: int) -> str:
    """What a key is called that its table has had so many *times* before."""
    return f"{key}{AGAIN}{times}" if times else key


def nearest(lines: Mapping[Path, int], path: Path) -> int:
    """The line of *path*, else of the innermost thing around it that has one."""
    for end in range(len(path), 0, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return 1


def _tokens(words: re.Pattern[str], text: str) -> Iterator[Token]:
    return ((found[0], found.start()) for found in words.finditer(text) if found[0][0] != "#")


def _numbered(text: str, found: Iterator[Found]) -> Mapping[Path, int]:
    ends = [end.start() for end in re.finditer("\n", text)]
    lines: dict[Path, int] = {}
    for path, at in found:
        lines.setdefault(path, bisect(ends, at) + 1)
    return lines


def _statements(tokens: Iterator[Token]) -> Iterator[Found]:
    """What stands in a TOML file: headers of tables, and keys with their values."""
    table: Path = ()
    lists: dict[Path, int] = {}
    for word, at in tokens:
        if word == "[":
            table = _header(list(_until("\n", tokens)), lists)
            yield from _around(table, 0, at)
        elif word != "\n":
            key = (*table, *_parts([word, *_until("=", tokens)]))
            yield from _around(key, len(table), at)
            yield from _walk(tokens, key)


def _until(end: str, tokens: Iterator[Token]) -> Iterator[str]:
    return takewhile(lambda word: word != end, (word for word, _ in tokens))


def _parts(words: Iterable[str]) -> list[str]:
    return [_name(word) for word in words if word not in ("[", "]", ".")][:DEEPEST]


def _name(word: str) -> str:
    if word[0] not in "\"'":
        return word
    try:
        return str(json.loads(word))
    except ValueError:
        return word[1:-1]


def _header(words: list[str], lists: dict[Path, int]) -> Path:
    """The table that a header names; of a list of tables, its last one."""
    path: Path = ()
    parts = _parts(words)
    for left, part in enumerate(parts, 1 - len(parts)):
        path = (*path, part)
        if words[0] == "[" and not left:
            lists[path] = lists.get(path, -1) + 1
        path = (*path, str(lists[path])) if path in lists else path
    return path


def _around(path: Path, known: int, at: int) -> Iterator[Found]:
    """The *path*, and those of the tables around it that a dotted key makes."""
    return ((path[:end], at) for end in range(known + 1, len(path) + 1))


def _walk(tokens: Iterator[Token], path: Path) -> Iterator[Found]:
    """Everything inside of the value that is called *path*."""
    opened: list[_Open] = []
    times: dict[Path, int] = {}
    for word, at in tokens:
        if word == "\n":
            if not opened:
                return
        elif word in ("]", "}"):
            del opened[-1:]
        elif opened:
            yield from _within(opened, times, word, at)
        elif word in ("[", "{"):
            opened.append(_Open(path=path, is_list=word == "["))


def _within(opened: list[_Open], times: dict[Path, int], word: str, at: int) -> Iterator[Found]:
    top = opened[-1]
    if word == ",":
        top.number, top.key, top.fresh = top.number + 1, [], True
    elif top.fresh and not top.is_list:
        yield from _key(top, times, word, at)
    else:
        if top.fresh:
            yield from _begun(top, (str(top.number),), at)
        if word in ("[", "{"):
            opened.append(_Open(path=top.here, is_list=word == "["))


def _key(top: _Open, times: dict[Path, int], word: str, at: int) -> Iterator[Found]:
    if word in (":", "="):
        path = (*top.path, *top.key)
        last = again(top.key[-1] if top.key else "", times.get(path, 0))
        times[path] = times.get(path, 0) + 1
        yield from _begun(top, (*top.key[:-1], last), top.begins)
    elif word != ".":
        top.begins = top.begins if top.key else at
        top.key.append(_name(word))


def _begun(top: _Open, steps: Path, at: int) -> Iterator[Found]:
    """Now the value of this item or key is read."""
    top.fresh = False
    if len(top.path) + len(steps) > DEEPEST:
        top.here = top.path
    else:
        top.here = (*top.path, *steps)
        yield top.here, at
