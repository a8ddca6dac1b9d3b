"""Train and validate the network of lasting statements."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

import torch
from evaluate import score_statements
from examples import NOTHING_FOUND, Part, Row, find_parts, find_threshold
from recurrent import Example, Plan, Reader, fill, fit_network, read_example, score_highest
from run_on import generate_run_ons, generate_wrapped
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from hookline.language.network import Network, Token, split_tokens
from hookline.language.segment import find_sentences
from hookline.language.statements import LABELS, find_candidates, select_statements

UNITS, EPOCHS = 24, 9
PROMPT_WEIGHT = 0.5
"""Weight of the loss for whole prompts."""
MAX_WRONG = 0.0075
"""Share of the prompts without a lasting statement that may count as one; a wrong memory affects later sessions."""
NO_LABEL = -1


def fit_statements(rows: Sequence[Row], common: Iterable[Row], vocabulary: Iterable[str]) -> Network:
    """Return the network for labelled prompts, their variants, and common phrasings."""
    prompts = [*rows, *generate_run_ons(rows), *generate_wrapped(rows), *common]
    plan = Plan(UNITS, EPOCHS, {"label": len(LABELS) + 1, "prompt": 1}, find_loss)
    return fit_network(map(read_row, prompts), vocabulary, plan)


def read_row(row: Row) -> Example:
    """Return the words of a prompt with their labels; words of a lasting part outside its statement are filler."""
    sentences = [[*split_tokens(sentence)] for sentence in find_sentences(row["prompt"])]
    tokens, parts = [token for sentence in sentences for token in sentence], find_parts(row)
    labels = [NO_LABEL if token.start == token.end else find_label(parts, token.start) for token in tokens]
    edges = [edge for sentence in sentences for edge in find_edges(parts, sentence)]
    lasts = any(part.statement for part in parts)
    return read_example(sentences, positive=lasts)._replace(labels=labels, edges=edges)


def find_label(parts: Iterable[Part], place: int) -> int:
    """Return the number of the label of the word at a place."""
    for part in parts:
        start, end = part.statement or (part.start, part.end)
        if start <= place < end:
            return LABELS.index(part.label)
    return LABELS.index("filler")


def find_edges(parts: Iterable[Part], sentence: Iterable[Token]) -> Iterator[float]:
    """Yield for each token of a sentence whether a part or a statement begins or ends before it."""
    edges = [place for part in parts for place in (part.start, *(part.statement or ()))]
    last = NO_LABEL
    for token in sentence:
        if token.start == token.end:
            yield NO_LABEL
        else:
            yield float(last == NO_LABEL or any(last < edge <= token.start for edge in edges))
            last = token.start


def find_loss(model: Reader, batch: Sequence[Example]) -> Tensor:
    states, sentences = model.read(batch)
    scores = model.heads["label"](states)
    labels = fill([example.labels for example in batch], NO_LABEL)
    edges = fill([example.edges for example in batch], NO_LABEL)
    lasts = torch.tensor([float(example.positive) for example in batch])
    totals = score_highest(model, "prompt", states, sentences >= 0)
    loss = cross_entropy(scores[..., :-1].flatten(0, 1), labels.flatten(), ignore_index=NO_LABEL)
    loss += binary_cross_entropy_with_logits(scores[..., -1][edges >= 0], edges[edges >= 0])
    return loss + PROMPT_WEIGHT * binary_cross_entropy_with_logits(totals, lasts)


def choose_threshold(rows: Sequence[Row], network: Network) -> float:
    """Return the threshold of lasting statements for labelled prompts, and print their scores."""
    candidates = {row["prompt"]: [*find_candidates(row["prompt"], network)] for row in rows}
    wrong = [
        max((candidate.score for candidate in candidates[row["prompt"]]), default=NOTHING_FOUND)
        for row in rows
        if not any(part.statement for part in find_parts(row))
    ]
    threshold = find_threshold(wrong, MAX_WRONG)
    found = score_statements(
        rows, lambda row: select_statements(row["prompt"], candidates[row["prompt"]], threshold)
    )
    print(f"statements of unseen writers: {found}", file=sys.stderr, flush=True)
    return threshold
