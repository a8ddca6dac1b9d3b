"""Write for a person or for a program: tables, JSON, and text that may hold anything."""

import json
import sys
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

from rich.console import Console
from rich.table import Table

from hookline.redact import redact, redact_json

WIDE = 100_000
"""Columns where nobody looks at a terminal: wide enough that no cell is wrapped or cut."""


def visible(text: str) -> str:
    """*text* without secrets, and with whatever could steer a terminal or hide itself made visible."""
    text = redact(text)
    return text if text.isprintable() else "".join(map(_picture, text))


def _picture(char: str) -> str:
    if char.isprintable():
        return char
    if char < " ":
        return chr(0x2400 + ord(char))
    return "␡" if char == "\x7f" else "\ufffd"


def lines(text: str) -> str:
    """The same for text of several lines."""
    return "\n".join(visible(line.replace("\t", "    ")) for line in text.split("\n"))


def dump(value: Any) -> None:
    """One JSON value on one line."""
    print(json.dumps(redact_json(value), ensure_ascii=False, default=str), flush=True)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Columns under their names: folded to the width of a terminal, whole in a pipe."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in columns:
        grid.add_column(name, overflow="fold")
    for row in rows:
        grid.add_row(*map(visible, row))
    write(grid)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The *rows* as lines, each column as wide as it must be."""
    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in shown]


def write(thing: Any) -> None:
    """Something of rich's; drawn apart, because a pipe that nobody reads any more is ours to notice."""
    terminal, drawn = sys.stdout.isatty(), StringIO()
    console = Console(file=drawn, markup=False, emoji=False, highlight=False, force_terminal=terminal)
    console.width = console.width if terminal else WIDE
    console.print(thing, soft_wrap=hasattr(thing, "plain"))  # what has lines of its own is folded by itself
    print(redact("\n".join(line.rstrip() for line in drawn.getvalue().splitlines())))


def complaints(problems: Iterable[object], waiting: Iterable[str]) -> None:
    """What a person should know before anything else."""
    for problem in problems:
        print(f"problem: {visible(str(problem))}")
    waits = [visible(text) for text in waiting]
    for text in waits:
        print(f"waits for your trust: {text}")
    if waits:
        print("  see `hookline trust --show`, then `hookline trust`")
