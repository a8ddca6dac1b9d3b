"""Secrets that the layout of a text shows: cells of tables, and the data of Kubernetes Secrets."""

import re
from collections.abc import Generator, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from hookline.redact._text_views import Span
from hookline.redact._values import is_placeholder, is_reference

_MAX_DISTANCE = 2000
"""Maximum characters between the data and the kind of an object, on either side."""


def find_kube_secrets(text: str) -> Iterator[Span]:
    """Yield the values of the Secrets in *text*."""
    if "Secret" in text and "kind" in text:
        for start, end in (*_find_json_values(text), *_find_yaml_values(text)):
            value = text[start:end]
            if not (is_placeholder(value) or is_reference(value)):
                yield Span(start, end, "secret")


def _find_json_values(text: str) -> Iterator[tuple[int, int]]:
    for data in _json_data_pattern().finditer(text):
        start, end = data.span()
        context = f"{text[max(0, start - _MAX_DISTANCE) : start]}\n{text[end : end + _MAX_DISTANCE]}"
        if 'Secret\\"' in context or 'Secret"' in context:
            is_secret = _json_kind_pattern().search(context)
            yield from (match.span(1) for match in _pair_pattern().finditer(text, *data.span(1)) if is_secret)


def _find_yaml_values(text: str) -> Iterator[tuple[int, int]]:
    for data in _yaml_data_pattern().finditer(text) if "kind: Secret" in text else ():
        if _is_secret(text, data):
            yield from (match.span(1) for match in _entry_pattern().finditer(text, *data.span("body")))


def _is_secret(text: str, data: re.Match[str]) -> bool:
    """Return whether the object with this data is a Secret; its kind may precede or follow the data."""
    indent, (start, end) = data["indent"], data.span()
    item = f"\n{indent[2:]}- "
    before, after = (
        "\n" + text[max(0, start - _MAX_DISTANCE) : start],
        text[max(0, end - 1) : end + _MAX_DISTANCE],
    )
    before = before[max(before.rfind("\n---"), before.rfind(item) if indent else 0, 0) :]
    after = after.split("\n---", 1)[0].split(item if indent else "\n---", 1)[0]
    lines = f"\n{indent}kind: Secret\n", f"{item}kind: Secret\n"
    return any(line in f"{part}\n".replace("\r", "") for line in lines for part in (before, after))


@cache
def _json_data_pattern() -> re.Pattern[str]:
    return re.compile(r'"(?:data|stringData)\\{0,3}":\s{0,4}\{([^{}]{1,20000})\}')


@cache
def _json_kind_pattern() -> re.Pattern[str]:
    return re.compile(r'"kind\\{0,3}":\s{0,4}\\{0,3}"Secret\\{0,3}"')


@cache
def _pair_pattern() -> re.Pattern[str]:
    return re.compile(r'":\s{0,4}\\{0,3}"([^"\\\r\n]{4,})')


@cache
def _yaml_data_pattern() -> re.Pattern[str]:
    body = r"(?P<body>(?:(?P=indent) [^\r\n]*+(?:\r?\n|\Z))++)"
    return re.compile(rf"^(?P<indent> {{0,20}})(?:data|stringData):[ \t]*\r?\n{body}", re.MULTILINE)


@cache
def _entry_pattern() -> re.Pattern[str]:
    name = r"""["']?[\w.-]{1,253}["']?"""
    value = r"""([^\s"'\\|>{\[&*!#][^\s"'\\]{3,})"""
    return re.compile(rf"""^[ \t]+{name}:[ \t]{{1,4}}["']?{value}["']?[ \t]*\r?$""", re.MULTILINE)


class Cell(NamedTuple):
    """A cell of a table: the name in its row or column, and its position."""

    name: str
    start: int
    end: int


_MAX_BEFORE = 120
"""Maximum characters of a line before the last part of a name."""
_MAX_HEADER = 400
"""Maximum characters of the first line of a table."""
_MAX_ROW = 2000
"""Maximum characters of a row."""
_MAX_ROWS = 100
"""Maximum rows of a table that are examined."""
_BORDERS = "|│┃"
_PLAIN_BORDERS = dict.fromkeys(map(ord, _BORDERS), "|")
_NAME = r"""["'`]?[A-Za-z_][\w-]{0,60}+(?: [\w-]{1,60}+){0,2}["'`]?"""
_NAME_PATTERNS = {"|": rf"\s*(?:{_NAME}\s*)?", "\t": _NAME, ",": _NAME, ";": _NAME, "": rf"{_NAME}\s*"}
"""The delimiters of the cells of a table, with the pattern of a name; "" for cells aligned by blanks."""
_QUOTES = "\"'`"
_PADDING = f" \t\r{_QUOTES}"
_NO_PLACE = -1


def find_cells(text: str, lower: str, stems: Sequence[str]) -> Iterator[Cell]:
    """Yield the cells of tables in *text* whose row or column has a name with one of the *stems*."""
    table_end = 0
    for start, end in sorted(_find_names(lower, stems)):
        row = _row_pattern().match(lower, end)
        name_start = _find_name_start(lower, start) if row else _NO_PLACE
        if row and name_start != _NO_PLACE:
            yield Cell(text[name_start:end], *row.span("value"))
        elif start >= table_end:
            table_end = yield from _find_in_columns(text, start, stems)


def _find_names(lower: str, stems: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the position of each stem whose name fills its cell, and the end of the name."""
    for stem in stems:
        yield from (match.span() for match in _name_pattern(stem).finditer(lower))


def _find_name_start(lower: str, position: int) -> int:
    """Return the start of the name around *position* if it is the first cell of its line or string."""
    match = _row_start_pattern().search(lower, max(0, position - _MAX_BEFORE), position)
    return match.start("name") if match else _NO_PLACE


def _find_in_columns(text: str, position: int, stems: Sequence[str]) -> Generator[Cell, None, int]:
    """Yield the cells below the names in the line at *position*; return the end of the last row."""
    earliest = max(0, position - _MAX_HEADER)
    line_start = max(earliest, text.rfind("\n", earliest, position) + 1)
    line_end = _find_line_end(text, position, _MAX_HEADER)
    string_start = max(line_start, *(text.rfind(quote, line_start, position) + 1 for quote in _QUOTES))
    for start in dict.fromkeys((string_start, line_start)):
        delimiter, names, columns = _find_columns(text[start:line_end], stems)
        if columns:
            return (yield from _find_below(text, line_end, delimiter, names, columns, stems))
    return line_end


def _find_columns(line: str, stems: Sequence[str]) -> tuple[str, list[str], list[int]]:
    """Return the delimiter and the names of a table with this first line, and the columns with a stem."""
    has_stem = any(stem in line.lower() for stem in stems)
    is_header = has_stem and _header_pattern().fullmatch(line)
    delimiter, names = _split_header(line) if is_header else ("", [])
    return (
        delimiter,
        names,
        [n for n, name in enumerate(names) if any(stem in name.lower() for stem in stems)],
    )


def _find_below(
    text: str,
    position: int,
    delimiter: str,
    names: Sequence[str],
    columns: Sequence[int],
    stems: Sequence[str],
) -> Generator[Cell, None, int]:
    for _ in range(_MAX_ROWS):
        start, end = position + 1, _find_line_end(text, position + 1, _MAX_ROW)
        line = text[start:end].translate(_PLAIN_BORDERS)
        if not line.strip():
            break
        for number in columns:
            offset = _find_cell(line, delimiter, names, number)
            cell = _cell_pattern().match(text, start + offset, end) if offset != _NO_PLACE else None
            if cell:
                yield Cell(names[number].strip(_PADDING), *cell.span(1))
        if _find_columns(line[:_MAX_HEADER], stems)[2]:
            break  # it may be the first line of another table
        position = end
    return position


def _find_cell(line: str, delimiter: str, names: Sequence[str], number: int) -> int:
    """Return the start of a cell in a row of the table."""
    if not delimiter:
        start = sum(map(len, names[:number]))
        is_cell = line[start : start + 1].strip() and (start == 0 or line[start - 1].isspace())
        return start if is_cell else _NO_PLACE
    cells = line.split(delimiter)
    return sum(len(cell) + 1 for cell in cells[:number]) if len(cells) == len(names) else _NO_PLACE


def _split_header(line: str) -> tuple[str, list[str]]:
    """Return the delimiter of a table and its names, or no names if the line is not the first of one."""
    line = line.translate(_PLAIN_BORDERS)
    for delimiter, pattern in _NAME_PATTERNS.items():
        names = line.split(delimiter) if delimiter else _aligned_pattern().findall(line)
        is_header = sum(bool(name.strip(_PADDING)) for name in names) > 1
        if is_header and all(_compile(pattern).fullmatch(name) for name in names):
            return delimiter, names
    return "", []


def _find_line_end(text: str, start: int, limit: int) -> int:
    end = text.find("\n", start, start + limit)
    return end if end >= 0 else min(len(text), start + limit)


@cache
def _name_pattern(stem: str) -> re.Pattern[str]:
    return re.compile(
        rf"""{stem}[a-z0-9_-]{{0,32}}+(?=["'`]?(?:[ \t]{{2}}|\t|[,;](?! )|[ \t]?[\r\n{_BORDERS}]))"""
    )


@cache
def _row_pattern() -> re.Pattern[str]:
    gap = rf"(?:[ \t]{{2,80}}|\t|[ \t]{{0,80}}[{_BORDERS}][ \t]{{0,80}})"
    end = rf"""(?=["'`\t]|[ \t]{{0,80}}(?:[\r\n{_BORDERS}]|\Z)|[ \t]{{2}})"""
    return re.compile(rf"""["'`]?{gap}["'`]?(?P<value>[^\s"'`{_BORDERS}]{{8,400}}+){end}""")


@cache
def _row_start_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"""(?:^|[\n"'`])[ \t{_BORDERS}]{{0,40}}["'`]?(?P<name>(?:[a-z0-9_][a-z0-9_.-]{{0,60}})?)\Z"""
    )


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _header_pattern() -> re.Pattern[str]:
    return re.compile(rf"""[\w \t\r{_QUOTES}{_BORDERS},;-]+""")


@cache
def _aligned_pattern() -> re.Pattern[str]:
    return re.compile(r"\S++(?: \S++)*+\s*+")


@cache
def _cell_pattern() -> re.Pattern[str]:
    return re.compile(rf"""[{_PADDING}]*([^\s"'`|,;]+)""")
