"""Time of recall with a hundred thousand memories: `python bench/recall.py [--scale 0.1]`.

The memories are in 50 projects and, as the worst case, all in one. The questions are those of
`tests/corpus/memory_questions.jsonl`.
"""

import json
import random
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import median, quantiles

from hookline.cli._bench.bars import Figure, at_most
from hookline.core.records import Memory
from hookline.core.store import Store
from hookline.stores.sqlite import open_store

MEMORIES = 100_000
BAR = 10.0
"""Limit in milliseconds."""
PROJECTS = {50: "50 projects", 1: "one project"}
CORPUS = Path(__file__).parent.parent / "tests" / "corpus" / "memory_questions.jsonl"
ROWS = [json.loads(line) for line in CORPUS.read_text().splitlines()]
RANDOM = random.Random(5)
NOW = 1_800_000_000.0


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of the full number of memories")
    for figure in figures(parser.parse_args().scale):
        print(f"{figure.what}: {figure.shown}, limit {figure.bar}")


def figures(scale: float) -> list[Figure]:
    count = max(int(MEMORIES * scale), 100)
    return [figure for projects in PROJECTS for figure in _figures(projects, count)]


def _figures(projects: int, count: int) -> Iterator[Figure]:
    with (
        tempfile.TemporaryDirectory(prefix="hookline-bench-") as folder,
        closing(open_store(f"{folder}/db")) as store,
    ):
        _fill(store, count, projects)
        for kind, times in (("question", _question_times(store)), ("start", _start_times(store))):
            for share, value in (("p50", median(times)), ("p95", quantiles(times, n=20)[18])):
                what = f"recall over {count:,} memories in {PROJECTS[projects]}, {kind}, {share}"
                yield at_most(f"recall-{projects}-{kind}-{share}", what, value, BAR, "ms")


def _fill(store: Store, count: int, projects: int) -> None:
    sentences = [row["memory"].split() for row in ROWS]
    names = [f"component{number:x}" for number in range(2000)]
    for number in range(count):
        first, second = RANDOM.choice(sentences), RANDOM.choice(sentences)
        text = " ".join((*first[: len(first) // 2], RANDOM.choice(names), *second[len(second) // 2 :]))
        at = NOW - RANDOM.uniform(0, 300) * 86_400
        confidence = round(RANDOM.uniform(0.3, 0.95), 2)
        store.remember(
            Memory(id=f"m{number}", at=at, text=text, project=f"/p{number % projects}", confidence=confidence)
        )


def _question_times(store: Store) -> list[float]:
    return [_timed(store, row["question"]) for row in ROWS for _ in range(3)]


def _start_times(store: Store) -> list[float]:
    return [_timed(store, "") for _ in range(50)]


def _timed(store: Store, text: str) -> float:
    start = time.perf_counter()
    store.recall(text, project="/p0", branch="main", issue="", at=NOW, limit=10)
    return (time.perf_counter() - start) * 1000


if __name__ == "__main__":
    main()
