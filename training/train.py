"""Train the models of `hookline.language` on the corpus, and write their weights: `python training/train.py`.

The thresholds of statements and of requests to ship are chosen on the batches `valid_*`, from which nothing is learnt;
that of relations is chosen by cross-validation over batches, so that every pair is scored by a model that has seen no
pair of its writer.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable
from math import ceil
from pathlib import Path
from random import Random

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

GENERATED, BORROWED = 5_000, 15_000
"""Number of generated prompts of each sort, and of prompts about other work for the network of requests to ship."""
TEACHERS = Path(__file__).parents[1] / "build"
"""Folder that keeps the teachers; they are not trained again."""


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
    prompts, unlabelled, ships, pairs, labelled = (
        drop_near_duplicates(read_batches(args.corpus.glob(f"{name}*.jsonl")), unseen)
        for name in ("prompts", "unlabelled", "ship", "pairs", "private")
    )
    print(
        f"{len(prompts)} prompts, {len(unlabelled)} without labels, {len(ships)} about shipping",
        file=sys.stderr,
    )
    common = drop_near_duplicates([*generate_statements(GENERATED)], unseen)
    phrases = drop_near_duplicates([*generate_rows(GENERATED)], unseen)
    vocabulary = find_vocabulary([*prompts, *ships])
    network = statements.fit_statements(
        prompts,
        common,
        unlabelled,
        find_vocabulary([*prompts, *ships, *unlabelled]),
        TEACHERS / "statement_teacher.pt",
    )
    others = Random(0).sample(prompts, BORROWED)
    ship_network = ship.fit_ship(
        [*ships, *phrases], others, find_vocabulary(ships), TEACHERS / "ship_teacher.pt"
    )
    sessions = read_batches(args.corpus.glob("sessions*.jsonl"))
    validate_sessions(sessions, vocabulary)
    private, private_threshold = fit_private(labelled, prompts, sessions, vocabulary)
    models = fit_sessions(sessions, vocabulary) | {"relation": fit_relations(pairs), "private": private}
    networks = {"statements": network, "ship": ship_network}
    thresholds = {
        "statements": statements.choose_threshold(
            read_batches(args.corpus.glob("valid_prompts*.jsonl")), network
        ),
        "ship": ship.choose_threshold(read_batches(args.corpus.glob("valid_ship*.jsonl")), ship_network),
        "relation": validate_relations(pairs),
        "private": private_threshold,
    }
    thresholds = {name: ceil(threshold * 1_000) / 1_000 for name, threshold in thresholds.items()}
    save_models(args.output, Models(vocabulary, thresholds, models, networks))
    print(f"thresholds {thresholds}, {args.output.stat().st_size:,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
