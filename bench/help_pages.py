"""Time of `--help` of every command, slowest first: `python bench/help_pages.py [--scale 0.2]`.

Each time is the median of several calls from start to exit, after one that fills the caches.
"""

import os
import subprocess
import sys
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from hookline.cli._bench.bars import Figure, at_most
from hookline.cli._main import COMMANDS, build_parser

CALLS = 5
SHOWN = 10
MAX_MILLISECONDS = 150.0
HOOKLINE = str(Path(sys.executable).with_name("hookline"))
ENV = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def figures(scale: float) -> list[Figure]:
    calls = max(round(CALLS * scale), 1)
    (slowest, line), *_ = measure_pages(calls)
    ratio = slowest / measure([sys.executable, "-c", "pass"], calls)
    return [
        at_most("help", f"slowest --help: {line}", slowest, MAX_MILLISECONDS, "ms"),
        Figure(id="help-to-python", what="the same, to `python -c pass`", value=ratio, unit="×"),
    ]


def measure_pages(calls: int) -> list[tuple[float, str]]:
    """Return the milliseconds of each page and its command, slowest first."""
    lines = ["hookline --help", *(f"{prog} --help" for prog in _list_programs())]
    return sorted(((measure([HOOKLINE, *line.split()[1:]], calls), line) for line in lines), reverse=True)


def measure(words: Sequence[str], calls: int) -> float:
    return median([_time_call(words) for _ in range(calls + 1)][1:])


def _time_call(words: Sequence[str]) -> float:
    start = perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=ENV)
    return (perf_counter() - start) * 1000


def _list_programs() -> Iterator[str]:
    for name in COMMANDS.names():
        yield from _list_subprograms(build_parser([name]))


def _list_subprograms(parser: ArgumentParser) -> Iterator[str]:
    for action in parser._actions:  # noqa: SLF001 -- argparse has no other way to list its commands
        for subparser in action.choices.values() if isinstance(action, _SubParsersAction) else ():
            yield subparser.prog
            yield from _list_subprograms(subparser)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help=f"fraction of {CALLS} calls")
    calls = max(round(CALLS * parser.parse_args().scale), 1)
    python = measure([sys.executable, "-c", "pass"], calls)
    pages = measure_pages(calls)
    print(f"{len(pages)} pages; limit {MAX_MILLISECONDS:g} ms; `python -c pass` {python:.0f} ms")
    for milliseconds, line in pages[:SHOWN]:
        print(f"{milliseconds:5.0f} ms {milliseconds / python:5.1f} ×  {line}")


if __name__ == "__main__":
    sys.exit(main())
