"""What a store costs once it is full, as a ratio of an empty one: `python bench/stores.py [--scale 0.1]`.

Both are used turn by turn, so that a slow moment of the machine hits them alike; nothing is asserted.
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
BAR = 1.3
WHOLE = "an event: all of these"
CHANCE = random.Random(5)
WORDS = [f"{CHANCE.choice('bdfgklmnprst')}{CHANCE.choice('aeiou')}{number:x}" for number in range(20_000)]
_numbers = count()


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="how much of the full numbers is filled in")
    parser.add_argument("--runs", type=int, default=400, help="how often each thing is done")
    args = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 100)
    with _both(args.scale) as (empty, full):
        console.print(f"filled: {dict(full.totals())}")
        console.print(_table(_compared(empty, full, args.runs), args.runs))


def figures(scale: float, runs: int = 400) -> list[Figure]:
    """The bar that a full store is held to."""
    with _both(scale) as (empty, full):
        many = full.totals()
        took = _compared(empty, full, runs)
    one, other = took[WHOLE]
    what = f"what an event asks of a store with {many['records']:,} records, to an empty one"
    return [at_most("store-size", what, median(other) / median(one), BAR)]


@contextmanager
def _both(scale: float) -> Iterator[tuple[Store, Store]]:
    """An empty store and a full one."""
    with (
        tempfile.TemporaryDirectory(prefix="hookline-bench-") as folder,
        closing(open_store(f"{folder}/empty.db")) as empty,
        closing(open_store(f"{folder}/full.db")) as full,
    ):
        _fill(full, scale)
        yield empty, full


def _fill(store: Store, scale: float) -> None:
    for batch in _batches(int(RECORDS * scale)):
        store.record([_record(f"session-{CHANCE.randrange(SESSIONS)}") for _ in batch])
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
        id=f"{CHANCE.getrandbits(128):032x}",
        at=1_700_000_000.0 + number,
        session=session,
        host="claude-code",
        event="PreToolUse",
        cwd="/home/someone/project",
        tool="shell",
        summary="pytest -q tests/test_parser.py | tail -n 20",
        trail=({"hook": "dangerous-command", "said": "pass", "ms": 0.2},),
        ms=1.5,
        counts={"calls": 1, "calls.shell": 1},
    )


def _memory(project: str) -> Memory:
    number = next(_numbers)
    text = " ".join(CHANCE.choices(WORDS, k=15))
    return Memory(id=f"memory-{number}", at=float(number), text=text, project=project)


def _compared(empty: Store, full: Store, runs: int) -> Mapping[str, tuple[list[float], list[float]]]:
    """What each thing took, in the empty one and in the full one."""
    took: dict[str, tuple[list[float], list[float]]] = {}
    for turn in range(runs):
        for which, store in enumerate((empty, full) if turn % 2 else (full, empty)):
            place = which if turn % 2 else 1 - which
            for name, work in _works(store, f"run-{turn}").items():
                took.setdefault(name, ([], []))[place].append(_timed(work))
    return took


def _table(took: Mapping[str, tuple[list[float], list[float]]], runs: int) -> Table:
    table = Table(title=f"the store sqlite, {runs} times each, p50", title_justify="left")
    for column in ("", "empty, µs", "full, µs", "full is", "bar"):
        table.add_column(column, justify="left" if not column else "right")
    for name, (one, other) in took.items():
        bar = f"≤ {BAR} ×" if name == WHOLE else ""
        ratio = f"{median(other) / median(one):.2f} ×"
        table.add_row(name, f"{median(one) * 1e6:,.0f}", f"{median(other) * 1e6:,.0f}", ratio, bar)
    return table


def _works(store: Store, session: str) -> Mapping[str, Callable[[], object]]:
    """What an event asks of a store, part by part, and all of it."""
    parts: dict[str, Callable[[], object]] = {
        "begin": lambda: store.begin_session(session, host="claude-code", cwd="/work", at=1.0),
        "record": lambda: store.record([_record(session)]),
        "counters, notes, take": lambda: (
            store.counters(session),
            store.notes(session),
            store.take_held_context(session),
        ),
        "see an error": lambda: store.count_error("error-7", text="t", at=1.0),
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
        "recall by a few words": lambda: store.recall(memory.text[:40], project="project-1"),
        "the newest 20 records": lambda: list(store.records(Query(last=20))),
    }


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
