"""Train the linear model of personal data in a statement, and choose its threshold."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from random import Random

from evaluate import share
from examples import Row, find_parts, find_threshold
from linear import fit_labels

from hookline.language.model import Model
from hookline.memory.privacy import hash_statement, is_contact

STRENGTH = 30.0
"""Inverse of the regularization."""
OTHERS = 5_000
"""Statements of prompts and of agents that count as not personal in training, and as many for the threshold."""
MAX_WRONG = 0.01
"""Share of these statements that may count as personal."""


def fit_private(
    rows: Sequence[Row], prompts: Sequence[Row], sessions: Sequence[Row], vocabulary: frozenset[str]
) -> tuple[Model, float]:
    """Return the model of labelled statements, parts of prompts and sentences of agents, and its threshold."""
    parts = [(row["prompt"], part) for row in prompts for part in find_parts(row)]
    private = [prompt[part.start : part.end] for prompt, part in parts if part.label == "private"]
    lasting = [prompt[slice(*part.statement)] for prompt, part in parts if part.statement]
    agents = [text for row in sessions for turn in row["turns"] for text, _ in turn.get("agent", ())]
    (known, rest), (known_agents, rest_agents) = split_sample(lasting), split_sample(agents)
    known, rest = [*known, *known_agents], [*rest, *rest_agents]
    fitted = fit_statements(rows, private, known, vocabulary)
    scores = [score(fitted, text, vocabulary) for text in rest]
    threshold = find_threshold(scores, MAX_WRONG)
    validate_private(rows, [private, known], vocabulary, threshold)
    return fitted, threshold


def split_sample(texts: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return two samples of the texts without contact data."""
    sample = Random(0).sample([text for text in texts if not is_contact(text)], 2 * OTHERS)
    return sample[:OTHERS], sample[OTHERS:]


def fit_statements(
    rows: Iterable[Row], private: Iterable[str], others: Iterable[str], vocabulary: frozenset[str]
) -> Model:
    labelled = [(row["text"], row["personal"]) for row in rows]
    labelled += [(text, True) for text in private] + [(text, False) for text in others]
    examples = [
        (hash_statement(text, vocabulary), "private" if personal else "other") for text, personal in labelled
    ]
    return fit_labels(examples, ["private"], STRENGTH)


def score(model: Model, text: str, vocabulary: frozenset[str]) -> float:
    return model.score(hash_statement(text, vocabulary))["private"]


def validate_private(
    rows: Sequence[Row], texts: Sequence[Sequence[str]], vocabulary: frozenset[str], threshold: float
) -> None:
    """Print the shares of the statements of unseen batches that count as personal."""
    counts: dict[bool, list[bool]] = {True: [], False: []}
    for batch in {row["batch"] for row in rows}:
        model = fit_statements([row for row in rows if row["batch"] != batch], *texts, vocabulary)
        for row in (row for row in rows if row["batch"] == batch):
            found = is_contact(row["text"]) or score(model, row["text"], vocabulary) > threshold
            counts[row["personal"]].append(found)
    personal, others = ((sum(counts[side]), len(counts[side])) for side in (True, False))
    print(
        f"personal data of unseen batches: found {share(*personal)}, wrongly found {share(*others)}",
        file=sys.stderr,
    )
