"""Train and validate the network of requests to ship."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence

import torch
from evaluate import share
from examples import NOTHING_FOUND, Row, choose_threshold, split_batches
from recurrent import LOWEST, Example, Plan, Recurrent, fit_network, read_example
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from hookline.language.network import Network, split_tokens
from hookline.language.segment import find_sentences
from hookline.language.ship_requests import score_sentences, unquote

UNITS, EPOCHS = 24, 25
GENERATED_WEIGHT = 0.5
"""Weight of a generated prompt, beside one of the corpus."""
MAX_WRONG = 0.05
"""Share of the prompts that do not ask to ship that may be taken for requests in cross-validation."""


def fit_ship(rows: Iterable[Row], common: Iterable[Row], vocabulary: Iterable[str]) -> Network:
    """Return the network for prompts that ask to ship or do not, and common phrasings."""
    plan = Plan(UNITS, EPOCHS, {"sentence": 1, "prompt": 1}, find_loss)
    return fit_network(map(read_row, [*rows, *common]), vocabulary, plan)


def read_row(row: Row) -> Example:
    sentences = [[*split_tokens(sentence)] for sentence in find_sentences(unquote(row["prompt"]))]
    weight = 1.0 if "batch" in row else GENERATED_WEIGHT
    return read_example(sentences, positive=row["ship"])._replace(weight=weight)


def find_loss(model: Recurrent, batch: Sequence[Example]) -> Tensor:
    """Return the loss; in a prompt that asks to ship, the sentence with the highest score is the request."""
    states, sentences = model.read(batch)
    total = model.score_highest("prompt", states, sentences >= 0)
    parts = [score_sentence(model, states, sentences == number) for number in range(int(sentences.max()) + 1)]
    ships = torch.tensor([float(example.positive) for example in batch])
    weights = torch.tensor([example.weight for example in batch])
    return binary_cross_entropy_with_logits(total + torch.stack(parts, 1).max(1).values, ships, weights)


def score_sentence(model: Recurrent, states: Tensor, counts: Tensor) -> Tensor:
    """Return the score of one sentence of each prompt, and a low one if the prompt has fewer sentences."""
    return model.score_highest("sentence", states, counts).masked_fill(~counts.any(1), 10 * LOWEST)


def find_unseen(rows: Sequence[Row], network: Network) -> dict[str, float]:
    """Return the log-odds of each prompt that it asks to ship."""
    return {
        row["prompt"]: max(
            (score for _, score in score_sentences(row["prompt"], network)), default=NOTHING_FOUND
        )
        for row in rows
    }


def validate_ship(rows: Sequence[Row], scores: Mapping[str, float]) -> float:
    """Return the threshold of requests to ship, and print the scores of each batch."""
    threshold = choose_threshold([scores[row["prompt"]] for row in rows if not row["ship"]], MAX_WRONG)
    for name, tested in split_batches(rows):
        shares = []
        for ships in (True, False):
            hits = [scores[row["prompt"]] >= threshold for row in tested if row["ship"] is ships]
            shares.append(share(sum(hits), len(hits)))
        print(f"unseen requests, {name}: found {', wrongly '.join(shares)}", file=sys.stderr, flush=True)
    return threshold
