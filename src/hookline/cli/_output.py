"""Output as tables and JSON, and text that is safe to show on a terminal."""

import json
import sys
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

from rich.console import Console
from rich.table import Table

from hookline.redact import redact, redact_json

PIPE_WIDTH = 100_000
"""Columns when stdout is not a terminal: wide enough that no cell is wrapped or cut."""


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


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print *rows* below the names of their columns: folded to a terminal's width, whole in a pipe."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in columns:
        grid.add_column(name, overflow="fold")
    for row in rows:
        grid.add_row(*map(sanitize, row))
    print_rich(grid)


def align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the *rows* as lines, each column as wide as its widest cell."""
    cells = [[sanitize(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]


def print_rich(renderable: Any) -> None:
    """Print an object of rich; it is rendered first, so that a closed pipe raises its error here."""
    terminal, buffer = sys.stdout.isatty(), StringIO()
    console = Console(file=buffer, markup=False, emoji=False, highlight=False, force_terminal=terminal)
    console.width = console.width if terminal else PIPE_WIDTH
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
