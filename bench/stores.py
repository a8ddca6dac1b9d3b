"""Time of a full store relative to an empty one: `python bench/stores.py [--scale 0.1]`.

Both are used alternately, so that a slow moment of the machine affects both. Nothing is asserted.
"""

import random
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import count
from statistics import median

from rich.console import Console
from rich.table import Table

from hookline.cli._bench.bars import Figure, at_most
from hookline.core.records import Memory
from hookline.core.store import Query, Record, Store
from hookline.stores.sqlite import open_store

RECORDS, MEMORIES, SIGNATURES = 1_000_000, 100_000, 10_000
SESSIONS = 1_000
BATCH = 100_000
"""Records per write."""
BAR = 1.3
"""Limit of the ratio."""
WHOLE = "event, all of the above"
RANDOM = random.Random(5)
WORDS = [f"{RANDOM.choice('bdfgklmnprst')}{RANDOM.choice('aeiou')}{number:x}" for number in range(20_000)]
_numbers = count()


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of the full size")
    parser.add_argument("--runs", type=int, default=400, help="runs of each operation")
    args = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 100)
    with _open_both(args.scale) as (empty, full):
        console.print(f"filled: {dict(full.totals())}")
        console.print(_table(_measure(empty, full, args.runs), args.runs))


def figures(scale: float, runs: int = 400) -> list[Figure]:
    """Return the time of a full store relative to an empty one."""
    with _open_both(scale) as (empty, full):
        totals = full.totals()
        times = _measure(empty, full, runs)
    empty_times, full_times = times[WHOLE]
    what = f"an event with a store of {totals['records']:,} records, relative to an empty one"
    return [at_most("store-size", what, median(full_times) / median(empty_times), BAR)]


@contextmanager
def _open_both(scale: float) -> Iterator[tuple[Store, Store]]:
    """Yield an empty store and a full one."""
    with (
        tempfile.TemporaryDirectory(prefix="hookline-bench-") as folder,
        closing(open_store(f"{folder}/empty.db")) as empty,
        closing(open_store(f"{folder}/full.db")) as full,
    ):
        _fill(full, scale)
        yield empty, full


def _fill(store: Store, scale: float) -> None:
    for batch in _batches(int(RECORDS * scale)):
        store.record([_record(f"session-{RANDOM.randrange(SESSIONS)}") for _ in batch])
    for number in range(SESSIONS):
        store.begin_session(f"session-{number}", host="claude-code", cwd="/work", at=float(number))
    for number in range(int(MEMORIES * scale)):
        store.remember(_memory(f"project-{number % 50}"))
    for number in range(int(SIGNATURES * scale)):
        store.count_error(f"error-{number}", text="ModuleNotFoundError: no module named x", at=float(number))


def _batches(total: int) -> Iterator[range]:
    for start in range(0, total, BATCH):
        yield range(min(BATCH, total - start))


def _record(session: str) -> Record:
    number = next(_numbers)
    return Record(
        id=f"{RANDOM.getrandbits(128):032x}",
        at=1_700_000_000.0 + number,
        session=session,
        host="claude-code",
        event="PreToolUse",
        cwd="/home/user/project",
        tool="shell",
        summary="pytest -q tests/test_parser.py | tail -n 20",
        trail=({"hook": "dangerous-command", "said": "pass", "ms": 0.2},),
        ms=1.5,
        counts={"calls": 1, "calls.shell": 1},
    )


def _memory(project: str) -> Memory:
    number = next(_numbers)
    text = " ".join(RANDOM.choices(WORDS, k=15))
    return Memory(id=f"memory-{number}", at=float(number), text=text, project=project)


def _measure(empty: Store, full: Store, runs: int) -> Mapping[str, tuple[list[float], list[float]]]:
    """Return the times of each operation, in the empty store and in the full one."""
    times: dict[str, tuple[list[float], list[float]]] = {}
    for turn in range(runs):
        for position, store in enumerate((empty, full) if turn % 2 else (full, empty)):
            column = position if turn % 2 else 1 - position
            for name, work in _operations(store, f"run-{turn}").items():
                times.setdefault(name, ([], []))[column].append(_timed(work))
    return times


def _table(times: Mapping[str, tuple[list[float], list[float]]], runs: int) -> Table:
    table = Table(title=f"store sqlite, p50 of {runs} runs", title_justify="left")
    for column in ("", "empty, µs", "full, µs", "ratio", "limit"):
        table.add_column(column, justify="left" if not column else "right")
    for name, (empty_times, full_times) in times.items():
        empty, full = median(empty_times), median(full_times)
        limit = f"≤ {BAR} ×" if name == WHOLE else ""
        table.add_row(name, f"{empty * 1e6:,.0f}", f"{full * 1e6:,.0f}", f"{full / empty:.2f} ×", limit)
    return table


def _operations(store: Store, session: str) -> Mapping[str, Callable[[], object]]:
    """Return the store operations of an event, their sum, and further operations."""
    parts: dict[str, Callable[[], object]] = {
        "begin session": lambda: store.begin_session(session, host="claude-code", cwd="/work", at=1.0),
        "record": lambda: store.record([_record(session)]),
        "counters, notes, take": lambda: (
            store.counters(session),
            store.notes(session),
            store.take_held_context(session),
        ),
        "count an error": lambda: store.count_error("error-7", text="t", at=1.0),
        "records of the session": lambda: list(store.records(Query(session=session, last=5))),
    }

    def event() -> None:
        for work in parts.values():
            work()

    memory = _memory("project-1")
    return {
        **parts,
        WHOLE: event,
        "remember": lambda: store.remember(memory),
        "recall by some words": lambda: store.recall(memory.text[:40], project="project-1"),
        "the newest 20 records": lambda: list(store.records(Query(last=20))),
    }


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
