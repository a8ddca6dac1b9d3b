"""Test the network that labels words: its integer arithmetic, its file, and the spans of its statements."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.language.classify import find_odds, find_peak, find_spans
from hookline.language.model import load_models
from hookline.language.network import (
    LIMIT,
    STATE_BITS,
    SUM_BITS,
    Network,
    build_matrix,
    describe_network,
    pack,
    read_network,
    recur,
    write_network,
)

WEIGHTS = st.integers(-3000, 3000)
STATES = st.integers(-1024, 1024)


@st.composite
def products(draw):
    width, height = draw(st.integers(1, 20)), draw(st.integers(1, 20))
    rows = draw(st.lists(st.lists(WEIGHTS, min_size=width, max_size=width), min_size=height, max_size=height))
    bias = draw(st.lists(WEIGHTS, min_size=width, max_size=width))
    return rows, bias, draw(st.lists(STATES, min_size=height, max_size=height))


@given(products())
def test_a_product_of_packed_vectors_is_that_of_their_elements(product):
    rows, bias, values = product

    sums = [
        sum(value * row[column] for value, row in zip(values, rows, strict=True))
        + (bias[column] << STATE_BITS)
        for column in range(len(bias))
    ]
    assert build_matrix(rows, bias).score(values) == [total / (1 << SUM_BITS) for total in sums]


def test_a_network_survives_its_file():
    network, words = load_models().network, sorted(load_models().vocabulary)
    weights = memoryview(write_network(network)).cast("b")
    again = read_network(describe_network(network), words, weights)
    prompt = "we use pnpm here, never npm. fix the test"

    assert again.tag(prompt) == network.tag(prompt)


@given(st.lists(st.lists(st.floats(-8, 8), min_size=8, max_size=8), min_size=1, max_size=20))
def test_states_are_those_of_real_numbers(rows):
    offset = LIMIT << SUM_BITS
    sums = [pack([round(value * (1 << SUM_BITS)) + offset for value in row]) for row in rows]
    states = [[value / (1 << STATE_BITS) for value in row] for row in recur(sums, 8)]

    for unit, order in ((0, range(len(rows))), (2, reversed(range(len(rows))))):
        state = 0.0
        for number in order:
            gate = 1 / (1 + math.exp(-rows[number][unit]))
            state += gate * (math.tanh(rows[number][unit + 4]) - state)
            assert states[number][unit] == pytest.approx(state, abs=0.03)


@given(st.lists(st.floats(-9, 9), max_size=40))
def test_spans_are_in_order_and_have_a_positive_sum(odds):
    end = 0
    for start, stop in find_spans(odds):
        assert end <= start < stop <= len(odds)
        assert sum(odds[start:stop]) > 0
        end = stop


def test_a_word_of_another_label_ends_a_span():
    assert [*find_spans([2, 2, -9, 2, -1, 3])] == [(0, 2), (3, 6)]


def test_the_score_of_a_span_is_its_best_part():
    assert find_peak([0, 3, 3, 3, 0]) == 3
    assert find_peak([3]) == 1


@given(st.lists(st.floats(-20, 20), min_size=17, max_size=17))
def test_odds_are_those_of_the_lasting_labels(scores):
    shares = [math.exp(score) for score in scores]

    assert find_odds(scores) == pytest.approx(math.log(sum(shares[-6:]) / sum(shares[:-6])), abs=1e-6)


def test_a_prompt_without_words_has_no_sentence():
    network = load_models().network

    assert isinstance(network, Network)
    assert network.tag("") == ([], -math.inf)
