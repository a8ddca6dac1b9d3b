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
from collections.abc import Iterable, Mapping
from math import ceil
from pathlib import Path
from random import Random
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import ship
import statements
from examples import CORPUS, Row, drop_near_duplicates, find_vocabulary, read_rows
from linear import fit_sessions, validate_sessions
from private import fit_private
from relations import fit_relations, validate_relations
from ship_templates import generate_rows
from statement_templates import generate_statements

from hookline.language.model import WEIGHTS, Models, load_models, save_models
from hookline.language.network import Network

GENERATED, BORROWED = 5_000, 15_000
"""Number of generated prompts of each sort, and of prompts about other work for the network of requests to ship."""
TEACHERS = Path(__file__).parents[1] / "build"
"""Folder that keeps the teachers; they are not trained again."""


def read_batches(paths: Iterable[Path]) -> list[Row]:
    """Return the rows of all files, with the number of their batch."""
    numbered = [(int(re.sub(r"\D", "", path.stem)), path) for path in paths]
    return [{**row, "batch": number} for number, path in sorted(numbered) for row in read_rows([path])]


class Corpus(NamedTuple):
    """The prompts, pairs and statements for training, without near-duplicates of those for validation and evaluation."""

    prompts: list[Row]
    unlabelled: list[Row]
    ships: list[Row]
    pairs: list[Row]
    private: list[Row]
    common: list[Row]
    """Generated common phrasings of lasting statements."""


def read_corpus(folder: Path) -> Corpus:
    unseen = read_rows(sorted([*folder.glob("held*.jsonl"), *folder.glob("valid_*.jsonl")]))
    prompts, unlabelled, ships, pairs, private = (
        drop_near_duplicates(read_batches(folder.glob(f"{name}*.jsonl")), unseen)
        for name in ("prompts", "unlabelled", "ship", "pairs", "private")
    )
    ships += drop_near_duplicates([*generate_rows(GENERATED)], unseen)
    common = drop_near_duplicates([*generate_statements(GENERATED)], unseen)
    print(
        f"{len(prompts)} prompts, {len(unlabelled)} without labels, {len(ships)} about shipping",
        file=sys.stderr,
    )
    return Corpus(prompts, unlabelled, ships, pairs, private, common)


def fit_networks(corpus: Corpus) -> dict[str, Network]:
    """Return both networks, trained by their teachers."""
    prompts, ships = corpus.prompts, [row for row in corpus.ships if "batch" in row]
    words = find_vocabulary([*prompts, *ships, *corpus.unlabelled])
    path = TEACHERS / "statement_teacher.pt"
    network = statements.fit_statements(prompts, corpus.common, corpus.unlabelled, words, path)
    others, path = Random(0).sample(prompts, BORROWED), TEACHERS / "ship_teacher.pt"
    return {"statements": network, "ship": ship.fit_ship(corpus.ships, others, find_vocabulary(ships), path)}


def continue_training(corpus: Corpus, batch: int) -> dict[str, Network]:
    """Return the shipped networks; that of statements has also learnt the prompts from this batch on."""
    if all(row["batch"] < batch for row in corpus.prompts):
        raise SystemExit(f"no prompts from batch {batch} on in the corpus")
    networks = dict(load_models().networks)
    old, new = ([row for row in corpus.prompts if (row["batch"] >= batch) is late] for late in (False, True))
    networks["statements"] = statements.continue_statements(
        networks["statements"], old, new, corpus.common, corpus.unlabelled
    )
    return networks


def fit_models(corpus: Corpus, networks: Mapping[str, Network], folder: Path) -> Models:
    """Return all models with their thresholds."""
    vocabulary = frozenset(networks["statements"].tables["word"].numbers)
    sessions = read_batches(folder.glob("sessions*.jsonl"))
    validate_sessions(sessions, vocabulary)
    private, private_threshold = fit_private(corpus.private, corpus.prompts, sessions, vocabulary)
    models = fit_sessions(sessions, vocabulary) | {
        "relation": fit_relations(corpus.pairs),
        "private": private,
        "ship": ship.fit_words(corpus.ships, networks["ship"], vocabulary),
    }
    prompts, ships = (read_batches(folder.glob(f"valid_{name}*.jsonl")) for name in ("prompts", "ship"))
    thresholds = {
        "statements": statements.choose_threshold(prompts, networks["statements"]),
        "ship": ship.choose_threshold(ships, networks["ship"], models["ship"], vocabulary),
        "relation": validate_relations(corpus.pairs),
        "private": private_threshold,
    }
    rounded = {name: ceil(threshold * 1_000) / 1_000 for name, threshold in thresholds.items()}
    return Models(vocabulary, rounded, models, networks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--output", type=Path, default=WEIGHTS)
    parser.add_argument(
        "--continue-with",
        type=int,
        metavar="BATCH",
        help="continue the training of the shipped network of statements with the prompts from this batch on, "
        "and keep the network of requests to ship; takes half an hour and trains no teacher",
    )
    args = parser.parse_args()
    corpus, batch = read_corpus(args.corpus), args.continue_with
    networks = fit_networks(corpus) if batch is None else continue_training(corpus, batch)
    models = fit_models(corpus, networks, args.corpus)
    save_models(args.output, models)
    print(f"thresholds {dict(models.thresholds)}, {args.output.stat().st_size:,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
