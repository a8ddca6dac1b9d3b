"""Train the network of requests to ship with a teacher, and choose its threshold."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from evaluate import share
from examples import NOTHING_FOUND, Row, find_threshold
from linear import STRENGTH, build_matrix, fit_model
from recurrent import LOWEST, Example, Plan, Reader, fit_network, read_example, score_highest
from teacher import fit_teacher, teach, vary_words
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from hookline.language.features import Clause, hash_clause, spell_words
from hookline.language.model import Model
from hookline.language.network import Network, split_tokens
from hookline.language.segment import find_sentences
from hookline.language.ship_requests import score_sentences, unquote, weigh_words

UNITS, HIDDEN, EPOCHS, TEACHER_EPOCHS = 24, 32, 16, 3
"""Units of the network, and between its states and the score; passes over the examples."""
PROPERTIES = 40, 24
"""Number of properties of a word, and of a kind."""
VARIANTS, OTHER_VARIANTS = 100_000, 30_000
"""Number of variants of the labelled prompts, and of all prompts."""
DROPPED = 0.3, 0.1
"""Shares of the states, and of the words, that are left out at random in training."""
TRUST = 0.7
"""Weight of the labels of the teacher beside those of the corpus."""
MAX_WRONG = 0.0125
"""Share of the prompts that do not ask to ship that may be taken for requests in the batches for validation."""


def fit_ship(
    rows: Iterable[Row], others: Iterable[Row], vocabulary: Iterable[str], teacher_path: Path
) -> Network:
    """Return the network for labelled rows, and for prompts about other work, which only the teacher labels."""
    labelled = [example for example in map(read_row, rows) if example.words]
    unlabelled = [example for example in map(read_row, others) if example.words]
    teacher = fit_teacher(labelled, PLAN._replace(epochs=TEACHER_EPOCHS), teacher_path)
    unlabelled += vary_words([*labelled, *unlabelled], OTHER_VARIANTS)
    unlabelled += vary_words(labelled, VARIANTS)
    examples = [
        *teach(teacher, labelled, label_examples, TRUST),
        *teach(teacher, unlabelled, label_examples, 1.0),
    ]
    return fit_network(examples, vocabulary, PLAN)


def read_row(row: Row) -> Example:
    sentences = [[*split_tokens(sentence)] for sentence in find_sentences(unquote(row["prompt"]))]
    return read_example(sentences, positive=row.get("ship", False))


def score(model: Reader, batch: Sequence[Example]) -> Tensor:
    """Return the log-odds that the prompts ask to ship; the sentence with the highest score is the request."""
    states, sentences = model.read(batch)
    whole = score_highest(model, "prompt", states, sentences >= 0)
    parts = [
        score_sentence(model, whole, states, sentences == number)
        for number in range(int(sentences.max()) + 1)
    ]
    return torch.stack(parts, 1).max(1).values


def score_sentence(model: Reader, whole: Tensor, states: Tensor, counts: Tensor) -> Tensor:
    """Return the score of one sentence of each prompt, and a low one if the prompt has fewer sentences."""
    sums = score_highest(model, "sentence", states, counts) + whole
    scores: Tensor = model.heads["request"](torch.tanh(sums)).squeeze(-1)
    return scores.masked_fill(~counts.any(1), 10 * LOWEST)


def find_loss(model: Reader, batch: Sequence[Example]) -> Tensor:
    ships = torch.tensor([example.positive for example in batch])
    return binary_cross_entropy_with_logits(score(model, batch), ships)


def label_examples(model: Reader, batch: Sequence[Example], trust: float) -> Iterator[Example]:
    """Yield the examples with a mean of their label and that of the model, which has the weight *trust*."""
    for example, ships in zip(batch, score(model, batch).sigmoid().tolist(), strict=True):
        yield example._replace(positive=example.positive + trust * (ships - example.positive))


def fit_words(rows: Iterable[Row], network: Network, vocabulary: frozenset[str]) -> Model:
    """Return the linear model of the sentences that ask to ship: of a request, the one that the network finds."""
    examples = [one for row in rows for one in find_sentence_examples(row, network, vocabulary)]
    features, ships = zip(*examples, strict=True)
    return fit_model(build_matrix(features), {"ship": np.array(ships)}, STRENGTH)


def find_sentence_examples(
    row: Row, network: Network, vocabulary: frozenset[str]
) -> Iterator[tuple[list[int], bool]]:
    scored = score_sentences(row["prompt"], network)
    clauses = [Clause(text, spell_words(text)) for text, _ in scored]
    best = max(range(len(scored)), key=lambda number: scored[number][1], default=None)
    for number in range(len(scored)):
        if not row["ship"] or number == best:
            yield hash_clause(clauses, number, vocabulary), row["ship"]


HEADS = {"sentence": HIDDEN, "prompt": HIDDEN, "request": 1}
PLAN = Plan(UNITS, PROPERTIES, EPOCHS, DROPPED, HEADS, find_loss, {"request": HIDDEN})


def choose_threshold(
    rows: Sequence[Row], network: Network, words: Model, vocabulary: frozenset[str]
) -> float:
    """Return the threshold of requests to ship for labelled prompts, and print their scores."""
    weighed = (weigh_words(score_sentences(row["prompt"], network), words, vocabulary) for row in rows)
    scores = [max((score for _, score in one), default=NOTHING_FOUND) for one in weighed]
    ships = [score for score, row in zip(scores, rows, strict=True) if row["ship"]]
    others = [score for score, row in zip(scores, rows, strict=True) if not row["ship"]]
    threshold = find_threshold(others, MAX_WRONG)
    found, wrong = (sum(score >= threshold for score in side) for side in (ships, others))
    shares = f"found {share(found, len(ships))}, wrongly found {share(wrong, len(others))}"
    print(f"requests to ship of unseen writers: {shares}", file=sys.stderr, flush=True)
    return threshold
