"""Output as tables and JSON, and text that is safe to show on a terminal."""

import json
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

from rich.console import Console
from rich.table import Table

from hookline.redact import redact, redact_json

PIPE_WIDTH = 100_000
"""Columns when stdout is not a terminal: wide enough that no cell is wrapped or cut."""
MAX_WORD = 36
"""Characters of a word that is not split, such as the name of a rule; a longer one may be a path."""
DIFF_COLOURS = {"+": "32", "-": "31", "@": "36"}
MIN_COLUMNS = 2
"""Columns of a table that are always shown: a name and a value."""


def colour(code: str, text: str) -> str:
    """Return *text* in the colour of an ANSI *code*; plain in a pipe, with NO_COLOR or a dumb terminal."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    return text if plain or not (text and code) else f"\x1b[{code}m{text}\x1b[0m"


def colour_diff(text: str) -> str:
    """Return a unified diff with added lines in green and removed lines in red."""
    return "\n".join(colour(DIFF_COLOURS.get(line[:1], ""), line) for line in text.split("\n"))


def sanitize(text: str) -> str:
    """Return *text* without secrets, and with control and invisible characters replaced by symbols."""
    text = redact(text)
    return text if text.isprintable() else "".join(map(_replace_unprintable, text))


def _replace_unprintable(char: str) -> str:
    if char.isprintable():
        return char
    if char < " ":
        return chr(0x2400 + ord(char))
    return "␡" if char == "\x7f" else "\ufffd"


def sanitize_lines(text: str) -> str:
    """Return text of several lines, each sanitized and with its tabs expanded."""
    return "\n".join(sanitize(line.replace("\t", "    ")) for line in text.split("\n"))


def dump(value: Any) -> None:
    """Print *value* as JSON on one line, redacted."""
    print(json.dumps(redact_json(value), ensure_ascii=False, default=str), flush=True)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, wide: bool = False) -> None:
    """Print *rows* below the names of their columns.

    On a terminal, cells are wrapped between words, and the last columns are left out if the words of all
    columns do not fit. In a pipe, or if *wide*, every cell is on one line.
    """
    cells = [[*map(sanitize, row)] for row in rows]
    by_column = [*zip(columns, *cells, strict=True)]
    longest_words = [min(MAX_WORD, _longest_word(column)) for column in by_column]
    total = PIPE_WIDTH if wide or not sys.stdout.isatty() else shutil.get_terminal_size().columns
    shown = len(columns)
    while shown > MIN_COLUMNS and sum(longest_words[:shown]) + 2 * (shown - 1) > total:
        shown -= 1
    room = total - sum(longest_words[:shown]) - 2 * (shown - 1)
    wanted = [max(map(len, column)) - word for column, word in zip(by_column, longest_words, strict=True)]
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name, word, extra in zip(columns, longest_words, _share(room, wanted[:shown]), strict=False):
        grid.add_column(name, overflow="fold", width=word + extra)
    for row in cells:
        grid.add_row(*row[:shown])
    print_rich(grid, width=total)
    if shown < len(columns):
        print(f"(not shown in {total} columns: {', '.join(columns[shown:])})")


def _longest_word(cells: Iterable[str]) -> int:
    return max(len(word) for cell in cells for word in cell.split() or [""])


def _share(room: int, wanted: Sequence[int]) -> list[int]:
    """Return the part of *room* that each gets of what it *wanted*; those who want least are served first."""
    parts, left = [0] * len(wanted), max(room, 0)
    for served, index in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        parts[index] = min(wanted[index], left // (len(wanted) - served))
        left -= parts[index]
    return parts


def align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the *rows* as lines, each column as wide as its widest cell."""
    cells = [[sanitize(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]


def print_rich(renderable: Any, width: int = 0) -> None:
    """Print an object of rich, in *width* columns or those of the terminal.

    It is rendered first, so that a closed pipe raises its error here.
    """
    terminal, buffer = sys.stdout.isatty(), StringIO()
    console = Console(file=buffer, markup=False, emoji=False, highlight=False, force_terminal=terminal)
    console.width = width or (console.width if terminal else PIPE_WIDTH)
    console.print(renderable, soft_wrap=hasattr(renderable, "plain"))  # a terminal wraps plain text itself
    print(redact("\n".join(line.rstrip() for line in buffer.getvalue().splitlines())))


def print_problems(problems: Iterable[object], waiting: Iterable[str]) -> None:
    """Print the problems of the configuration, and the untrusted files."""
    for problem in problems:
        print(f"problem: {sanitize(str(problem))}")
    untrusted = [sanitize(text) for text in waiting]
    for text in untrusted:
        print(f"not trusted: {text}")
    if untrusted:
        print("  review them with `hookline trust --show`, then run `hookline trust`")
