"""Networks, and linear models over hashed features, loaded from one file of the package."""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hookline.language.network import Network, describe_network, read_network, write_network

MAGIC = b"HLM4"
STEP = 0.6
"""Smallest weight of a label, as a part of the standard deviation of its weights."""
WEIGHTS = Path(__file__).parent / "weights.bin"


class Model(NamedTuple):
    """A linear model with one column of weights per label; the rows are hashed features."""

    labels: tuple[str, ...]
    bits: int
    """Binary logarithm of the number of rows."""
    scales: tuple[float, ...]
    """Value of the smallest weight of each label."""
    biases: tuple[float, ...]
    weights: memoryview

    def score(self, features: Iterable[int]) -> dict[str, float]:
        """Return the log-odds of each label for hashed features, which count as a vector of length one."""
        width, weights, mask = len(self.labels), self.weights, (1 << self.bits) - 1
        starts = {(feature & mask) * width for feature in features}
        length = math.sqrt(len(starts) or 1)
        sums = [sum(map(weights[number:].__getitem__, starts)) for number in range(width)]
        scaled = zip(self.labels, self.biases, self.scales, sums, strict=True)
        return {label: bias + scale * total / length for label, bias, scale, total in scaled}


class Models(NamedTuple):
    """All models and networks, and the thresholds chosen in training."""

    vocabulary: frozenset[str]
    """Words that the linear models know, which are those of the network of statements."""
    thresholds: Mapping[str, float]
    models: Mapping[str, Model]
    networks: Mapping[str, Network]


@cache
def load_models(path: Path = WEIGHTS) -> Models:
    """Return the models in a file of weights."""
    data = path.read_bytes()
    if data[:4] != MAGIC:
        raise ValueError(f"not a file of weights: {str(path)!r}")
    raw = memoryview(zlib.decompress(data[4:])).cast("b")
    (length,) = struct.unpack_from("<I", raw)
    header, raw = json.loads(raw[4 : 4 + length].tobytes()), raw[4 + length :]
    models, start = {}, 0
    for name, about in header["models"].items():
        end = start + (len(about["labels"]) << about["bits"])
        values = (tuple(about["labels"]), about["bits"], tuple(about["scales"]), tuple(about["biases"]))
        models[name] = Model(*values, raw[start:end])
        start = end
    networks = {}
    for name, about in header["networks"].items():
        networks[name], end = read_network(about, raw[start:])
        start += end
    words = frozenset(networks["statements"].tables["word"].numbers)
    return Models(words, header["thresholds"], models, networks)


def save_models(path: Path, models: Models) -> None:
    """Write *models* to a file; the same models give the same bytes."""
    header = {
        "thresholds": dict(models.thresholds),
        "models": {
            name: {"labels": model.labels, "bits": model.bits, "scales": model.scales, "biases": model.biases}
            for name, model in models.models.items()
        },
        "networks": {name: describe_network(network) for name, network in models.networks.items()},
    }
    text = json.dumps(header).encode()
    weights = [bytes(model.weights) for model in models.models.values()]
    weights += map(write_network, models.networks.values())
    parts = (struct.pack("<I", len(text)), text, *weights)
    path.write_bytes(MAGIC + zlib.compress(b"".join(parts), 9))


def to_probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-max(min(log_odds, 30.0), -30.0)))


def quantize(
    labels: Sequence[str], bits: int, columns: Sequence[Sequence[float]], biases: Sequence[float]
) -> Model:
    """Return the model with the weights of each label rounded to multiples of a part of their deviation.

    The sum of many weights is nearly the same, and few different values compress well.
    """
    scales = [
        max(_deviation(column) * STEP, *(abs(weight) / 127 for weight in column), 1e-9) for column in columns
    ]
    pairs = [(column, scale) for column, scale in zip(columns, scales, strict=True)]
    rows = (round(column[row] / scale) for row in range(1 << bits) for column, scale in pairs)
    weights = memoryview(struct.pack(f"<{len(columns) << bits}b", *rows)).cast("b")
    return Model(tuple(labels), bits, tuple(scales), tuple(float(bias) for bias in biases), weights)


def _deviation(column: Sequence[float]) -> float:
    used = [weight for weight in column if weight]
    return math.sqrt(sum(weight * weight for weight in used) / (len(used) or 1))
