"""Line numbers of all keys and items in a configuration file, for messages.

A path consists of keys and of the indexes of list items. A repeated key of a table has the name that
`repeated_key` returns. Each character is examined once and nesting is limited to `MAX_DEPTH`, so that no file
can make this slow.
"""

import json
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile

from msgspec import Struct, field

from hookline.lazy import re

Path = tuple[str, ...]
MAX_DEPTH = 12
"""Levels of nesting; a deeper item gets the line of the item around it."""
REPEAT_SEPARATOR = "\0"
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
"""A word and its offset."""
Located = tuple[Path, int]
"""A path and its offset."""


class _Container(Struct, kw_only=True):
    """A list or a table that is being read."""

    path: Path
    is_list: bool
    current: Path = ()
    """Path of the item or key whose value is being read."""
    number: int = 0
    key: list[str] = field(default_factory=list)
    begins: int = 0
    """Offset of the key."""
    fresh: bool = True
    """True if an item or key begins next."""


def json_lines(text: str) -> Mapping[Path, int]:
    """Return the line of every key and list item."""
    return _to_lines(text, _nested_items(_tokens(_JSON, text), ()))


def toml_lines(text: str) -> Mapping[Path, int]:
    """Return the line of every table, key and list item."""
    return _to_lines(text, _toml_items(_tokens(_TOML, text)))


def repeated_key(key: str, times: int) -> str:
    """Return the name of a key that its table already has so many *times*."""
    return f"{key}{REPEAT_SEPARATOR}{times}" if times else key


def nearest(lines: Mapping[Path, int], path: Path) -> int:
    """Return the line of *path*, else of the innermost container that has one."""
    for end in range(len(path), 0, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return 1


def _tokens(words: re.Pattern[str], text: str) -> Iterator[Token]:
    return ((match[0], match.start()) for match in words.finditer(text) if match[0][0] != "#")


def _to_lines(text: str, located: Iterator[Located]) -> Mapping[Path, int]:
    ends = [end.start() for end in re.finditer("\n", text)]
    lines: dict[Path, int] = {}
    for path, at in located:
        lines.setdefault(path, bisect(ends, at) + 1)
    return lines


def _toml_items(tokens: Iterator[Token]) -> Iterator[Located]:
    """Yield the headers of tables and the keys with their values."""
    table: Path = ()
    lists: dict[Path, int] = {}
    for word, at in tokens:
        if word == "[":
            table = _header_path(list(_words_until("\n", tokens)), lists)
            yield from _prefixes(table, 0, at)
        elif word != "\n":
            key = (*table, *_parts([word, *_words_until("=", tokens)]))
            yield from _prefixes(key, len(table), at)
            yield from _nested_items(tokens, key)


def _words_until(end: str, tokens: Iterator[Token]) -> Iterator[str]:
    return takewhile(lambda word: word != end, (word for word, _ in tokens))


def _parts(words: Iterable[str]) -> list[str]:
    return [_name(word) for word in words if word not in ("[", "]", ".")][:MAX_DEPTH]


def _name(word: str) -> str:
    if word[0] not in "\"'":
        return word
    try:
        return str(json.loads(word))
    except ValueError:
        return word[1:-1]


def _header_path(words: list[str], lists: dict[Path, int]) -> Path:
    """Return the table that a header names; of an array of tables, the last item."""
    path: Path = ()
    parts = _parts(words)
    for remaining, part in enumerate(parts, 1 - len(parts)):
        path = (*path, part)
        if words[0] == "[" and not remaining:
            lists[path] = lists.get(path, -1) + 1
        path = (*path, str(lists[path])) if path in lists else path
    return path


def _prefixes(path: Path, start: int, at: int) -> Iterator[Located]:
    """Yield *path* and the tables that a dotted key creates around it."""
    return ((path[:end], at) for end in range(start + 1, len(path) + 1))


def _nested_items(tokens: Iterator[Token], path: Path) -> Iterator[Located]:
    """Yield all items inside the value at *path*."""
    opened: list[_Container] = []
    times: dict[Path, int] = {}
    for word, at in tokens:
        if word == "\n":
            if not opened:
                return
        elif word in ("]", "}"):
            del opened[-1:]
        elif opened:
            yield from _next_item(opened, times, word, at)
        elif word in ("[", "{"):
            opened.append(_Container(path=path, is_list=word == "["))


def _next_item(opened: list[_Container], times: dict[Path, int], word: str, at: int) -> Iterator[Located]:
    top = opened[-1]
    if word == ",":
        top.number, top.key, top.fresh = top.number + 1, [], True
    elif top.fresh and not top.is_list:
        yield from _next_key(top, times, word, at)
    else:
        if top.fresh:
            yield from _begin_value(top, (str(top.number),), at)
        if word in ("[", "{"):
            opened.append(_Container(path=top.current, is_list=word == "["))


def _next_key(top: _Container, times: dict[Path, int], word: str, at: int) -> Iterator[Located]:
    if word in (":", "="):
        path = (*top.path, *top.key)
        last = repeated_key(top.key[-1] if top.key else "", times.get(path, 0))
        times[path] = times.get(path, 0) + 1
        yield from _begin_value(top, (*top.key[:-1], last), top.begins)
    elif word != ".":
        top.begins = top.begins if top.key else at
        top.key.append(_name(word))


def _begin_value(top: _Container, steps: Path, at: int) -> Iterator[Located]:
    """Set the item or key whose value is read next, and yield it."""
    top.fresh = False
    if len(top.path) + len(steps) > MAX_DEPTH:
        top.current = top.path
    else:
        top.current = (*top.path, *steps)
        yield top.current, at
