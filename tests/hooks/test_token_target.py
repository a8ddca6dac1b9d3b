"""Test token targets with tables: continuation, completion and its reason, and targets in prompts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.hooks._token_budget import (
    Completion,
    Decision,
    Tracker,
    decide_continuation,
    parse_prompt_target,
    round_percent,
)

BUDGET = 10_000
TRACKER = Tracker(started_at=100.0)


def checked(*totals, budget=BUDGET, agent=""):
    """Return the decisions of successive checks."""
    tracker, decisions = TRACKER, []
    for total in totals:
        decisions.append(decide_continuation(tracker, agent, budget, total, 160.5))
        tracker = decisions[-1].tracker
    return decisions


def completion(count, pct, tokens, *, diminishing):
    return Completion(
        count=count, pct=pct, tokens=tokens, budget=BUDGET, diminishing=diminishing, duration_ms=60_500
    )


@pytest.mark.parametrize(
    ("totals", "goes_on", "end"),
    [
        ((1000, 1500, 1800, 2000), 3, completion(3, 20, 2000, diminishing=True)),
        ((100, 200, 300, 900, 1000, 1100), 5, completion(5, 11, 1100, diminishing=True)),
        ((5000, 9000), 1, completion(1, 90, 9000, diminishing=False)),
        ((9000,), 0, None),
        ((0, 0, 0, 0), 3, completion(3, 0, 0, diminishing=True)),
        ((9500,), 0, None),
        ((8999, 9000), 1, completion(1, 90, 9000, diminishing=False)),
    ],
)
def test_goes_on_so_often_and_ends_so(totals, goes_on, end):
    decisions = checked(*totals)

    assert [one.continues for one in decisions] == [True] * goes_on + [False]
    assert decisions[-1].completion == end
    assert decisions[-1].tracker == (decisions[-2].tracker if goes_on else TRACKER)


def test_just_below_ninety_percent_goes_on_and_is_shown_as_ninety():
    assert checked(8999) == [
        Decision(
            continues=True,
            tracker=Tracker(count=1, last_delta=8999, last_total=8999, started_at=100.0),
            pct=90,
        )
    ]


@pytest.mark.parametrize("budget", [None, 0, -1])
def test_without_a_budget_it_ends_and_says_nothing(budget):
    assert checked(100, budget=budget) == [Decision(continues=False, tracker=TRACKER)]


def test_a_helper_never_goes_on():
    assert checked(100, agent="a1") == [Decision(continues=False, tracker=TRACKER)]


@pytest.mark.parametrize(
    ("count", "delta", "last", "diminishing"),
    [
        (3, 499, 499, True),
        (3, 500, 499, False),
        (3, 499, 500, False),
        (2, 499, 499, False),
        (4, -1, 0, True),
    ],
)
def test_little_comes_of_it_from_three_continuations_on_with_two_gains_below_500(
    count, delta, last, diminishing
):
    tracker = Tracker(count=count, last_delta=last, last_total=1000, started_at=100.0)
    decision = decide_continuation(tracker, "", BUDGET, 1000 + delta, 160.5)

    assert decision.continues is not diminishing


@pytest.mark.parametrize(
    ("part", "whole", "shown"), [(1, 200, 1), (1, 201, 0), (3, 200, 2), (149, 10_000, 1), (150, 10_000, 2)]
)
def test_a_half_is_rounded_upwards(part, whole, shown):
    assert round_percent(part, whole) == shown


@pytest.mark.parametrize(
    ("prompt", "target"),
    [
        ("+500k", 500_000),
        ("  +500K do it", 500_000),
        ("+1.5b", 1_500_000_000),
        ("+500kb", 0),
        ("+500", 0),
        ("+.5m", 0),
        ("do it +2m", 2_000_000),
        ("do it +2m.", 2_000_000),
        ("a +1k b +2k", 2_000),
        ("please use 2m tokens +500k", 500_000),
        ("do it +2m please", 0),
        ("do it+2m", 0),
        ("do it +2m!!", 0),
        ("use 100k tokens", 100_000),
        ("spend 2M token now", 2_000_000),
        ("use 500 tokens", 0),
        ("reuse 100k tokens", 0),
        ("+0k", 0),
        ("+1k then +2k", 1_000),
        ("do it\n+2m\n", 2_000_000),
        ("USE 1.25k Tokens", 1_250),
        ("use 2m tokens and spend 3m tokens", 2_000_000),
        ("", 0),
        ("+" + "9" * 400 + "k", 0),
    ],
)
def test_a_prompt_asks_for(prompt, target):
    assert parse_prompt_target(prompt) == target


@given(st.text(alphabet="+0123456789.kmb use tokens\n"))
def test_any_prompt_has_a_target_or_none(prompt):
    assert parse_prompt_target(prompt) >= 0


@given(st.lists(st.integers(0, 20_000), max_size=40), st.integers(1, 20_000))
def test_whatever_is_spent_a_turn_without_gain_ends(totals, budget):
    decisions = checked(*totals, *[sum(totals)] * 6, budget=budget)

    assert not decisions[-1].continues
