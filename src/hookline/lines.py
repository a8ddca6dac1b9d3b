"""Find the line of a key in a configuration file, so that a complaint can point at it."""

import re
from bisect import bisect
from collections.abc import Iterator, Mapping

Path = tuple[str, ...]
_TABLE = re.compile(r"^\s*\[{1,2}\s*([^\[\]]+?)\s*\]{1,2}\s*(?:#.*)?$")
_KEY = re.compile(
    r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_PART = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]')


def toml_lines(text: str) -> Mapping[Path, int]:
    """The line of every table and key."""
    found: dict[Path, int] = {}
    table: Path = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _TABLE.match(line):
            table = _parts(header[1])
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault(table + _parts(key[1]), number)
    return found


def _parts(dotted: str) -> Path:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))


def json_lines(text: str) -> Mapping[Path, int]:
    """The line of every key and list item; items are named by their numbers."""
    found: dict[Path, int] = {}
    ends = [at for at, char in enumerate(text) if char == "\n"]
    for path, at in _walk(text):
        found.setdefault(path, bisect(ends, at) + 1)
    return found


def _walk(text: str) -> Iterator[tuple[Path, int]]:
    """Every path with its offset: brackets move the path, a string before a colon names a key."""
    path: list[str] = []
    opened: list[str] = []
    tokens = list(_TOKEN.finditer(text))
    for here, after in zip(tokens, [*tokens[1:], None], strict=False):
        word = here[0]
        if word in "{[":
            opened.append(word)
            path.append("0" if word == "[" else "")
            yield tuple(path), here.start()
        elif word in "}]" and opened:
            opened.pop()
            path.pop()
        elif word == "," and opened and opened[-1] == "[":
            path[-1] = str(int(path[-1]) + 1)
        elif word[0] == '"' and after is not None and after[0] == ":" and path:
            path[-1] = word[1:-1]
            yield tuple(path), here.start()


def nearest(lines: Mapping[Path, int], path: Path) -> int:
    """The line of *path*, else of the innermost thing around it that has one."""
    for end in range(len(path), 0, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return 1
