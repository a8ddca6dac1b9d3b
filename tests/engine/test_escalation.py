"""Test which advice follows which rows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from hookline.engine.escalation import DefaultThresholds, advice, count_failures, has_plateaued

FAILURES = (
    "discard", "discard_noise", "crash", "timeout", "guard_failed", "scope_violation", "metric_error",
    "no_change", "hook_blocked",
)  # fmt: skip


class Row(Struct, frozen=True, kw_only=True):
    status: str
    metric: float | None = None


class Metric(Struct, frozen=True, kw_only=True):
    direction: str = "lower"
    min_delta: float = 0.0


def rows(*statuses):
    return [Row(status=status) for status in statuses]


@pytest.mark.parametrize(
    ("failures", "level"),
    [
        (0, "none"), (2, "none"), (3, "refine"), (4, "refine"), (5, "pivot"), (6, "none"), (8, "refine"),
        (10, "search"), (11, "none"), (14, "refine"), (15, "halt"), (99, "halt"),
    ],
)  # fmt: skip
def test_failures_in_a_row_lead_to(failures, level):
    assert advice(rows("baseline", *["discard"] * failures)).level == level


@pytest.mark.parametrize("status", FAILURES)
def test_every_kind_of_failure_counts(status):
    assert advice(rows("baseline", status, status, status)).level == "refine"


@pytest.mark.parametrize("status", ["superseded", "budget"])
def test_what_is_nobodys_failure_does_not_count(status):
    assert count_failures(rows("baseline", "discard", status, "crash")) == 2


@pytest.mark.parametrize("status", ["keep", "keep_reworked"])
def test_a_keep_begins_anew(status):
    assert advice(rows("baseline", *["discard"] * 14, status, "crash", "crash")).level == "none"


def test_thresholds_are_settings():
    assert advice(rows("discard"), DefaultThresholds(refine=1, pivot=2, search=2, halt=3)).level == "refine"
    assert (
        advice(rows("discard", "discard"), DefaultThresholds(refine=1, pivot=2, search=2, halt=3)).level
        == "pivot"
    )


def test_the_agent_is_told_how_many_and_what_to_do():
    assert advice(rows(*["discard"] * 10)).text.startswith(
        "10 experiments in a row brought no improvement, despite 2 changes of direction. Search:"
    )
    assert advice([]).text == ""


@given(st.lists(st.sampled_from([*FAILURES, "superseded", "budget", "baseline", "keep", "keep_reworked"])))
def test_only_what_came_since_the_last_keep_counts(statuses):
    kept = advice(rows(*statuses, "keep"))

    assert kept.level == "none"
    assert count_failures(rows("keep", *statuses)) == count_failures(rows(*statuses))


def gains(*values):
    return [Row(status="keep", metric=value) for value in values]


@pytest.mark.parametrize(
    ("seen", "window", "is_plateau"),
    [
        (gains(100, 99.99, 99.98, 99.97, 99.96), 4, True),
        (gains(100, 99.99, 99.98, 99.97, 99.96), None, False),
        (gains(100, 90, 80, 70, 60), 4, False),
        (gains(100, 99.99), 4, False),
        ([*gains(100), *[Row(status="discard", metric=120.0)] * 4], 4, True),
        ([*gains(100), *[Row(status="discard", metric=1.0)] * 3, *gains(50)], 4, False),
        ([*gains(100), *[Row(status="superseded", metric=1.0)] * 4], 4, False),
    ],
)
def test_experiments_that_come_to_nothing_are_a_plateau(seen, window, is_plateau):
    assert has_plateaued(seen, Metric(), window=window) is is_plateau
