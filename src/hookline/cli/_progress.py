"""A progress bar with the time left, for commands that read files."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

Advance = Callable[[int, int], None]
"""Function that takes the bytes read since the last call, and the number of calls judged so far."""


@contextmanager
def show_progress(files: Iterable[str], *, hidden: bool = False) -> Iterator[Advance]:
    """Show a progress bar on stderr if it is a terminal, unless *hidden*."""
    if hidden or not sys.stderr.isatty():
        yield lambda size, calls: None
        return
    console = Console(stderr=True)
    counted = TextColumn("{task.fields[calls]:,} calls")
    columns = (counted, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    dumb = console.is_dumb_terminal
    # Output on stdout is for a file or a pipe; rich would print it above the bar instead.
    with Progress(*columns, console=console, transient=True, disable=dumb, redirect_stdout=False) as bar:
        task = bar.add_task("", total=sum(map(_size, files)) or None, calls=0)
        yield lambda size, calls: bar.update(task, advance=size, calls=calls)


def _size(file: str) -> int:
    try:
        return os.path.getsize(file)
    except OSError:  # stdin, or a file whose error is reported when it is read
        return 0
