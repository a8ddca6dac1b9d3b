"""Change of one value in a TOML text, with comments and layout kept.

A library that keeps comments, such as tomlkit, would be a further dependency with a parser of its own. Here
`tomllib` reads the result again, and a text whose data would differ in anything else is refused.
"""

import json
import tomllib
from typing import Any

from hookline.lazy import re
from hookline.policy.line_numbers import Path, toml_lines

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ASSIGNMENT = re.compile(r"""(?:[^"'=\n]|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')*=[ \t]*""")
"""A key, quoted or not, up to its value."""


def format_literal(text: str) -> str:
    """Return *text* if it is a TOML value; other text as a TOML string."""
    return text.strip() if _is_complete(text) else json.dumps(text, ensure_ascii=False)


def set_value(text: str, path: Path, literal: str) -> str:
    """Return *text* with the value at *path* set to *literal*; raise `ValueError` if it cannot be changed."""
    try:
        expected = table = tomllib.loads(text)
    except ValueError as error:
        raise ValueError(f"invalid TOML: {error}; use `hookline config edit`") from None
    for key in path[:-1]:
        table = table.setdefault(key, {})
        if not isinstance(table, dict):
            raise ValueError(f"{key!r} is not a table; use `hookline config edit`")  # noqa: TRY004 -- of a file
    table[path[-1]] = tomllib.loads(f"value = {literal}")["value"]
    line = toml_lines(text).get(path, 0)
    changed = _replace_value(text, line, literal) if line else _add(text, path, literal)
    if not _has_data(changed, expected):
        raise ValueError(f"{'.'.join(path)!r} cannot be changed alone; use `hookline config edit`")
    return changed


def _has_data(text: str, expected: dict[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == expected
    except ValueError:
        return False


def _replace_value(text: str, line: int, literal: str) -> str:
    """Return *text* with another value in the assignment that begins in *line*, whose comment is kept."""
    rows = text.splitlines(keepends=True)
    before, rest = "".join(rows[: line - 1]), "".join(rows[line - 1 :])
    match = _ASSIGNMENT.match(rest)
    if match is None:
        return text
    return before + match[0] + literal + rest[_find_end(rest, match.end()) :]


def _find_end(text: str, start: int) -> int:
    """Return the end of the value that begins at *start*: the first place before which it is complete."""
    ends = (found.start() for found in re.finditer(r"[ \t]*(?:#|\r?\n|\Z)", text[start:]))
    return next((start + end for end in ends if _is_complete(text[start : start + end])), len(text))


def _is_complete(literal: str) -> bool:
    try:
        return [*tomllib.loads(f"value = {literal}\n")] == ["value"]
    except ValueError:
        return False


def _add(text: str, path: Path, literal: str) -> str:
    """Return *text* with a new key: below the header of its table, or in a new table at the end."""
    *table, key = map(_format_key, path)
    assignment, header = f"{key} = {literal}\n", f"[{'.'.join(table)}]"
    rows = text.splitlines(keepends=True)
    if rows and not rows[-1].endswith("\n"):
        rows[-1] += "\n"
    headers = [number for number, row in enumerate(rows) if row.lstrip().startswith("[")]
    if not table:
        place = min((_comment_start(rows, number) for number in headers[:1]), default=len(rows))
        return "".join((*rows[:place], assignment, *(["\n"] if rows[place:] else []), *rows[place:]))
    place = next((number + 1 for number in headers if _is_header(rows[number], path[:-1])), 0)
    if place:
        return "".join((*rows[:place], assignment, *rows[place:]))
    return "".join((*rows, *(["\n"] if rows else []), f"{header}\n", assignment))


def _comment_start(rows: list[str], number: int) -> int:
    """Return the number of the first line of the comment directly above a line."""
    while number and rows[number - 1].lstrip().startswith("#"):
        number -= 1
    return number


def _is_header(row: str, path: Path) -> bool:
    try:
        data: Any = tomllib.loads(row)
    except ValueError:
        return False
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return bool(data == {})


def _format_key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
