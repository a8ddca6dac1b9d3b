"""Test the network that reads a prompt: its integer arithmetic and its file."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.language.model import load_models
from hookline.language.network import (
    LIMIT,
    MAX_TOKENS,
    STATE_BITS,
    SUM_BITS,
    build_matrix,
    describe_network,
    find_highest,
    pack,
    read_network,
    recur,
    unpack,
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


@given(st.lists(st.integers(-(1 << 31), (1 << 31) - 1), min_size=1, max_size=20))
def test_a_packed_vector_has_its_elements(values):
    assert unpack(pack(values), len(values)) == values


def test_a_matrix_without_a_bias_adds_to_the_sums_of_another():
    first, second = build_matrix([[3, -5]], [7, 0]), build_matrix([[-400, 9]])
    both = build_matrix([[3, -5], [-400, 9]], [7, 0])

    assert first.multiply([11]) + second.multiply([-2]) == both.multiply([11, -2])


@pytest.mark.parametrize("name", ["statements", "ship"])
def test_a_network_survives_its_file(name):
    network = load_models().networks[name]
    weights = write_network(network)
    again, end = read_network(describe_network(network), memoryview(weights).cast("b"))
    prompt = "we use pnpm here, never npm. fix the test"

    assert again.read_prompt(prompt) == network.read_prompt(prompt)
    assert end == len(weights)


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


@given(st.lists(st.lists(STATES, min_size=3, max_size=3), min_size=1))
def test_the_highest_state_is_that_of_each_unit(states):
    highest = find_highest(states)

    assert all(highest[unit] == max(state[unit] for state in states) for unit in range(3))


@pytest.mark.parametrize("prompt", ["", " \n", "> quoted"])
def test_a_prompt_without_words_of_the_person_has_no_sentence(prompt):
    assert load_models().networks["statements"].read_prompt(prompt) == []


def test_only_the_beginning_of_a_very_long_prompt_is_read():
    read = load_models().networks["statements"].read_prompt("we use tabs. " * 300)

    assert sum(len(row.tokens) for row in read) == MAX_TOKENS
    assert all(len(row.tokens) == len(row.states) for row in read)
