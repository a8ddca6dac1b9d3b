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
    unpack,
)

BATCH, DECAY = 64, 0.01
"""Examples of a batch, and weight decay."""
WARM_UP = 0.3
"""Share of the steps before the highest learning rate."""
TABLES = ("word", "kind", "before", "after")
"""Tables of the properties of a word, its kind, and the kinds beside it."""
SPREAD = 0.5
"""Standard deviation of the properties before training."""
STEP = 0.25
"""Smallest value in a table, as a part of the standard deviation of its values."""
LOWEST = -9.0
"""Value below every state, used for tokens that do not count."""


class Plan(NamedTuple):
    """The size of a network, and how it is trained."""

    units: int
    """Units of each direction of the first layer; the second has half as many."""
    properties: tuple[int, int]
    """Number of properties of a word, and of a kind."""
    epochs: int
    dropped: tuple[float, float]
    """Shares of the states, and of the words, that are left out at random in training."""
    heads: Mapping[str, int]
    """Number of scores of each matrix."""
    find_loss: Callable[[Reader, Sequence[Example]], Tensor]
    inputs: Mapping[str, int] = MappingProxyType({})
    """Number of inputs of each matrix that does not read the states of all units."""
    rate: float = 6e-3
    """Highest learning rate."""


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
        self.names = {name: words if name == "word" else kinds for name in TABLES}
        widths = {name: plan.properties[name != "word"] for name in TABLES}
        self.tables = nn.ModuleDict(
            {name: nn.Embedding(len(self.names[name]), widths[name]) for name in TABLES}
        )
        self.inputs = nn.ModuleDict(
            {name: nn.Linear(widths[name], 4 * units, bias=name == "word") for name in TABLES}
        )
        for name, table in self.tables.items():
            table.weight.data *= SPREAD
            if name != "word":
                table.weight.data[1] = 0
        self.inputs["word"].bias.data = torch.tensor([-1.0, 0.0]).repeat_interleave(2 * units)
        self.second = nn.Linear(2 * units, 4 * second)
        self.heads = build_heads(plan, 2 * units + 2 * second)
        states, self.dropped_words = plan.dropped
        self.drop = nn.Dropout(states)

    def read(self, batch: Sequence[Example]) -> tuple[Tensor, Tensor]:
        """Return the states of all units after each token, and the number of its sentence or -1."""
        words = fill([[self.names["word"].get(word, 1) for word in example.words] for example in batch], 0)
        kinds = fill([[self.names["kind"].get(kind, 1) for kind in example.kinds] for example in batch], 0)
        sentences = fill([example.sentences for example in batch], -1)
        known = (sentences >= 0).unsqueeze(-1)
        dropped = self.dropped_words if self.training else 0.0
        words = torch.where((torch.rand(words.shape) < dropped) & (words != 0), 1, words)
        numbers = {"word": words, "kind": kinds, "before": shift(kinds, 1), "after": shift(kinds, -1)}
        sums = sum(self.inputs[name](self.tables[name](numbers[name])) for name in TABLES)
        first = recur(self.drop(sums), known)
        second = recur(self.second(self.drop(first)), known)
        return self.drop(torch.cat([first, second], -1)), sentences


def fit_network(examples: Iterable[Example], vocabulary: Iterable[str], plan: Plan) -> Network:
    """Return the network for labelled prompts."""
    examples = [*examples]
    words = number_names([EDGE, OTHER, *sorted(vocabulary)])
    kinds = number_names([EDGE, OTHER, *sorted({kind for example in examples for kind in example.kinds})])
    torch.manual_seed(0)
    return train_model(Recurrent(plan, words, kinds), examples, plan)


def train_model(model: Recurrent, examples: Iterable[Example], plan: Plan, kept: float = 0.0) -> Network:
    """Return the network of a model after training with the examples; a share of each old weight is *kept*."""
    old = {name: value.clone() for name, value in model.state_dict().items()}
    torch.manual_seed(0)
    torch.set_num_threads(1)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=DECAY)
    descend(
        model.train(),
        [example for example in examples if example.words],
        plan,
        Descent(optimizer, [plan.rate], WARM_UP, BATCH),
    )
    new = model.state_dict()
    model.load_state_dict({name: torch.lerp(new[name], value, kept) for name, value in old.items()})
    return round_network(model)


def load_model(network: Network, plan: Plan) -> Recurrent:
    """Return a network in floating point, with properties of the same size as before training."""
    model = Recurrent(plan, network.tables["word"].numbers, network.tables["kind"].numbers)
    ones = dict[str, float]()
    for name, table in network.tables.items():
        values = torch.tensor(table.values.tolist(), dtype=torch.float)
        scale = SPREAD / float(values.std())
        model.tables[name].weight.data = values.reshape(-1, table.width) * scale
        ones[name] = scale * (1 << SUM_BITS)
    for name, layer in {"second": model.second, **model.inputs, **model.heads}.items():
        matrix, one = network.matrices[name], ones.get(name, 1 << WEIGHT_BITS)
        layer.weight.data = torch.tensor([unpack(row, matrix.width) for row in matrix.rows]).T / one
        if layer.bias is not None:
            layer.bias.data = torch.tensor(matrix.score([0] * len(matrix.rows)))
    return model.eval()


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


@torch.no_grad()
def round_network(model: Recurrent) -> Network:
    """Return the network with integer weights; raise ValueError if a sum may reach the limit."""
    tables, matrices, highest = dict[str, Table](), dict[str, Matrix](), [0.0]
    for name, layer in model.inputs.items():
        values = model.tables[name].weight
        step = max(float(values.std()) * STEP, float(values.abs().max()) / 127)
        data = torch.round(values / step).to(torch.int8).numpy().tobytes()
        tables[name] = Table(model.names[name], memoryview(data).cast("b"), values.shape[1])
        matrices[name] = round_matrix(layer, step * (1 << SUM_BITS))
        highest[0] += float(layer(values).abs().max())
    for name, layer in {"second": model.second, **model.heads}.items():
        matrices[name] = round_matrix(layer, 1 << WEIGHT_BITS)
        highest.append(float((layer.weight.abs().sum(1) + layer.bias.abs()).max()))
    if max(highest) >= LIMIT:
        raise ValueError(f"sums reach {max(highest):.0f}, and the limit is {LIMIT}")
    return Network(tables, matrices)


def round_matrix(layer: nn.Linear, one: float) -> Matrix:
    """Return the matrix of a layer with integer weights, in which *one* is the weight 1."""
    rows = [[round(value * one) for value in row] for row in layer.weight.T.tolist()]
    bias = [] if layer.bias is None else layer.bias.tolist()
    return build_matrix(rows, [round(value * (1 << WEIGHT_BITS)) for value in bias])
