"""Train a network of `hookline.language.network` in floating point, and round its weights."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from hookline.language.network import (
    EDGE,
    LIMIT,
    OTHER,
    SUM_BITS,
    WEIGHT_BITS,
    Matrix,
    Network,
    Table,
    Token,
    build_matrix,
)

BATCH, DECAY = 64, 0.01
"""Examples of a batch, and weight decay."""
RATE, WARM_UP = 6e-3, 0.3
"""Highest learning rate, and the share of the steps before it."""
STEP = 0.4
"""Smallest value in a table, as a part of the standard deviation of its values."""
LOWEST = -9.0
"""Value below every state, used for tokens that do not count."""


class Plan(NamedTuple):
    """The size of a network, and how it is trained."""

    units: int
    """Units of each direction of the first layer; the second has half as many."""
    epochs: int
    dropped: tuple[float, float]
    """Shares of the states, and of the words, that are left out at random in training."""
    heads: Mapping[str, int]
    """Number of scores of each matrix."""
    find_loss: Callable[[Reader, Sequence[Example]], Tensor]
    inputs: Mapping[str, int] = MappingProxyType({})
    """Number of inputs of each matrix that does not read the states of all units."""


class Example(NamedTuple):
    """The tokens of a prompt with their labels."""

    words: Sequence[str]
    kinds: Sequence[str]
    sentences: Sequence[int]
    """Number of the sentence of each token."""
    positive: float
    """Probability that the prompt has a lasting statement, or asks to ship."""
    targets: Tensor | None = None
    """The values that the scores of each token approach, in a row; -1 for a token that does not count."""


class Reader(Protocol):
    """A model that reads prompts, with heads that score its states."""

    heads: nn.ModuleDict

    def read(self, batch: Sequence[Example]) -> tuple[Tensor, Tensor]:
        """Return the states of each token, and the number of its sentence or -1."""
        ...


def read_example(sentences: Iterable[Sequence[Token]], *, positive: bool) -> Example:
    """Return the example of a prompt with the tokens of its sentences."""
    numbered = [(token, number) for number, row in enumerate(sentences) for token in row]
    words, kinds = [token.word for token, _ in numbered], [token.kind for token, _ in numbered]
    return Example(words, kinds, [number for _, number in numbered], float(positive))


def build_heads(plan: Plan, size: int) -> nn.ModuleDict:
    """Return the matrices that score the states, which have the given size."""
    return nn.ModuleDict(
        {name: nn.Linear(plan.inputs.get(name, size), width) for name, width in plan.heads.items()}
    )


def score_highest(model: Reader, name: str, states: Tensor, counts: Tensor) -> Tensor:
    """Return the scores of the highest states after the tokens that count."""
    highest = states.masked_fill(~counts.unsqueeze(-1), LOWEST).max(1).values
    scores: Tensor = model.heads[name](highest)
    return scores.squeeze(-1)


def shift(values: Tensor, by: int) -> Tensor:
    """Return the values of the token before (*by* 1) or after each token; 0 at an edge."""
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

    def __init__(self, plan: Plan, words: Mapping[str, int], kinds: Mapping[str, int]) -> None:
        super().__init__()
        units, second = plan.units, plan.units // 2
        self.words, self.kinds = words, kinds
        self.word, self.kind, self.before, self.after = (
            nn.Embedding(len(names), 4 * units) for names in (words, kinds, kinds, kinds)
        )
        for table in (self.word, self.kind, self.before, self.after):
            table.weight.data *= 0.3
        for table in (self.kind, self.before, self.after):
            table.weight.data[1] = 0
        self.first = nn.Parameter(torch.tensor([-1.0, 0.0]).repeat_interleave(2 * units))
        self.second = nn.Linear(2 * units, 4 * second)
        self.heads = build_heads(plan, 2 * units + 2 * second)
        states, self.dropped_words = plan.dropped
        self.drop = nn.Dropout(states)

    def read(self, batch: Sequence[Example]) -> tuple[Tensor, Tensor]:
        """Return the states of all units after each token, and the number of its sentence or -1."""
        words = fill([[self.words.get(word, 1) for word in example.words] for example in batch], 0)
        kinds = fill([[self.kinds[kind] for kind in example.kinds] for example in batch], 0)
        sentences = fill([example.sentences for example in batch], -1)
        known = (sentences >= 0).unsqueeze(-1)
        words = torch.where((torch.rand(words.shape) < self.dropped_words) & (words != 0), 1, words)
        sums = (
            self.word(words) + self.kind(kinds) + self.before(shift(kinds, 1)) + self.after(shift(kinds, -1))
        )
        first = recur(self.drop(sums + self.first), known)
        second = recur(self.second(self.drop(first)), known)
        return self.drop(torch.cat([first, second], -1)), sentences


def fit_network(examples: Iterable[Example], vocabulary: Iterable[str], plan: Plan) -> Network:
    """Return the network for labelled prompts."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    examples = [example for example in examples if example.words]
    words = number_names([EDGE, OTHER, *sorted(vocabulary)])
    kinds = number_names([EDGE, OTHER, *sorted({kind for example in examples for kind in example.kinds})])
    model = Recurrent(plan, words, kinds)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=DECAY)
    descend(model, examples, plan, Descent(optimizer, [RATE], WARM_UP, BATCH))
    return round_network(model)


class Descent(NamedTuple):
    """How the parameters of a model change in training."""

    optimizer: torch.optim.Optimizer
    rates: Sequence[float]
    """Highest learning rate of each group of parameters."""
    warm_up: float
    """Share of the steps before the highest learning rates."""
    batch: int


def descend(model: nn.Module, examples: Sequence[Example], plan: Plan, descent: Descent) -> None:
    """Fit a model to the examples."""
    chance = random.Random(0)
    steps = plan.epochs * -(-len(examples) // descent.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        descent.optimizer, [*descent.rates], total_steps=steps, pct_start=descent.warm_up
    )
    for epoch in range(plan.epochs):
        total = 0.0
        for batch in split_examples(examples, descent.batch, chance):
            loss = plan.find_loss(model, batch)
            descent.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            descent.optimizer.step()
            schedule.step()
            total += loss.item()
        print(f"epoch {epoch + 1}: loss {total * plan.epochs / steps:.3f}", file=sys.stderr, flush=True)


def number_names(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


def split_examples(examples: Sequence[Example], size: int, chance: random.Random) -> list[list[Example]]:
    """Return batches of examples of nearly the same length, in random order."""
    ordered = sorted(examples, key=lambda example: len(example.words) + chance.random() * 6)
    batches = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    chance.shuffle(batches)
    return batches


def fill(rows: Sequence[Sequence[float]], value: float) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[value] * (longest - len(row))] for row in rows])


def round_network(model: Recurrent) -> Network:
    """Return the network with integer weights."""
    names = {"word": model.words, "kind": model.kinds, "before": model.kinds, "after": model.kinds}
    tables = {name: round_table(getattr(model, name).weight.data, numbers) for name, numbers in names.items()}
    layers = {"second": model.second, **model.heads}
    first = model.first.data.tolist()
    matrices = {"word": round_matrix([], first)} | {
        name: round_matrix(layer.weight.data.T.tolist(), layer.bias.data.tolist())
        for name, layer in layers.items()
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
    """Return the matrix with integer weights; raise ValueError if a sum may reach the limit."""
    highest = max(sum(map(abs, column)) for column in zip(bias, *rows, strict=True))
    if highest >= LIMIT:
        raise ValueError(f"sums of a matrix reach {highest:.0f}, and the limit is {LIMIT}")
    one = 1 << WEIGHT_BITS
    return build_matrix(
        [[round(value * one) for value in row] for row in rows], [round(value * one) for value in bias]
    )
