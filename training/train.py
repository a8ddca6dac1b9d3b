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
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from evaluate import score_statements
from examples import CORPUS, Row, drop_near_duplicates, find_parts, find_vocabulary, read_rows
from recurrent import fit_network
from run_on import generate_run_ons
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, diags_array
from sessions import Example, find_prompts, find_sentences, vary_sessions
from ship_templates import generate_rows
from statement_templates import generate_statements

from hookline.language.classify import Run, find_clauses, find_runs, score_requests, state_runs
from hookline.language.dialogue import LABELS, PROMPT_KINDS
from hookline.language.features import hash_clause
from hookline.language.model import WEIGHTS, Model, Models, quantize, save_models
from hookline.language.network import Network, describe_network, read_network, write_network

BITS, SESSION_BITS = 18, 15
"""Binary logarithm of the number of rows of the models of requests to ship, and of those of sessions."""
STRENGTH, STEPS = 100.0, 50
"""Inverse of the regularization, and maximum number of steps of the minimization."""
MIN_EXAMPLES = 2
"""Examples that contain a feature."""
FOLDS, NETWORK_FOLDS, ROUNDS = 5, 3, 3
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
    """Prompts with their sentences or clauses: their features, the number of the prompt, and the text of each."""

    rows: Sequence[Row]
    matrix: csr_matrix
    prompts: np.ndarray
    texts: Sequence[str]

    def select(self, used: Sequence[bool]) -> Table:
        """Return the table of some prompts, which are numbered anew."""
        prompts = np.array(used)
        kept = np.flatnonzero(prompts[self.prompts])
        numbers = np.cumsum(prompts)[self.prompts[kept]] - 1
        rows = [row for row, use in zip(self.rows, used, strict=True) if use]
        return Table(rows, self.matrix[kept], numbers, [self.texts[at] for at in kept])


def build_table(rows: Sequence[Row], vocabulary: frozenset[str], *, whole: bool) -> Table:
    """Return the table of the sentences of prompts if *whole*, else of their clauses."""
    divided = [find_clauses(row["prompt"])[not whole] for row in rows]
    features = (
        hash_clause(clauses, number, vocabulary) for clauses in divided for number in range(len(clauses))
    )
    prompts = np.repeat(np.arange(len(rows)), [len(clauses) for clauses in divided])
    texts = [clause.text for clauses in divided for clause in clauses]
    return Table(rows, build_matrix(features, BITS), prompts, texts)


def build_matrix(rows: Iterable[Sequence[int]], bits: int) -> csr_matrix:
    """Return a matrix with a row of ones for each sequence of hashed features."""
    indices, ends = array("i"), array("q", [0])
    for codes in rows:
        indices.extend(sorted({code & ((1 << bits) - 1) for code in codes}))
        ends.append(len(indices))
    ones = np.ones(len(indices), np.float32)
    return csr_matrix((ones, np.array(indices), np.array(ends)), shape=(len(ends) - 1, 1 << bits))


def join_prompts(table: Table) -> csr_matrix:
    """Return a matrix with the features of all sentences of each prompt."""
    ones, shape = np.ones(len(table.prompts), np.float32), (len(table.rows), len(table.prompts))
    sums = (csr_matrix((ones, (table.prompts, np.arange(len(ones)))), shape=shape) @ table.matrix).tocsr()
    sums.data[:] = 1
    return sums


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


def fit_ship(sentences: Table, clauses: Table) -> dict[str, Model]:
    """Return the models of requests to ship."""
    ships = np.array([row["ship"] for row in sentences.rows])
    weights = np.array([row.get("weight", 1.0) for row in sentences.rows])
    return {
        "ship clause": fit_requests(clauses, ships[clauses.prompts]),
        "ship sentence": fit_requests(sentences, ships[sentences.prompts]),
        "ship prompt": fit_model(join_prompts(sentences), {"ship": (ships, None)}, weights),
    }


def fit_requests(table: Table, ships: np.ndarray) -> Model:
    """Return a model of requests: in a prompt that asks to ship, the most likely part is the request."""
    positive, scaled = ships & [bool(HINT.search(text)) for text in table.texts], normalize(table.matrix)
    weights = np.array([table.rows[number].get("weight", 1.0) for number in table.prompts])
    for number in range(ROUNDS):
        model = fit_model(table.matrix, {"ship": (positive, positive | ~ships)}, weights)
        if number == ROUNDS - 1:
            return model
        scores = scaled @ (np.frombuffer(model.weights, np.int8) * model.scales[0])
        best = np.full(table.prompts[-1] + 1, -np.inf)
        np.maximum.at(best, table.prompts, scores)
        positive = ships & (scores >= best[table.prompts])
    raise ValueError("no round")


def fit_labels(examples: Iterable[Example], labels: Sequence[str]) -> Model:
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


def validate_ship(tables: Sequence[Table], vocabulary: frozenset[str], network: Network) -> float:
    """Return the threshold of requests to ship."""
    scores: dict[bool, list[float]] = {True: [], False: []}
    for fold in range(FOLDS):
        rows = tables[0].rows
        tests = [row for row in rows if row.get("batch", -1) >= 0 and row["batch"] % FOLDS == fold]
        texts = {row["prompt"] for row in tests}
        used = [row["prompt"] not in texts for row in rows]
        training = fit_ship(*(table.select(used) for table in tables))
        models = Models(vocabulary, {"ship": 0.0}, training, network)
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


def fit_statements(
    rows: Sequence[Row], common: Sequence[Row], vocabulary: frozenset[str]
) -> tuple[Network, float]:
    """Return the network of lasting statements and its threshold, and print the scores of each batch."""
    with ProcessPoolExecutor() as pool:
        folds = [pool.submit(find_unseen, rows, common, vocabulary, fold) for fold in range(NETWORK_FOLDS)]
        about, weights = pool.submit(fit_whole, rows, common, vocabulary).result()
        runs = {prompt: found for fold in folds for prompt, found in fold.result().items()}
    network = read_network(about, sorted(vocabulary), memoryview(weights).cast("b"))
    return network, validate_statements(rows, runs)


def fit_whole(
    rows: Sequence[Row], common: Sequence[Row], vocabulary: frozenset[str]
) -> tuple[dict[str, Any], bytes]:
    """Return the network of all prompts in a form that another process can read."""
    network = fit_network([*rows, *generate_run_ons(rows), *common], vocabulary)
    return describe_network(network), write_network(network)


def validate_statements(rows: Sequence[Row], runs: Mapping[str, Sequence[Run]]) -> float:
    """Return the threshold of lasting statements, and print the scores of each batch."""
    wrong = [
        max((run.score for run in runs[row["prompt"]]), default=-99.0)
        for row in rows
        if not any(part.statement for part in find_parts(row))
    ]
    threshold = choose_threshold(wrong, MAX_WRONG["durable"])
    batches = sorted({row["batch"] for row in rows})
    for name, numbers in [*((f"batch {number}", {number}) for number in batches), ("all", {*batches})]:
        tested = [row for row in rows if row["batch"] in numbers]
        found = score_statements(
            tested, lambda row: state_runs(row["prompt"], runs[row["prompt"]], threshold)
        )
        print(f"unseen, {name}: {found}", file=sys.stderr, flush=True)
    return threshold


def find_unseen(
    rows: Sequence[Row], common: Sequence[Row], vocabulary: frozenset[str], fold: int
) -> dict[str, list[Run]]:
    """Return the runs in the prompts of a part of the batches, by a network that has not seen these batches."""
    tests = [row for row in rows if row["batch"] % NETWORK_FOLDS == fold]
    texts = {row["prompt"] for row in tests}
    training = [row for row in rows if row["prompt"] not in texts]
    network = fit_network([*training, *generate_run_ons(training), *common], vocabulary)
    return {row["prompt"]: [*find_runs(row["prompt"], network)] for row in tests}


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
    network, durable = fit_statements(rows, common, vocabulary)
    tables = [build_table([*ship_rows, *generated], vocabulary, whole=whole) for whole in (True, False)]
    thresholds = {"ship": validate_ship(tables, vocabulary, network), "durable": durable}
    sessions = read_batches(args.sessions)
    validate_sessions(sessions, vocabulary)
    models = fit_ship(*tables) | fit_sessions(sessions, vocabulary)
    save_models(args.output, Models(vocabulary, thresholds, models, network))
    print(f"thresholds {thresholds}, {args.output.stat().st_size:,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
