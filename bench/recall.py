"""How long recall takes over a hundred thousand memories: `python bench/recall.py [--scale 0.1]`.

The memories are the ordinary ones of a project's life, in 50 projects and, as the worst case, all in one;
the questions are the hundred of `tests/corpus/memory_questions.jsonl`.
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

MEMORIES, BAR = 100_000, 10.0
PROJECTS = {50: "50 projects", 1: "one project"}
CORPUS = Path(__file__).parent.parent / "tests" / "corpus" / "memory_questions.jsonl"
ROWS = [json.loads(line) for line in CORPUS.read_text().splitlines()]
CHANCE = random.Random(5)
NOW = 1_800_000_000.0


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="how much of the full number is filled in")
    for one in figures(parser.parse_args().scale):
        print(f"{one.what}: {one.shown}, bar {one.bar}")


def figures(scale: float) -> list[Figure]:
    many = max(int(MEMORIES * scale), 100)
    return [one for projects in PROJECTS for one in _of(projects, many)]


def _of(projects: int, many: int) -> Iterator[Figure]:
    with (
        tempfile.TemporaryDirectory(prefix="hookline-bench-") as folder,
        closing(open_store(f"{folder}/db")) as store,
    ):
        _fill(store, many, projects)
        for what, took in (("question", _asked(store)), ("start", _surest(store))):
            for share, found in (("p50", median(took)), ("p95", quantiles(took, n=20)[18])):
                told = f"recall over {many:,} memories in {PROJECTS[projects]}, {what}, {share}"
                yield at_most(f"recall-{projects}-{what}-{share}", told, found, BAR, "ms")


def _fill(store: Store, many: int, projects: int) -> None:
    sentences = [row["memory"].split() for row in ROWS]
    names = [f"component{number:x}" for number in range(2000)]
    for number in range(many):
        one, other = CHANCE.choice(sentences), CHANCE.choice(sentences)
        text = " ".join((*one[: len(one) // 2], CHANCE.choice(names), *other[len(other) // 2 :]))
        at = NOW - CHANCE.uniform(0, 300) * 86_400
        sure = round(CHANCE.uniform(0.3, 0.95), 2)
        store.remember(
            Memory(id=f"m{number}", at=at, text=text, project=f"/p{number % projects}", confidence=sure)
        )


def _asked(store: Store) -> list[float]:
    return [_timed(store, row["question"]) for row in ROWS for _ in range(3)]


def _surest(store: Store) -> list[float]:
    return [_timed(store, "") for _ in range(50)]


def _timed(store: Store, text: str) -> float:
    began = time.perf_counter()
    store.recall(text, project="/p0", branch="main", issue="", at=NOW, limit=10)
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main()
