"""Read a prompt with a small recurrent network.

The network is computed with integers. A vector is one long integer that has an element in each 32 bits, so
one operation multiplies all its elements with a number, or adds two vectors.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from operator import mul
from typing import Any, NamedTuple

from hookline.language.features import find_kind
from hookline.language.pasted_text import mask_quotations
from hookline.language.segment import Sentence, find_sentences
from hookline.lazy import re

STATE_BITS, WEIGHT_BITS = 10, 12
"""Binary digits after the point of the state of a unit, and of a weight for it."""
SUM_BITS, INDEX_BITS = STATE_BITS + WEIGHT_BITS, 6
"""Binary digits after the point of a sum, and of its upper half, the index in a table of function values."""
LIMIT = 64
"""Upper bound of the absolute value of a sum."""
MAX_TOKENS = 1_200
"""Words and marks of a prompt that are read."""
EDGE, OTHER = "<edge>", "<other>"
"""The kind beside the first and last token, and the word and kind of what is not known."""

_OFFSET, _SIGN = LIMIT << SUM_BITS, 1 << 31
_TOKEN = re.compile(r"[\x01-\x04]+|[^\W_][\w'’./@#+:=-]*[^\W_]|[^\W_]|[,:;?!.()–—-]")
_SYMBOLS = {"\x01": "<code>", "\x02": "<quote>", "\x03": "<url>", "\x04": "<mark>"}


class Token(NamedTuple):
    """A word or mark with its place in the prompt; a token that begins a sentence has no length."""

    word: str
    kind: str
    start: int
    end: int


class SentenceStates(NamedTuple):
    """A sentence with its tokens, and the states of all units after each of them."""

    sentence: Sentence
    tokens: Sequence[Token]
    states: Sequence[Sequence[int]]


class Matrix(NamedTuple):
    """Weights, with the vector of each input as one integer."""

    rows: Sequence[int]
    bias: int
    """The bias with an offset in each element, so that no sum is negative; 0 if another matrix has it."""
    width: int

    def multiply(self, values: Sequence[int]) -> int:
        """Return the sums for a vector of inputs as one integer."""
        total: int = sum(map(mul, values, self.rows), self.bias)
        return total

    def score(self, values: Sequence[int]) -> list[float]:
        """Return the sums for a vector of inputs as numbers."""
        sums = _split(self.multiply(values), self.width)
        return [(value - _OFFSET) / (1 << SUM_BITS) for value in sums]


class Table(NamedTuple):
    """The properties of each word or kind, which the matrix of the same name reads."""

    numbers: Mapping[str, int]
    values: memoryview
    width: int

    def find_row(self, name: str) -> list[int]:
        """Return the properties of a known name."""
        begin = self.numbers[name] * self.width
        return self.values[begin : begin + self.width].tolist()


class Network:
    """Two recurrent layers that read a prompt in both directions, and matrices that score their states.

    The state of a unit is a mean of its inputs so far. A gate, computed from the next input alone, is the
    share of the state that this input replaces. The inputs of the first layer are a word, its kind, and the
    kinds beside it.
    """

    def __init__(self, tables: Mapping[str, Table], matrices: Mapping[str, Matrix]) -> None:
        self.tables, self.matrices = tables, matrices
        self._token_inputs = lru_cache(maxsize=8192)(self._sum_token)
        self._neighbour_inputs = lru_cache(maxsize=1024)(self._sum_neighbour)
        self.read_prompt = lru_cache(maxsize=4)(self._read_prompt)

    def _read_prompt(self, prompt: str) -> list[SentenceStates]:
        """Return the sentences of a prompt, up to `MAX_TOKENS`; several hooks read the same prompt."""
        rows = [(sentence, [*split_tokens(sentence)]) for sentence in find_sentences(prompt)]
        states = self._follow_tokens([token for _, row in rows for token in row][:MAX_TOKENS])
        found, begin = list[SentenceStates](), 0
        for sentence, row in rows:
            own = states[begin : begin + len(row)]
            found += [SentenceStates(sentence, row[: len(own)], own)] if own else []
            begin += len(row)
        return found

    def _follow_tokens(self, tokens: Sequence[Token]) -> list[list[int]]:
        """Return the states of the units of both layers after each token."""
        second = self.matrices["second"]
        states = recur(self._sum_inputs(tokens), self.matrices["word"].width)
        deeper = recur([second.multiply(state) for state in states], second.width)
        return [a + b for a, b in zip(states, deeper, strict=True)]

    def score(self, name: str, state: Sequence[int]) -> list[float]:
        """Return the log-odds that the matrix of this name finds in the state of all units."""
        return self.matrices[name].score(state)

    def _sum_inputs(self, tokens: Sequence[Token]) -> Iterator[int]:
        """Yield the inputs of the first layer for each token."""
        words, kinds = self.tables["word"].numbers, self.tables["kind"].numbers
        known = [token.kind if token.kind in kinds else OTHER for token in tokens]
        near = [self._neighbour_inputs(kind) for kind in (EDGE, *known, EDGE)]
        for token, kind, (before, _), (_, after) in zip(tokens, known, near, near[2:], strict=False):
            yield self._token_inputs(token.word if token.word in words else OTHER, kind) + before + after

    def _sum_token(self, word: str, kind: str) -> int:
        """Return the inputs of the first layer for a token alone."""
        return self._find_inputs("word", word) + self._find_inputs("kind", kind)

    def _sum_neighbour(self, kind: str) -> tuple[int, int]:
        """Return the inputs of the first layer for a token after, and before, a token of this kind."""
        return self._find_inputs("before", kind), self._find_inputs("after", kind)

    def _find_inputs(self, table: str, name: str) -> int:
        return self.matrices[table].multiply(self.tables[table].find_row(name))


def describe_network(network: Network) -> dict[str, Any]:
    """Return everything about a network but its weights, for a JSON document."""
    names = {name: " ".join(network.tables[name].numbers) for name in ("word", "kind")}
    tables = {name: table.width for name, table in network.tables.items()}
    matrices = {name: [len(matrix.rows), matrix.width] for name, matrix in network.matrices.items()}
    return {"names": names, "tables": tables, "matrices": matrices}


def write_network(network: Network) -> bytes:
    tables = b"".join(bytes(table.values) for table in network.tables.values())
    vectors = [(row, one.width) for one in network.matrices.values() for row in (*one.rows, one.bias)]
    return tables + b"".join(row.to_bytes(4 * width, "little", signed=True) for row, width in vectors)


def read_network(about: Mapping[str, Any], weights: memoryview) -> tuple[Network, int]:
    """Return the network of the weights that `write_network` returned, and the position of their end."""
    numbers = {
        name: {word: number for number, word in enumerate(words.split())}
        for name, words in about["names"].items()
    }
    tables, matrices, start = dict[str, Table](), dict[str, Matrix](), 0
    for name, width in about["tables"].items():
        own = numbers.get(name, numbers["kind"])
        end = start + len(own) * width
        tables[name] = Table(own, weights[start:end], width)
        start = end
    for name, (count, width) in about["matrices"].items():
        places = range(start, start + 4 * width * (count + 1), 4 * width)
        *rows, bias = (int.from_bytes(weights[at : at + 4 * width], "little", signed=True) for at in places)
        matrices[name] = Matrix(rows, bias, width)
        start = places.stop
    return Network(tables, matrices), start


def build_matrix(rows: Sequence[Sequence[int]], bias: Sequence[int] = ()) -> Matrix:
    """Return the matrix of weights, and of a bias with `WEIGHT_BITS` digits after the point."""
    moved = [(value << STATE_BITS) + _OFFSET for value in bias]
    return Matrix([pack(row) for row in rows], pack(moved) if bias else 0, len(rows[0]))


def pack(values: Iterable[int]) -> int:
    """Return one integer that has an element of the vector in each 32 bits."""
    return sum(value << (32 * place) for place, value in enumerate(values))


def unpack(vector: int, width: int) -> list[int]:
    """Return the elements of a vector that `pack` returned."""
    return [value - _SIGN for value in _split(vector + pack([_SIGN] * width), width)]


def _split(vector: int, width: int) -> tuple[int, ...]:
    """Return the elements of a vector of which none is negative."""
    return struct.unpack(f"<{width}I", vector.to_bytes(4 * width, "little"))


@cache
def _find_functions() -> tuple[list[int], list[int]]:
    """Return the values of the logistic function and of the hyperbolic tangent."""
    one, count = 1 << STATE_BITS, 2 * LIMIT << INDEX_BITS
    points = [(index + 0.5) / (1 << INDEX_BITS) - LIMIT for index in range(count)]
    return [round(one / (1 + math.exp(-point))) for point in points], [
        round(one * math.tanh(point)) for point in points
    ]


def recur(sums: Iterable[int], width: int) -> list[list[int]]:
    """Return the states of the units of both directions after each token.

    A vector of sums has the gates of the forward units, those of the backward units, and the inputs of both.
    """
    layout, units = struct.Struct("<" + "2xH" * width), width // 4
    rows = [layout.unpack(total.to_bytes(4 * width, "little")) for total in sums]
    forward = _follow((row[:units], row[2 * units : 3 * units]) for row in rows)
    backward = _follow((row[units : 2 * units], row[3 * units :]) for row in reversed(rows))
    return [a + b for a, b in zip(forward, reversed([*backward]), strict=True)]


def _follow(rows: Iterable[tuple[Sequence[int], Sequence[int]]]) -> Iterator[list[int]]:
    sigmoid, tangent = _find_functions()
    state: list[int] = []
    for gates, inputs in rows:
        state = [
            old + (sigmoid[gate] * (tangent[value] - old) >> STATE_BITS)
            for old, gate, value in zip(state or [0] * len(gates), gates, inputs, strict=False)
        ]
        yield state


def find_highest(states: Iterable[Sequence[int]]) -> list[int]:
    """Return the highest state of each unit."""
    return [max(unit) for unit in zip(*states, strict=True)]


def split_tokens(sentence: Sentence) -> Iterator[Token]:
    """Yield a token that begins a sentence, and those of its words and marks."""
    opening = "<p>" if sentence.pasted else "<s>"
    yield Token(opening, opening, sentence.start, sentence.start)
    if sentence.heading:
        yield Token("<h>", "<h>", sentence.start, sentence.start)
    for found in _TOKEN.finditer(mask_quotations(sentence.text)):
        word = _SYMBOLS.get(found[0][0]) or found[0].replace("'", "").replace("’", "")
        kind = word if word[0] == "<" else find_kind(word)
        yield Token(word.lower(), kind, sentence.start + found.start(), sentence.start + found.end())
