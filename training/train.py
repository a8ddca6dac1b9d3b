"""Train the models of `hookline.language` on the corpus, and write their weights: `python training/train.py`.

The thresholds are chosen by cross-validation over batches of the corpus, so that every prompt is scored by models that
have seen no prompt of its writer. All seeds are fixed: the same corpus gives the same bytes.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

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
from sklearn.preprocessing import normalize
from statement_templates import generate_statements

from hookline.language.classify import (
    DURABLE,
    Statement,
    find_clauses,
    find_statements,
    score_requests,
    score_runs,
)
from hookline.language.features import find_features, hash_features
from hookline.language.model import WEIGHTS, Model, Models, quantize, save_models

BITS, KIND_BITS = 16, 14
"""Binary logarithm of the number of rows of each model, and of that of kinds."""
STRENGTH = {"ship": 100.0}
"""Inverse of the regularization, by label; that of other labels is 30."""
FOLDS, ROUNDS = 5, 3
MAX_WRONG = {"durable": 0.02, "ship": 0.05}
"""Share of the prompts that may be classified wrongly as positive in cross-validation."""
GENERATED, WEIGHT = 5_000, 0.5
"""Number of generated prompts of each sort, and the weight of each about shipping."""
HINT = re.compile(
    r"(?i)\b(?:re)?(?:ship|merg|deploy|releas|publish|push|prs?\b|mrs?\b|pull req|land\b|roll|live\b|prod|launch|upload|"
    r"send|submit|promot|tag|cut\b|go\b|out\b)"
)
"""Words of the clauses that the first round takes for requests."""


class Table(NamedTuple):
    """Examples of some prompts as a matrix, with the number of the prompt, label and weight of each."""

    matrix: csr_matrix
    prompts: np.ndarray
    examples: Sequence[Example]
    weights: np.ndarray

    @property
    def labels(self) -> np.ndarray:
        return np.array([example.label for example in self.examples])


def build_table(
    rows: Sequence[Row], find: Callable[[Row], Iterable[Example]], vocabulary: frozenset[str]
) -> Table:
    found = [(number, example) for number, row in enumerate(rows) for example in find(row)]
    prompts = np.array([number for number, _ in found])
    examples = [example for _, example in found]
    indices, ends = list[int](), [0]
    for example in examples:
        names = find_features(example.clauses, example.number, vocabulary)
        indices += sorted({code & ((1 << BITS) - 1) for code in hash_features(names)})
        ends.append(len(indices))
    matrix = csr_matrix((np.ones(len(indices), np.float32), indices, ends), shape=(len(examples), 1 << BITS))
    return Table(matrix, prompts, examples, np.array([rows[number].get("weight", 1.0) for number in prompts]))


def join_prompts(table: Table, count: int) -> csr_matrix:
    """Return a matrix with the features of all examples of each prompt."""
    ones = np.ones(len(table.prompts), np.float32)
    sums = (
        csr_matrix((ones, (table.prompts, np.arange(len(ones)))), shape=(count, len(ones))) @ table.matrix
    ).tocsr()
    sums.data[:] = 1
    return sums


def fold_columns(matrix: csr_matrix, bits: int) -> csr_matrix:
    """Return the matrix of the same features with fewer bits."""
    entries = matrix.tocoo()
    ones, columns = np.ones(len(entries.col), np.float32), entries.col & ((1 << bits) - 1)
    folded = csr_matrix((ones, (entries.row, columns)), shape=(matrix.shape[0], 1 << bits))
    folded.data[:] = 1
    return folded


Targets = dict[str, tuple[np.ndarray, np.ndarray | None]]
"""For each label whether examples have it, and which examples count; None for all."""


def fit_model(matrix: csr_matrix, targets: Targets, weights: np.ndarray) -> Model:
    scaled = normalize(matrix)
    columns, biases = [], []
    for label, (positive, used) in targets.items():
        rows = np.flatnonzero(np.ones(len(positive), bool) if used is None else used)
        known = np.flatnonzero(np.asarray((matrix[rows] > 0).sum(axis=0)).ravel() >= 2)
        fitted = LogisticRegression(C=STRENGTH.get(label, 30.0), solver="liblinear", random_state=0)
        fitted.fit(scaled[rows][:, known], positive[rows], sample_weight=weights[rows])
        column = np.zeros(matrix.shape[1])
        column[known] = fitted.coef_[0]
        columns.append(column.tolist())
        biases.append(fitted.intercept_[0])
    return quantize([*targets], matrix.shape[1].bit_length() - 1, columns, biases)


def fit_statements(rows: Sequence[Row], vocabulary: frozenset[str], *, kinds: bool) -> dict[str, Model]:
    """Return the models of lasting statements."""
    clauses = build_table(rows, lambda row: find_examples(row, whole=False), vocabulary)
    sentences = build_table(rows, lambda row: find_examples(row, whole=True), vocabulary)
    durable, lasting = np.isin(clauses.labels, DURABLE), np.isin(sentences.labels, DURABLE)
    has = np.array([any(part.statement for part in find_parts(row)) for row in rows])
    weights = np.array([row.get("weight", 1.0) for row in rows])
    clause_targets: Targets = {
        "durable": (durable, None),
        "order": (clauses.labels == "order", None),
        "inside": (durable, find_shared(clauses, sentences, lasting)),
    }
    models = {
        "durable clause": fit_model(clauses.matrix, clause_targets, clauses.weights),
        "durable sentence": fit_model(sentences.matrix, {"durable": (lasting, None)}, sentences.weights),
        "durable prompt": fit_model(join_prompts(sentences, len(rows)), {"durable": (has, None)}, weights),
    }
    if kinds:
        kind_targets: Targets = {kind: (sentences.labels == kind, lasting) for kind in DURABLE}
        models["kind"] = fit_model(fold_columns(sentences.matrix, KIND_BITS), kind_targets, sentences.weights)
    return models


def find_shared(clauses: Table, sentences: Table, lasting: np.ndarray) -> np.ndarray:
    """Return which clauses are in a sentence with a lasting statement."""
    spans: dict[int, list[tuple[int, int]]] = {}
    for number in np.flatnonzero(lasting):
        clause = sentences.examples[number].clauses[sentences.examples[number].number]
        spans.setdefault(sentences.prompts[number], []).append(
            (clause.start, clause.start + len(clause.text))
        )
    starts = (example.clauses[example.number].start for example in clauses.examples)
    pairs = zip(starts, clauses.prompts, strict=True)
    return np.array([any(a <= start < b for a, b in spans.get(prompt, ())) for start, prompt in pairs])


def fit_ship(rows: Sequence[Row], vocabulary: frozenset[str]) -> dict[str, Model]:
    """Return the models of requests to ship."""
    clauses, sentences = (build_table(rows, _parts_of(whole=whole), vocabulary) for whole in (False, True))
    ships = np.array([row["ship"] for row in rows])
    weights = np.array([row.get("weight", 1.0) for row in rows])
    return {
        "ship clause": fit_requests(clauses, ships[clauses.prompts]),
        "ship sentence": fit_requests(sentences, ships[sentences.prompts]),
        "ship prompt": fit_model(join_prompts(sentences, len(rows)), {"ship": (ships, None)}, weights),
    }


def _parts_of(*, whole: bool) -> Callable[[Row], Iterable[Example]]:
    def find(row: Row) -> Iterable[Example]:
        clauses = find_clauses(row["prompt"], whole=whole)
        return [Example(clauses, number, "") for number in range(len(clauses))]

    return find


def fit_requests(table: Table, ships: np.ndarray) -> Model:
    """Return a model of requests: in a prompt that asks to ship, the most likely part is the request."""
    hints = [bool(HINT.search(one.clauses[one.number].text)) for one in table.examples]
    positive, scaled = ships & np.array(hints), normalize(table.matrix)
    for number in range(ROUNDS):
        model = fit_model(table.matrix, {"ship": (positive, positive | ~ships)}, table.weights)
        if number == ROUNDS - 1:
            return model
        scores = scaled @ (np.frombuffer(model.weights, np.int8) * model.scales[0])
        best = np.full(table.prompts[-1] + 1, -np.inf)
        np.maximum.at(best, table.prompts, scores)
        positive = ships & (scores >= best[table.prompts])
    raise ValueError("no round")


def split_batches(rows: Sequence[Row]) -> Iterable[tuple[list[Row], list[Row]]]:
    """Yield training and test rows; a batch is never in both."""
    for fold in range(FOLDS):
        yield (
            [row for row in rows if row["batch"] % FOLDS != fold],
            [row for row in rows if row["batch"] % FOLDS == fold],
        )


def validate_ship(rows: Sequence[Row], generated: Sequence[Row]) -> float:
    """Return the threshold of requests to ship."""
    scores: dict[bool, list[float]] = {True: [], False: []}
    for training, tests in split_batches(rows):
        if not tests:
            continue
        vocabulary = find_vocabulary(training)
        models = Models(vocabulary, {"ship": 0.0}, fit_ship([*training, *generated], vocabulary))
        for row in tests:
            requests = [score for _, score in score_requests(row["prompt"], models)]
            scores[row["ship"]].append(max(requests, default=-99.0))
    threshold = choose_threshold(scores[False], "ship")
    found = np.mean(np.array(scores[True]) >= threshold)
    print(f"requests of unseen batches: found {100 * found:.1f} %", file=sys.stderr, flush=True)
    return threshold


def cross_validate(rows: Sequence[Row], generated: Sequence[Row]) -> float:
    """Return the threshold of lasting statements."""
    wrong, fitted = list[float](), dict[str, Models]()
    for training, tests in split_batches(rows):
        vocabulary = find_vocabulary(training)
        models = Models(vocabulary, {}, fit_statements([*training, *generated], vocabulary, kinds=True))
        fitted |= {row["prompt"]: models for row in tests}
        for row in tests:
            lasting = any(part.statement for part in find_parts(row))
            scores = [] if lasting else [score for score, _, _ in score_runs(row["prompt"], models)]
            wrong += [] if lasting else [max(scores, default=-99.0)]
        print(f"scored {len(fitted)} prompts", file=sys.stderr, flush=True)
    threshold = choose_threshold(wrong, "durable")

    def find(row: Row) -> list[Statement]:
        return find_statements(
            row["prompt"], fitted[row["prompt"]]._replace(thresholds={"durable": threshold})
        )

    print(f"statements of unseen batches: {score_statements(rows, find)}", file=sys.stderr, flush=True)
    return threshold


def choose_threshold(wrong: Sequence[float], label: str) -> float:
    """Return the threshold above which at most the allowed share of *wrong* scores lies."""
    return sorted(wrong, reverse=True)[int(len(wrong) * MAX_WRONG[label])] + 1e-6


def read_batches(paths: Iterable[Path]) -> list[Row]:
    """Return the rows of all files, with the number of their batch."""
    numbered = [(int(re.sub(r"\D", "", path.stem)), path) for path in paths]
    return [{**row, "batch": number} for number, path in sorted(numbered) for row in read_rows([path])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--statements", type=Path, nargs="*", default=[*CORPUS.glob("prompts*.jsonl")])
    parser.add_argument("--ship", type=Path, nargs="*", default=[*CORPUS.glob("ship*.jsonl")])
    parser.add_argument("--held", type=Path, nargs="*", default=sorted(CORPUS.glob("held*.jsonl")))
    parser.add_argument("--output", type=Path, default=WEIGHTS)
    args = parser.parse_args()
    held = read_rows(args.held)
    rows = drop_near_duplicates(read_batches(args.statements), held)
    ship_rows = drop_near_duplicates(read_batches(args.ship), held)
    print(f"{len(rows)} prompts, {len(ship_rows)} of requests to ship", file=sys.stderr)
    generated = [{**row, "weight": WEIGHT} for row in drop_near_duplicates([*generate_rows(GENERATED)], held)]
    common = drop_near_duplicates([*generate_statements(GENERATED)], held)
    thresholds = {"ship": validate_ship(ship_rows, generated), "durable": cross_validate(rows, common)}
    vocabulary = find_vocabulary([*rows, *ship_rows])
    models = fit_statements([*rows, *common], vocabulary, kinds=True)
    models |= fit_ship([*ship_rows, *generated], vocabulary)
    save_models(args.output, Models(vocabulary, thresholds, models))
    print(f"thresholds {thresholds}, {args.output.stat().st_size:,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
