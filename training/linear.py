"""Train linear models over hashed features."""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from examples import Row
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, diags_array
from sessions import Example, find_prompts, find_sentences, vary_sessions

from hookline.language.dialogue import PROMPT_KINDS, SENTENCE_LABELS
from hookline.language.model import Model, quantize

BITS = 15
"""Binary logarithm of the number of rows of a model."""
STRENGTH, STEPS = 100.0, 50
"""Inverse of the regularization, and maximum number of steps of the minimization."""
MIN_EXAMPLES = 2
"""Examples that contain a feature."""
FOLDS = 5


def fit_sessions(rows: Sequence[Row], vocabulary: frozenset[str]) -> dict[str, Model]:
    """Return the models of the sentences of an agent and of the prompts of a person."""
    sentences = (one for row in rows for one in find_sentences(row, vocabulary))
    prompts = (one for row in vary_sessions(rows) for one in find_prompts(row, vocabulary))
    return {
        "sentence": fit_labels(sentences, SENTENCE_LABELS, STRENGTH),
        "prompt": fit_labels(prompts, PROMPT_KINDS, STRENGTH),
    }


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


def fit_labels(examples: Iterable[Example], labels: Sequence[str], strength: float) -> Model:
    rows, found = zip(*examples, strict=True)
    return fit_model(build_matrix(rows), {label: np.array(found) == label for label in labels}, strength)


def build_matrix(rows: Iterable[Sequence[int]]) -> csr_matrix:
    """Return a matrix with a row of ones for each sequence of hashed features."""
    indices, ends = array("i"), array("q", [0])
    for codes in rows:
        indices.extend(sorted({code & ((1 << BITS) - 1) for code in codes}))
        ends.append(len(indices))
    ones = np.ones(len(indices), np.float32)
    return csr_matrix((ones, np.array(indices), np.array(ends)), shape=(len(ends) - 1, 1 << BITS))


def fit_model(matrix: csr_matrix, targets: dict[str, np.ndarray], strength: float) -> Model:
    """Return the model with a column for each label; the targets say which examples have it."""
    scaled = normalize(matrix)
    known = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]) >= MIN_EXAMPLES)
    columns, biases = [], []
    for positive in targets.values():
        fitted, bias = fit_column(scaled[:, known], positive, strength)
        column = np.zeros(matrix.shape[1])
        column[known] = fitted
        columns.append(column.tolist())
        biases.append(bias)
    return quantize([*targets], BITS, columns, biases)


def normalize(matrix: csr_matrix) -> csr_matrix:
    """Return the matrix of ones with rows of length one."""
    return (
        diags_array(1 / np.sqrt(np.maximum(np.diff(matrix.indptr), 1)), dtype=np.float32) @ matrix
    ).tocsr()


def fit_column(matrix: csr_matrix, positive: np.ndarray, strength: float) -> tuple[np.ndarray, float]:
    """Return weights and bias of a logistic regression."""
    signs, turned = np.where(positive, 1.0, -1.0), matrix.T.tocsr()

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        margins = signs * (matrix @ values[:-1].astype(np.float32) + values[-1])
        slopes = -signs / (1 + np.exp(np.minimum(margins, 60)))
        penalty = values[:-1] / strength
        value = np.logaddexp(0, -margins).sum() + values[:-1] @ penalty / 2
        gradient = np.append(turned @ slopes.astype(np.float32) + penalty, slopes.sum())
        return value / len(signs), gradient / len(signs)

    options = {"maxiter": STEPS, "ftol": 1e-7, "gtol": 1e-7}
    found = minimize(loss, np.zeros(matrix.shape[1] + 1), jac=True, method="L-BFGS-B", options=options).x
    return found[:-1], float(found[-1])
