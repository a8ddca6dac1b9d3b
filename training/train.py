"""Train the models of `hookline.language` on the corpus, and write their weights: `python training/train.py`.

The thresholds are chosen by cross-validation over batches of the corpus, so that every prompt is scored by models that
have seen no prompt of its writer. All seeds are fixed: the same corpus gives the same bytes.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
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
    find_gaps,
    find_parts,
    find_vocabulary,
    read_rows,
)
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, diags_array
from sessions import Example as Labelled
from sessions import find_prompts, find_sentences, vary_sessions
from ship_templates import generate_rows
from statement_templates import generate_statements

from hookline.language.classify import (
    DURABLE,
    Statement,
    find_clauses,
    score_requests,
    score_runs,
    state_runs,
)
from hookline.language.dialogue import LABELS, PROMPT_KINDS
from hookline.language.features import hash_clause
from hookline.language.model import WEIGHTS, Model, Models, quantize, save_models

BITS, KIND_BITS, CUT_BITS, SESSION_BITS = 18, 14, 16, 15
"""Binary logarithm of the number of rows of each model, of that of kinds, of that of cuts, and of those of sessions."""
STRENGTH, STEPS = 100.0, 50
"""Inverse of the regularization, and maximum number of steps of the minimization."""
MIN_EXAMPLES = 2
"""Examples that contain a feature."""
FOLDS, ROUNDS = 5, 3
MAX_WRONG = {"durable": 0.04, "ship": 0.04}
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

    def select(self, rows: np.ndarray) -> Table:
        """Return the table of some prompts, which are numbered anew."""
        used = np.flatnonzero(rows[self.prompts])
        numbers = np.cumsum(rows)[self.prompts[used]] - 1
        return Table(self.matrix[used], numbers, [self.examples[at] for at in used], self.weights[used])


def build_table(
    rows: Sequence[Row], find: Callable[[Row], Iterable[Example]], vocabulary: frozenset[str]
) -> Table:
    found = [(number, example) for number, row in enumerate(rows) for example in find(row)]
    prompts = np.array([number for number, _ in found])
    examples = [example for _, example in found]
    matrix = build_matrix(
        (hash_clause(example.clauses, example.number, vocabulary) for example in examples), BITS
    )
    return Table(matrix, prompts, examples, np.array([rows[number].get("weight", 1.0) for number in prompts]))


def build_matrix(rows: Iterable[Sequence[int]], bits: int) -> csr_matrix:
    """Return a matrix with a row of ones for each sequence of hashed features."""
    indices, ends = array("i"), array("q", [0])
    for codes in rows:
        indices.extend(sorted({code & ((1 << bits) - 1) for code in codes}))
        ends.append(len(indices))
    ones = np.ones(len(indices), np.float32)
    return csr_matrix((ones, np.array(indices), np.array(ends)), shape=(len(ends) - 1, 1 << bits))


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
    for positive, used in targets.values():
        rows = np.flatnonzero(np.ones(len(positive), bool) if used is None else used)
        known = np.flatnonzero(np.bincount(matrix[rows].indices, minlength=matrix.shape[1]) >= MIN_EXAMPLES)
        fitted, bias = fit_column(scaled[rows][:, known], positive[rows], weights[rows])
        column = np.zeros(matrix.shape[1])
        column[known] = fitted
        columns.append(column.tolist())
        biases.append(bias)
    return quantize([*targets], matrix.shape[1].bit_length() - 1, columns, biases)


def normalize(matrix: csr_matrix) -> csr_matrix:
    """Return the matrix of ones with rows of length one."""
    return (
        diags_array(1 / np.sqrt(np.maximum(np.diff(matrix.indptr), 1)), dtype=np.float32) @ matrix
    ).tocsr()


def fit_column(matrix: csr_matrix, positive: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Return weights and bias of a logistic regression."""
    signs, turned = np.where(positive, 1.0, -1.0), matrix.T.tocsr()

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        margins = signs * (matrix @ values[:-1].astype(np.float32) + values[-1])
        slopes = -signs * weights / (1 + np.exp(np.minimum(margins, 60)))
        penalty = values[:-1] / STRENGTH
        value = weights @ np.logaddexp(0, -margins) + values[:-1] @ penalty / 2
        gradient = np.append(turned @ slopes.astype(np.float32) + penalty, slopes.sum())
        return value / len(signs), gradient / len(signs)

    options = {"maxiter": STEPS, "ftol": 1e-7, "gtol": 1e-7}
    found = minimize(loss, np.zeros(matrix.shape[1] + 1), jac=True, method="L-BFGS-B", options=options).x
    return found[:-1], float(found[-1])


class Tables(NamedTuple):
    """Rows of the corpus with their clauses and sentences."""

    rows: Sequence[Row]
    clauses: Table
    sentences: Table

    def select(self, used: Sequence[bool]) -> Tables:
        rows = np.array(used)
        kept = [row for row, use in zip(self.rows, used, strict=True) if use]
        return Tables(kept, self.clauses.select(rows), self.sentences.select(rows))


def build_tables(
    rows: Sequence[Row],
    find: Callable[..., Iterable[Example]],
    vocabulary: frozenset[str],
    cut: Model,
) -> Tables:
    clauses, sentences = (
        build_table(rows, partial(find, cut=cut, whole=whole), vocabulary) for whole in (False, True)
    )
    return Tables(rows, clauses, sentences)


def fit_cuts(rows: Iterable[Row]) -> Model:
    """Return the model of the gaps between words in which a new clause begins."""
    gaps = [gap for row in rows for gap in find_gaps(row)]
    matrix = build_matrix((features for features, _ in gaps), CUT_BITS)
    return fit_model(matrix, {"cut": (np.array([ends for _, ends in gaps]), None)}, np.ones(len(gaps)))


def fit_statements(tables: Tables) -> dict[str, Model]:
    """Return the models of lasting statements."""
    rows, clauses, sentences = tables
    durable, lasting = np.isin(clauses.labels, DURABLE), np.isin(sentences.labels, DURABLE)
    has = np.array([any(part.statement for part in find_parts(row)) for row in rows])
    weights = np.array([row.get("weight", 1.0) for row in rows])
    clause_targets: Targets = {
        "durable": (durable, None),
        "order": (clauses.labels == "order", None),
        "inside": (durable, find_shared(clauses, sentences, lasting)),
    }
    kind_targets: Targets = {kind: (sentences.labels == kind, lasting) for kind in DURABLE}
    return {
        "durable clause": fit_model(clauses.matrix, clause_targets, clauses.weights),
        "durable sentence": fit_model(sentences.matrix, {"durable": (lasting, None)}, sentences.weights),
        "durable prompt": fit_model(join_prompts(sentences, len(rows)), {"durable": (has, None)}, weights),
        "kind": fit_model(fold_columns(sentences.matrix, KIND_BITS), kind_targets, sentences.weights),
    }


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


def fit_ship(tables: Tables) -> dict[str, Model]:
    """Return the models of requests to ship."""
    rows, clauses, sentences = tables
    ships = np.array([row["ship"] for row in rows])
    weights = np.array([row.get("weight", 1.0) for row in rows])
    return {
        "ship clause": fit_requests(clauses, ships[clauses.prompts]),
        "ship sentence": fit_requests(sentences, ships[sentences.prompts]),
        "ship prompt": fit_model(join_prompts(sentences, len(rows)), {"ship": (ships, None)}, weights),
    }


def find_unlabelled(row: Row, cut: Model, *, whole: bool) -> Iterable[Example]:
    clauses = find_clauses(row["prompt"], cut)[not whole]
    return [Example(clauses, number, "") for number in range(len(clauses))]


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


def fit_labels(examples: Iterable[Labelled], labels: Sequence[str]) -> Model:
    rows, found = zip(*examples, strict=True)
    targets: Targets = {label: (np.array(found) == label, None) for label in labels}
    return fit_model(build_matrix(rows, SESSION_BITS), targets, np.ones(len(rows)))


def fit_sessions(rows: Sequence[Row], vocabulary: frozenset[str]) -> dict[str, Model]:
    """Return the models of the sentences of an agent and of the prompts of a person."""
    sentences = (one for row in rows for one in find_sentences(row, vocabulary))
    prompts = (one for row in vary_sessions(rows) for one in find_prompts(row, vocabulary))
    return {"sentence": fit_labels(sentences, LABELS), "prompt": fit_labels(prompts, PROMPT_KINDS)}


def validate_sessions(rows: Sequence[Row], vocabulary: frozenset[str]) -> None:
    """Print the shares of right labels and kinds in unseen batches."""
    counts = Counter[tuple[str, bool]]()
    for fold in range(FOLDS):
        models = fit_sessions([row for row in rows if row["batch"] % FOLDS != fold], vocabulary)
        for row in (row for row in rows if row["batch"] % FOLDS == fold):
            for name, find in (("sentence", find_sentences), ("prompt", find_prompts)):
                for features, label in find(row, vocabulary):
                    scores = models[name].score(features)
                    counts[name, max(scores, key=scores.__getitem__) == label] += 1
    for name in ("sentence", "prompt"):
        right, wrong = counts[name, True], counts[name, False]
        print(f"{name}s of unseen batches: right {100 * right / (right + wrong):.1f} %", file=sys.stderr)


def split_batches(tables: Tables) -> Iterable[tuple[Tables, list[Row]]]:
    """Yield training tables and test rows; a batch is never in both, and generated rows are never tested."""
    for fold in range(FOLDS):
        tests = [row for row in tables.rows if row.get("batch", -1) >= 0 and row["batch"] % FOLDS == fold]
        if tests:
            texts = {row["prompt"] for row in tests}
            yield tables.select([row["prompt"] not in texts for row in tables.rows]), tests


def validate_ship(tables: Tables, vocabulary: frozenset[str], cut: Model) -> float:
    """Return the threshold of requests to ship."""
    scores: dict[bool, list[float]] = {True: [], False: []}
    for training, tests in split_batches(tables):
        models = Models(vocabulary, {"ship": 0.0}, fit_ship(training) | {"cut": cut})
        for row in tests:
            requests = [score for _, score in score_requests(row["prompt"], models)]
            scores[row["ship"]].append(max(requests, default=-99.0))
    for share in (0.01, 0.02, MAX_WRONG["ship"]):
        found = np.mean(np.array(scores[True]) >= choose_threshold(scores[False], share))
        print(
            f"requests of unseen batches: found {100 * found:.1f} % at {share:.0%}",
            file=sys.stderr,
            flush=True,
        )
    return choose_threshold(scores[False], MAX_WRONG["ship"])


def cross_validate(tables: Tables, vocabulary: frozenset[str], cut: Model) -> float:
    """Return the threshold of lasting statements."""
    runs, tested, wrong = {}, list[Row](), list[float]()
    for training, tests in split_batches(tables):
        models = Models(vocabulary, {}, fit_statements(training) | {"cut": cut})
        for row in tests:
            found = [*score_runs(row["prompt"], models)]
            runs[row["prompt"]] = (found, models)
            if not any(part.statement for part in find_parts(row)):
                wrong.append(max((score for score, _, _ in found), default=-99.0))
        tested += tests
        print(f"scored {len(tested)} prompts", file=sys.stderr, flush=True)
    for share in (0.01, 0.02, MAX_WRONG["durable"]):
        threshold = choose_threshold(wrong, share)

        def find(row: Row, threshold: float = threshold) -> list[Statement]:
            found, models = runs[row["prompt"]]
            return state_runs(row["prompt"], found, models._replace(thresholds={"durable": threshold}))

        for batch in sorted({row["batch"] for row in tested}):
            print(
                f"  batch {batch}: {score_statements([row for row in tested if row['batch'] == batch], find)}",
                file=sys.stderr,
            )
        print(f"statements of unseen batches: {score_statements(tested, find)}", file=sys.stderr, flush=True)
    return threshold


def choose_threshold(wrong: Sequence[float], share: float) -> float:
    """Return the threshold above which at most a *share* of the wrong scores lies."""
    return sorted(wrong, reverse=True)[int(len(wrong) * share)] + 1e-6


def read_batches(paths: Iterable[Path]) -> list[Row]:
    """Return the rows of all files, with the number of their batch."""
    numbered = [(int(re.sub(r"\D", "", path.stem)), path) for path in paths]
    return [{**row, "batch": number} for number, path in sorted(numbered) for row in read_rows([path])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--statements", type=Path, nargs="*", default=[*CORPUS.glob("prompts*.jsonl")])
    parser.add_argument("--ship", type=Path, nargs="*", default=[*CORPUS.glob("ship*.jsonl")])
    parser.add_argument("--sessions", type=Path, nargs="*", default=[*CORPUS.glob("sessions*.jsonl")])
    parser.add_argument("--held", type=Path, nargs="*", default=sorted(CORPUS.glob("held*.jsonl")))
    parser.add_argument("--output", type=Path, default=WEIGHTS)
    args = parser.parse_args()
    held = read_rows(args.held)
    rows = drop_near_duplicates(read_batches(args.statements), held)
    ship_rows = drop_near_duplicates(read_batches(args.ship), held)
    print(f"{len(rows)} prompts, {len(ship_rows)} of requests to ship", file=sys.stderr)
    generated = [{**row, "weight": WEIGHT} for row in drop_near_duplicates([*generate_rows(GENERATED)], held)]
    common = drop_near_duplicates([*generate_statements(GENERATED)], held)
    vocabulary = find_vocabulary([*rows, *ship_rows])
    cut = fit_cuts(rows)
    tables = build_tables([*rows, *common], find_examples, vocabulary, cut)
    ship_tables = build_tables([*ship_rows, *generated], find_unlabelled, vocabulary, cut)
    thresholds = {
        "ship": validate_ship(ship_tables, vocabulary, cut),
        "durable": cross_validate(tables, vocabulary, cut),
    }
    sessions = read_batches(args.sessions)
    validate_sessions(sessions, vocabulary)
    models = (
        fit_statements(tables) | fit_ship(ship_tables) | fit_sessions(sessions, vocabulary) | {"cut": cut}
    )
    save_models(args.output, Models(vocabulary, thresholds, models))
    print(f"thresholds {thresholds}, {args.output.stat().st_size:,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
