"""Train the network that labels the words of a prompt, and round its weights."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import torch
from examples import Part, Row, find_parts
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from hookline.language.classify import LABELS
from hookline.language.network import (
    EDGE,
    LIMIT,
    OTHER,
    SUM_BITS,
    WEIGHT_BITS,
    Matrix,
    Network,
    Table,
    build_matrix,
    read_tokens,
)
from hookline.language.segment import find_sentences

UNITS, SECOND_UNITS = 24, 12
"""Units of each direction of both layers."""
EPOCHS, BATCH, RATE, DECAY = 6, 64, 6e-3, 0.01
DROPPED, DROPPED_WORDS = 0.3, 0.1
"""Shares of the states, and of the words, that are left out at random in training."""
PROMPT_WEIGHT = 0.5
"""Weight of the loss for whole prompts."""
STEP = 0.4
"""Smallest value in a table, as a part of the standard deviation of its values."""
NO_LABEL = -1


class Example(NamedTuple):
    """The words of a prompt, their kinds, and the numbers of their labels."""

    words: Sequence[str]
    kinds: Sequence[str]
    labels: Sequence[int]
    lasts: bool
    """True if the prompt has a lasting statement."""


def read_example(row: Row) -> Example:
    """Return the words of a prompt with their labels; words of a lasting part outside its statement are filler."""
    tokens = [token for sentence in find_sentences(row["prompt"]) for token in read_tokens(sentence)]
    parts = find_parts(row)
    labels = [NO_LABEL if token.start == token.end else find_label(parts, token.start) for token in tokens]
    words, kinds = [token.word for token in tokens], [token.kind for token in tokens]
    return Example(words, kinds, labels, any(part.statement for part in parts))


def find_label(parts: Iterable[Part], place: int) -> int:
    """Return the number of the label of the word at a place."""
    for part in parts:
        start, end = part.statement or (part.start, part.end)
        if start <= place < end:
            return LABELS.index(part.label)
    return LABELS.index("filler")


def shift(values: Tensor, by: int) -> Tensor:
    """Return the numbers of the kinds beside each token; 0 stands for an edge."""
    edge = torch.zeros_like(values[:, :1])
    return torch.cat([edge, values[:, :-1]], 1) if by > 0 else torch.cat([values[:, 1:], edge], 1)


def recur(values: Tensor, known: Tensor) -> Tensor:
    """Return the states of the units of both directions after each token."""
    gates, inputs = values.chunk(2, -1)
    gates = torch.sigmoid(gates) * known
    kept, added = 1 - gates, gates * torch.tanh(inputs)
    halves = [[part.unbind(1) for part in pair.chunk(2, -1)] for pair in (kept, added)]
    forward = follow(*(pair[0] for pair in halves))
    backward = follow(*(pair[1][::-1] for pair in halves))
    return torch.cat([torch.stack(forward, 1), torch.stack(backward[::-1], 1)], -1)


def follow(kept: Sequence[Tensor], added: Sequence[Tensor]) -> list[Tensor]:
    state, states = torch.zeros_like(added[0]), []
    for keep, add in zip(kept, added, strict=True):
        state = torch.addcmul(add, keep, state)
        states.append(state)
    return states


class Recurrent(nn.Module):
    """The network of `hookline.language.network` in floating point; number 0 is an edge and 1 is unknown."""

    def __init__(self, words: int, kinds: int) -> None:
        super().__init__()
        width, states = 4 * UNITS, 2 * UNITS + 2 * SECOND_UNITS
        self.word, self.kind, self.before, self.after = (
            nn.Embedding(count, width) for count in (words, kinds, kinds, kinds)
        )
        for table in (self.word, self.kind, self.before, self.after):
            table.weight.data *= 0.3
        for table in (self.kind, self.before, self.after):
            table.weight.data[1] = 0
        self.first = nn.Parameter(torch.tensor([-1.0, 0.0]).repeat_interleave(2 * UNITS))
        self.second = nn.Linear(2 * UNITS, 4 * SECOND_UNITS)
        self.label, self.prompt = nn.Linear(states, len(LABELS)), nn.Linear(states, 1)
        self.drop = nn.Dropout(DROPPED)

    def forward(self, words: Tensor, kinds: Tensor) -> tuple[Tensor, Tensor]:
        known = (words != 0).unsqueeze(-1)
        if self.training:
            words = torch.where((torch.rand(words.shape) < DROPPED_WORDS) & (words != 0), 1, words)
        sums = (
            self.word(words) + self.kind(kinds) + self.before(shift(kinds, 1)) + self.after(shift(kinds, -1))
        )
        first = recur(self.drop(sums + self.first), known)
        second = recur(self.second(self.drop(first)), known)
        states = self.drop(torch.cat([first, second], -1))
        highest = states.masked_fill(~known, -9).max(1).values
        return self.label(states), self.prompt(highest).squeeze(-1)


def fit_network(rows: Iterable[Row], vocabulary: Iterable[str]) -> Network:
    """Return the network for labelled prompts."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    chance = random.Random(0)
    examples = [example for example in map(read_example, rows) if example.words]
    words = number_names([EDGE, OTHER, *sorted(vocabulary)])
    kinds = number_names([EDGE, OTHER, *sorted({kind for example in examples for kind in example.kinds})])
    model = Recurrent(len(words), len(kinds))
    optimizer = torch.optim.AdamW(model.parameters(), RATE, weight_decay=DECAY)
    steps = EPOCHS * -(-len(examples) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    for epoch in range(EPOCHS):
        total = 0.0
        for batch in split_examples(examples, chance):
            loss = find_loss(model, batch, words, kinds)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.item()
        print(f"epoch {epoch + 1}: loss {total * EPOCHS / steps:.3f}", file=sys.stderr, flush=True)
    return round_network(model, words, kinds)


def number_names(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


def split_examples(examples: Sequence[Example], chance: random.Random) -> list[list[Example]]:
    """Return batches of examples of nearly the same length, in random order."""
    ordered = sorted(examples, key=lambda example: len(example.words) + chance.random() * 6)
    batches = [ordered[start : start + BATCH] for start in range(0, len(ordered), BATCH)]
    chance.shuffle(batches)
    return batches


def find_loss(
    model: Recurrent, batch: Sequence[Example], words: Mapping[str, int], kinds: Mapping[str, int]
) -> Tensor:
    scores, totals = model(
        fill([[words.get(word, 1) for word in example.words] for example in batch], 0),
        fill([[kinds[kind] for kind in example.kinds] for example in batch], 0),
    )
    labels = fill([example.labels for example in batch], NO_LABEL)
    lasts = torch.tensor([float(example.lasts) for example in batch])
    loss = cross_entropy(scores.flatten(0, 1), labels.flatten(), ignore_index=NO_LABEL)
    return loss + PROMPT_WEIGHT * binary_cross_entropy_with_logits(totals, lasts)


def fill(rows: Sequence[Sequence[int]], value: int) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[value] * (longest - len(row))] for row in rows])


def round_network(model: Recurrent, words: Mapping[str, int], kinds: Mapping[str, int]) -> Network:
    """Return the network with integer weights."""
    names = {"word": words, "kind": kinds, "before": kinds, "after": kinds}
    tables = {name: round_table(getattr(model, name).weight.data, numbers) for name, numbers in names.items()}
    first = model.first.data.tolist()
    upper, lower = model.label.weight.data.split((2 * UNITS, 2 * SECOND_UNITS), 1)
    both = torch.cat([model.second.weight.data, upper])
    bias = [*model.second.bias.data.tolist(), *[0.0] * len(LABELS)]
    matrices = {
        "word": round_matrix([], first),
        "first": round_matrix(both.T.tolist(), bias),
        "label": round_matrix(lower.T.tolist(), model.label.bias.data.tolist()),
        "prompt": round_matrix(model.prompt.weight.data.T.tolist(), model.prompt.bias.data.tolist()),
    }
    highest = sum(float(getattr(model, name).weight.data.abs().max()) for name in names) + max(
        map(abs, first)
    )
    if highest >= LIMIT:
        raise ValueError(f"sums of the first layer reach {highest:.0f}, and the limit is {LIMIT}")
    return Network(tables, matrices)


def round_table(values: Tensor, numbers: Mapping[str, int]) -> Table:
    step = max(float(values.std()) * STEP, float(values.abs().max()) / 127)
    rounded = torch.round(values / step).to(torch.int8)
    data = memoryview(rounded.numpy().tobytes()).cast("b")
    return Table(numbers, data, round(step * (1 << SUM_BITS)), values.shape[1])


def round_matrix(rows: Sequence[Sequence[float]], bias: Sequence[float]) -> Matrix:
    one = 1 << WEIGHT_BITS
    return build_matrix(
        [[round(value * one) for value in row] for row in rows], [round(value * one) for value in bias]
    )
