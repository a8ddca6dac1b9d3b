"""Time and relevance of recall: `python bench/recall.py [--scale 0.1]`.

Time: a hundred thousand memories are in 50 projects and, as the worst case, all in one. The questions are
those of `tests/corpus/memory_questions.jsonl`. Relevance: precision and recall of the memories told with the
prompts of `tests/corpus/recall.jsonl`, and of a plain full-text search, up to the same number of tokens.
"""

import json
import random
import re
import sqlite3
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median, quantiles

from hookline.cli._bench.bars import Figure, at_most
from hookline.core.ranking import select_within
from hookline.core.records import Memory
from hookline.core.store import Store
from hookline.memory.extract import HALF_LIVES
from hookline.memory.recall import MAX_CANDIDATES, add_synonyms, select_relevant
from hookline.stores.memory import open_store as open_memory_store
from hookline.stores.sqlite import open_store

MEMORIES = 100_000
BAR = 10.0
"""Limit in milliseconds."""
PROJECTS = {50: "50 projects", 1: "one project"}
CORPUS = Path(__file__).parent.parent / "tests" / "corpus" / "memory_questions.jsonl"
ROWS = [json.loads(line) for line in CORPUS.read_text().splitlines()]
RANDOM = random.Random(5)
NOW = 1_800_000_000.0
RELEVANT = [json.loads(line) for line in (CORPUS.parent / "recall.jsonl").read_text().splitlines()]
"""Memories of one repository, and prompts with the ids of the memories that are relevant to them."""
MEMORIES_OF_ONE = [
    Memory(
        id=row["id"],
        at=NOW - row["age"] * 86_400,
        text=row["memory"],
        kind=row["kind"],
        project="/p",
        confidence=row["confidence"],
        half_life=HALF_LIVES[row["kind"]],
    )
    for row in RELEVANT
    if "memory" in row
]
MAX_TOLD, TOKENS = 5, 400
"""Memories that a prompt recalls, and their limit in tokens."""


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of the full number of memories")
    for figure in figures(parser.parse_args().scale):
        print(f"{figure.what}: {figure.shown}, limit {figure.bar or 'none'}")


def figures(scale: float) -> list[Figure]:
    count = max(int(MEMORIES * scale), 100)
    return [*relevance_figures(), *(figure for projects in PROJECTS for figure in _figures(projects, count))]


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


def relevance_figures() -> list[Figure]:
    """Return precision and recall of both halves of the prompts, of our recall and of a full-text search."""
    with closing(open_memory_store()) as store:
        for memory in MEMORIES_OF_ONE:
            store.remember(memory)
        finders = {"recall": partial(_tell, store), "full-text": _search_full_text}
        return [
            Figure(
                id=f"relevance-{name}-{part}-{measure}",
                what=f"{measure} of {name}, {part} prompts",
                value=value,
                unit="",
            )
            for name, find in finders.items()
            for part in ("dev", "held")
            for measure, value in zip(("precision", "recall"), _measure_relevance(find, part), strict=True)
        ]


def _tell(store: Store, prompt: str) -> list[Memory]:
    found = store.recall(add_synonyms(prompt), project="/p", at=NOW, limit=MAX_CANDIDATES)
    return select_within(select_relevant(prompt, found, NOW)[:MAX_TOLD], TOKENS)


def _search_full_text(prompt: str) -> list[Memory]:
    """Return the best memories by BM25 for any word of the prompt, with SQLite's default tokenizer."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE VIRTUAL TABLE texts USING fts5(text)")
        db.executemany("INSERT INTO texts VALUES (?)", [(memory.text,) for memory in MEMORIES_OF_ONE])
        query = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", prompt.lower())))
        rows = db.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?", (query, MAX_TOLD)
        )
        return select_within([MEMORIES_OF_ONE[number - 1] for (number,) in rows], TOKENS)


def _measure_relevance(find: Callable[[str], list[Memory]], part: str) -> tuple[float, float]:
    told = wanted = right = 0
    for row in (row for row in RELEVANT if row.get("part") == part):
        found = {memory.id for memory in find(row["prompt"])}
        told, wanted = told + len(found), wanted + len(row["relevant"])
        right += len(found & set(row["relevant"]))
    return right / told, right / wanted


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
