"""Train the models of `hookline.language` on the corpus, and write their weights: `python training/train.py`.

The thresholds are chosen by cross-validation over batches of the corpus, so that every prompt is scored by models that
have seen no prompt of its writer; that of requests to ship, on the batches `valid_ship*`, from which nothing is learnt.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import ship
import statements
from examples import CORPUS, Row, drop_near_duplicates, find_vocabulary, read_rows
from linear import fit_sessions, validate_sessions
from private import fit_private
from relations import fit_relations, validate_relations
from ship_templates import generate_rows
from statement_templates import generate_statements

from hookline.language.model import WEIGHTS, Models, save_models
from hookline.language.network import Network, describe_network, read_network, write_network

FOLDS = 2
"""Parts of the batches in cross-validation."""
GENERATED, BORROWED = 5_000, 15_000
"""Number of generated prompts of each sort, and of prompts about other work for the network of requests to ship."""
TEACHER = Path(__file__).parents[1] / "build" / "ship_teacher.pt"
"""File that keeps the teacher; it is not trained again."""


class Task(NamedTuple):
    """The training of a network on the rows of the corpus."""

    rows: Sequence[Row]
    fit: Callable[[Sequence[Row]], Network]
    find_unseen: Callable[[Sequence[Row], Network], dict[str, Any]]
    validate: Callable[[Sequence[Row], dict[str, Any]], float]


def fit_whole(task: Task) -> tuple[dict[str, Any], bytes]:
    """Return the network of all prompts in a form that another process can read."""
    network = task.fit(task.rows)
    return describe_network(network), write_network(network)


def fit_fold(task: Task, fold: int) -> dict[str, Any]:
    """Return the scores of the prompts of one fold, by a network trained on the other folds."""
    tests = [row for row in task.rows if row["batch"] % FOLDS == fold]
    texts = {row["prompt"] for row in tests}
    return task.find_unseen(tests, task.fit([row for row in task.rows if row["prompt"] not in texts]))


def start_fits(pool: ProcessPoolExecutor, task: Task) -> list[Future[Any]]:
    """Start to fit the network of all prompts and those of the folds."""
    return [pool.submit(fit_whole, task), *(pool.submit(fit_fold, task, fold) for fold in range(FOLDS))]


def finish_fits(task: Task, fits: Sequence[Future[Any]]) -> tuple[Network, float]:
    """Return the network of all prompts, and its threshold."""
    whole, *folds = (fit.result() for fit in fits)
    about, weights = whole
    found = {prompt: findings for fold in folds for prompt, findings in fold.items()}
    return read_network(about, memoryview(weights).cast("b"))[0], task.validate(task.rows, found)


def read_batches(paths: Iterable[Path]) -> list[Row]:
    """Return the rows of all files, with the number of their batch."""
    numbered = [(int(re.sub(r"\D", "", path.stem)), path) for path in paths]
    return [{**row, "batch": number} for number, path in sorted(numbered) for row in read_rows([path])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--output", type=Path, default=WEIGHTS)
    args = parser.parse_args()
    unseen = read_rows(sorted([*args.corpus.glob("held*.jsonl"), *args.corpus.glob("valid_*.jsonl")]))
    prompts, ships, pairs, labelled = (
        drop_near_duplicates(read_batches(args.corpus.glob(f"{name}*.jsonl")), unseen)
        for name in ("prompts", "ship", "pairs", "private")
    )
    print(f"{len(prompts)} prompts, {len(ships)} about shipping", file=sys.stderr)
    common = drop_near_duplicates([*generate_statements(GENERATED)], unseen)
    phrases = drop_near_duplicates([*generate_rows(GENERATED)], unseen)
    vocabulary = find_vocabulary([*prompts, *ships])
    fit = partial(statements.fit_statements, common=common, vocabulary=vocabulary)
    task = Task(prompts, fit, statements.find_unseen, statements.validate_statements)
    with ProcessPoolExecutor() as pool:
        network, threshold = finish_fits(task, start_fits(pool, task))
    others = Random(0).sample(prompts, BORROWED)
    ship_network = ship.fit_ship([*ships, *phrases], others, find_vocabulary(ships), TEACHER)
    sessions = read_batches(args.corpus.glob("sessions*.jsonl"))
    validate_sessions(sessions, vocabulary)
    private, private_threshold = fit_private(labelled, prompts, sessions, vocabulary)
    models = fit_sessions(sessions, vocabulary) | {"relation": fit_relations(pairs), "private": private}
    networks = {"statements": network, "ship": ship_network}
    thresholds = {
        "statements": threshold,
        "ship": ship.choose_threshold(read_rows(sorted(args.corpus.glob("valid_ship*.jsonl"))), ship_network),
        "relation": validate_relations(pairs),
        "private": private_threshold,
    }
    thresholds = {name: round(threshold, 3) for name, threshold in thresholds.items()}
    save_models(args.output, Models(vocabulary, thresholds, models, networks))
    print(f"thresholds {thresholds}, {args.output.stat().st_size:,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
