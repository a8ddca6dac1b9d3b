"""Who looks on while a run goes: a person at a terminal, or whoever reads the lines later."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from hookline.cli._run_lines import Lines
from hookline.engine.view import Live
from hookline.engine.watching import Watcher


@contextmanager
def watching() -> Iterator[Watcher]:
    if not sys.stdout.isatty():
        yield Lines()
        return
    live = Live(Console())
    try:
        yield live
    finally:
        live.close()
