"""Test when a candidate is better: exact comparison for exact metrics, statistics for noisy ones."""

import random
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from hookline.engine.judge import best, better, judge, mad, p_value, runs_differ


class Metric(Struct, frozen=True, kw_only=True):
    direction: str = "lower"
    min_delta: float = 0.0


LOWER, HIGHER = Metric(), Metric(direction="higher")
NUMBERS = st.floats(min_value=-1e9, max_value=1e9)
METRICS = st.builds(Metric, direction=st.sampled_from(["lower", "higher"]), min_delta=st.floats(0, 10))


def dealt(new, old):
    """Return a function that takes the measurements of each side from its list."""
    sides = {"candidate": iter(new), "incumbent": iter(old)}
    return lambda side: next(sides[side])


@pytest.mark.parametrize(
    ("new", "old", "metric", "status", "reason"),
    [
        (9, 10, LOWER, "keep", "better"),
        (10, 10, LOWER, "discard", "equal is not better"),
        (11, 10, LOWER, "discard", "worse"),
        (11, 10, HIGHER, "keep", "better"),
        (10, 10, HIGHER, "discard", "equal is not better"),
        (9, 10, HIGHER, "discard", "worse"),
        (9.5, 10, Metric(min_delta=1), "discard", "better, but not by more than min_delta (1)"),
        (9, 10, Metric(min_delta=1), "discard", "better, but not by more than min_delta (1)"),
        (8.9, 10, Metric(min_delta=1), "keep", "better"),
    ],
)
def test_an_exact_metric_is_believed(new, old, metric, status, reason):
    found = judge(new, old, metric)

    assert (found.status, found.reason, found.value, found.delta) == (status, reason, new, new - old)
    assert (found.samples, found.mad, found.p_value) == ((new,), None, None)


@given(NUMBERS, NUMBERS, METRICS)
def test_better_is_never_mutual_and_never_equal(a, b, metric):
    assert not (better(a, b, metric) and better(b, a, metric))
    assert not better(a, a, metric)


@given(NUMBERS, NUMBERS, METRICS)
def test_directions_mirror_each_other(a, b, metric):
    other = Metric(
        direction="lower" if metric.direction == "higher" else "higher", min_delta=metric.min_delta
    )

    assert better(a, b, metric) == better(-a, -b, other)


@given(st.lists(NUMBERS, min_size=4, max_size=4), st.lists(NUMBERS, min_size=4, max_size=4), METRICS)
def test_p_is_a_share_of_seventy(new, old, metric):
    p = p_value(new, old, metric)

    assert 1 / 70 <= p <= 1
    assert (p * 70) == pytest.approx(round(p * 70))


@given(st.lists(st.integers(-1000, 1000), min_size=4, max_size=4), st.integers(1, 100))
def test_what_is_always_better_is_as_sure_as_it_can_be(old, gain):
    new = [min(old) - gain - n for n in range(4)]

    assert p_value(new, old, LOWER) == pytest.approx(1 / 70)
    assert p_value(new, old, HIGHER) == 1.0


@given(st.lists(NUMBERS, min_size=4, max_size=4), METRICS)
def test_the_same_runs_are_never_told_apart(runs, metric):
    assert p_value(runs, runs, metric) >= 0.5


def test_p_counts_ties_against_the_candidate():
    assert p_value([1, 1, 1, 1], [1, 1, 1, 1], LOWER) == 1.0


def test_repeats_are_told_with_their_deviation():
    found = judge(9, 10, LOWER, samples=(9, 8, 11))

    assert (found.status, found.samples, found.mad) == ("keep", (9, 8, 11), 1)


def test_a_confirmed_gain_is_kept_with_its_figures():
    found = judge(7, 10, LOWER, remeasure=dealt([8, 8.5, 7.5, 8], [10, 10.5, 9.5, 10]))

    assert (found.status, found.value, found.delta) == ("keep", 8.0, -2.0)
    assert found.samples == (8, 8.5, 7.5, 8)
    assert (found.mad, found.p_value) == (0.25, pytest.approx(1 / 70))
    assert found.reason == "confirmed: p 0.014 in 4 against 4 runs"


def test_a_lucky_run_is_noise():
    found = judge(7, 10, LOWER, remeasure=dealt([10, 9, 11, 10], [10, 10, 9, 11]))

    assert (found.status, found.value, found.delta) == ("discard_noise", 10.0, 0.0)
    assert found.p_value > 0.05


def test_a_sure_gain_below_min_delta_is_noise():
    found = judge(7, 10, Metric(min_delta=1), remeasure=dealt([9.9] * 4, [10.0] * 4))

    assert (found.status, found.reason) == (
        "discard_noise",
        "confirmed with p 0.014, but not by more than min_delta",
    )


def test_what_looks_worse_is_not_run_again():
    def never(side):
        raise AssertionError(side)

    assert judge(11, 10, LOWER, remeasure=never).status == "discard"


def test_a_run_that_fails_now_has_no_metric():
    found = judge(7, 10, LOWER, remeasure=lambda side: None if side == "candidate" else 10.0)

    assert (found.status, found.value, found.delta) == ("metric_error", None, None)


def test_runs_are_interleaved_and_take_turns_in_going_first():
    asked, clock = [], count(100)

    def again(side):
        asked.append(side[0])
        return next(clock) / 1.0

    judge(7, 10, LOWER, remeasure=again)

    assert "".join(asked) == "icciicci"


def test_pure_noise_is_kept_less_often_than_promised():
    rng = random.Random(0)
    kept = sum(
        judge(rng.gauss(0, 1), 0, LOWER, remeasure=lambda side: rng.gauss(0, 1)).status == "keep"
        for _ in range(2000)
    )

    assert kept / 2000 < 0.05


def test_a_real_gain_of_three_deviations_is_mostly_kept():
    rng = random.Random(0)
    kept = sum(
        judge(-3, 0, LOWER, remeasure=lambda side: rng.gauss(-3 if side == "candidate" else 0, 1)).status
        == "keep"
        for _ in range(500)
    )

    assert kept / 500 > 0.9


@pytest.mark.parametrize(
    ("baseline", "is_noisy"), [([], True), ([1.0], True), ([1.0, 1.0], False), ([1.0, 1.1], True)]
)
def test_a_metric_that_says_the_same_twice_is_exact(baseline, is_noisy):
    assert runs_differ(baseline) is is_noisy


@given(st.lists(NUMBERS, min_size=1, max_size=9), NUMBERS)
def test_mad_is_no_less_than_nothing_and_stays_when_all_move(values, by):
    assert mad(values) >= 0
    assert mad([value + by for value in values]) == pytest.approx(mad(values), abs=1e-5)


def test_best_goes_by_the_direction():
    assert (best([3, 1, 2], LOWER), best([3, 1, 2], HIGHER), best([], LOWER)) == (1, 3, None)


def test_the_estimate_is_the_mean_of_pairs_with_its_interval():
    found = judge(7, 10, LOWER, remeasure=dealt([8, 9, 10, 11], [10, 11, 12, 14]))

    assert found.delta == pytest.approx(-2.25)
    assert found.interval == pytest.approx((-2.25 - 3.182 * 0.25, -2.25 + 3.182 * 0.25))


def test_an_exact_metric_is_checked_again_and_loses_its_trust():
    same = judge(9, 10, LOWER, remeasure=dealt([9], [10]), exact=True)
    other = judge(9, 10, LOWER, remeasure=dealt([9, 9, 10, 11, 12], [11, 9, 10, 11, 12]), exact=True)

    assert (same.status, same.varies) == ("keep", False)
    assert (other.status, other.varies) == ("discard_noise", True)
