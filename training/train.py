"""Train the models of `hookline.language` on the corpus, and write their weights: `python training/train.py`.

The threshold for lasting statements is chosen by cross-validation over prompts, so that at most 2 % of the prompts
without one are learnt from. All seeds are fixed: the same corpus gives the same bytes.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from evaluate import score_statements
from examples import (
    CORPUS,
    Example,
    Row,
    drop_near_duplicates,
    find_examples,
    find_parts,
    find_vocabulary,
    read_rows,
)
from scipy.sparse import csr_matrix
from ship_templates import generate_rows
from sklearn.linear_model import LogisticRegression
from statement_templates import generate_statements

from hookline.language.classify import (
    DURABLE,
    Statement,
    find_clauses,
    find_runs,
    find_statements,
    is_english,
    score_requests,
    score_sentences,
)
from hookline.language.features import find_features, hash_features
from hookline.language.model import WEIGHTS, Model, Models, quantize, save_models

BITS = 15
"""Binary logarithm of the number of rows of each model."""
LABELS = {
    "clause": ("durable", "order", *DURABLE),
    "sentence": ("durable", *DURABLE),
}
STRENGTH = {"durable": 0.5, "ship": 2.0}
"""Inverse of the regularization, by label; that of other labels is the first."""
FOLDS, ROUNDS = 5, 4
MAX_WRONG = {"durable": 0.02, "ship": 0.03}
"""Share of the prompts that may be classified wrongly as positive in cross-validation."""
GENERATED, WEIGHT = 6_000, 0.2
"""Number of generated prompts of each sort, and the weight of each about shipping."""
HINT = re.compile(
    r"(?i)\b(?:re)?(?:ship|merg|deploy|releas|publish|push|prs?\b|mrs?\b|pull req|land\b|roll|live\b|prod|launch|upload|"
    r"send|submit|promot|tag|cut\b|go\b|out\b)"
)
"""Words of the clauses that the first round takes for requests."""


def build_matrix(examples: Sequence[Example], vocabulary: frozenset[str], bits: int) -> csr_matrix:
    indices, ends = list[int](), [0]
    for example in examples:
        names = find_features(example.clauses, example.number, vocabulary)
        indices += sorted(hash_features(names, bits))
        ends.append(len(indices))
    matrix = csr_matrix((np.ones(len(indices), np.float32), indices, ends), shape=(len(examples), 1 << bits))
    matrix.sum_duplicates()
    return matrix


def fit_columns(
    matrix: csr_matrix, labels: Sequence[str], wanted: Sequence[str], weights: np.ndarray | None = None
) -> Model:
    columns, biases = [], []
    rare = np.asarray((matrix > 0).sum(axis=0)).ravel() < 2
    known = np.flatnonzero(~rare)
    compact = matrix[:, known]
    for label in wanted:
        positive = np.isin(labels, DURABLE) if label == "durable" else np.array(labels) == label
        fitted = LogisticRegression(C=STRENGTH.get(label, 0.5), solver="liblinear", random_state=0)
        fitted.fit(compact, positive, sample_weight=weights)
        column = np.zeros(matrix.shape[1])
        column[known] = fitted.coef_[0]
        columns.append(column.tolist())
        biases.append(fitted.intercept_[0])
    return quantize(wanted, matrix.shape[1].bit_length() - 1, columns, biases)


def fit_statements(rows: Sequence[Row], vocabulary: frozenset[str]) -> dict[str, Model]:
    """Return the models of clauses and sentences."""
    models = {}
    for name in ("clause", "sentence"):
        found = [(row, one) for row in rows for one in find_examples(row, whole=name == "sentence")]
        examples = [example for _, example in found]
        matrix = build_matrix(examples, vocabulary, BITS)
        weights = np.array([row.get("weight", 1.0) for row, _ in found])
        models[name] = fit_columns(matrix, [one.label for one in examples], LABELS[name], weights)
    return models


def fit_ship(rows: Sequence[Row], vocabulary: frozenset[str]) -> dict[str, Model]:
    """Return the models of requests to ship."""
    return {
        f"ship {name}": fit_requests(rows, vocabulary, whole=name == "sentence")
        for name in ("sentence", "clause")
    }


def fit_requests(rows: Sequence[Row], vocabulary: frozenset[str], *, whole: bool) -> Model:
    """Return a model of requests: in a prompt that asks to ship, the most likely part is the request."""
    prompts = [find_clauses(row["prompt"], whole=whole) for row in rows]
    examples = [Example(clauses, number, "") for clauses in prompts for number in range(len(clauses))]
    counts = [len(clauses) for clauses in prompts]
    starts = [start for start, count in zip(np.cumsum([0, *counts]), counts, strict=False) if count]
    ships = np.repeat([row["ship"] for row in rows], counts)
    weights = np.repeat([row.get("weight", 1.0) for row in rows], counts)
    matrix = build_matrix(examples, vocabulary, BITS)
    hints = np.array([bool(HINT.search(one.clauses[one.number].text)) for one in examples])
    positive = ships & hints
    model = None
    for _ in range(ROUNDS):
        used = positive | ~ships
        labels = np.where(positive[used], "ship", "other")
        model = fit_columns(matrix[used], labels, ("ship",), weights[used])
        column = np.frombuffer(model.weights, np.int8) * model.scales[0]
        scores = matrix @ column
        positive = np.zeros(len(examples), bool)
        for start, end in zip(starts, [*starts[1:], len(examples)], strict=True):
            positive[start + np.argmax(scores[start:end])] = ships[start]
    if model is None:
        raise ValueError("no example")
    return model


def validate_ship(rows: Sequence[Row], generated: Sequence[Row]) -> float:
    """Return the threshold of requests to ship."""
    scores: dict[bool, list[float]] = {True: [], False: []}
    for fold in range(FOLDS):
        training = [*(row for number, row in enumerate(rows) if number % FOLDS != fold), *generated]
        vocabulary = find_vocabulary(training)
        models = Models(vocabulary, {"ship": 0.0}, fit_ship(training, vocabulary))
        for row in rows[fold::FOLDS]:
            requests = [score for _, score in score_requests(row["prompt"], models)]
            scores[row["ship"]].append(max(requests, default=-99.0))
    threshold = choose_threshold(scores[False], "ship")
    found = np.mean(np.array(scores[True]) >= threshold)
    print(f"cross-validation of requests: found {100 * found:.1f} %", file=sys.stderr, flush=True)
    return threshold


def cross_validate(rows: Sequence[Row], generated: Sequence[Row]) -> float:
    """Return the threshold of lasting statements."""
    wrong, fitted = list[float](), dict[str, Models]()
    for fold in range(FOLDS):
        training = [*(row for number, row in enumerate(rows) if number % FOLDS != fold), *generated]
        vocabulary = find_vocabulary(training)
        models = Models(vocabulary, {}, fit_statements(training, vocabulary))
        fitted |= {row["prompt"]: models for row in rows[fold::FOLDS]}
        for row in rows[fold::FOLDS]:
            lasting = any(part.statement for part in find_parts(row))
            wrong += [] if lasting else [find_highest(row["prompt"], models)]
        print(f"fold {fold + 1} of {FOLDS}", file=sys.stderr, flush=True)
    threshold = choose_threshold(wrong, "durable")

    def find(row: Row) -> list[Statement]:
        return find_statements(
            row["prompt"], fitted[row["prompt"]]._replace(thresholds={"durable": threshold})
        )

    print(f"cross-validation: {score_statements(rows, find)}", file=sys.stderr, flush=True)
    return threshold


def choose_threshold(wrong: Sequence[float], label: str) -> float:
    """Return the threshold above which at most the allowed share of *wrong* scores lies."""
    return sorted(wrong, reverse=True)[int(len(wrong) * MAX_WRONG[label])] + 1e-6


def find_highest(prompt: str, models: Models) -> float:
    """Return the highest score of a statement in a prompt."""
    scores = [
        (max(part.scores["durable"] for part in run) + whole.scores["durable"]) / 2
        for whole, parts in score_sentences(prompt, models)
        if is_english(whole.clause.words)
        for run in find_runs(parts)
    ]
    return max(scores, default=-99.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--statements", type=Path, nargs="*", default=sorted(CORPUS.glob("prompts*.jsonl")))
    parser.add_argument("--ship", type=Path, nargs="*", default=sorted(CORPUS.glob("ship*.jsonl")))
    parser.add_argument("--held", type=Path, nargs="*", default=sorted(CORPUS.glob("held*.jsonl")))
    parser.add_argument("--output", type=Path, default=WEIGHTS)
    args = parser.parse_args()
    held = read_rows(args.held)
    rows = drop_near_duplicates(read_rows(args.statements), held)
    ship_rows = drop_near_duplicates(read_rows(args.ship), held)
    np.random.RandomState(0).shuffle(rows)
    print(f"{len(rows)} prompts, {len(ship_rows)} of requests to ship", file=sys.stderr)
    generated = [{**row, "weight": WEIGHT} for row in drop_near_duplicates([*generate_rows(GENERATED)], held)]
    common = drop_near_duplicates([*generate_statements(GENERATED)], held)
    thresholds = {"ship": validate_ship(ship_rows, generated), "durable": cross_validate(rows, common)}
    vocabulary = find_vocabulary([*rows, *ship_rows])
    models = fit_statements([*rows, *common], vocabulary) | fit_ship([*ship_rows, *generated], vocabulary)
    save_models(args.output, Models(vocabulary, thresholds, models))
    print(f"thresholds {thresholds}, {args.output.stat().st_size:,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
