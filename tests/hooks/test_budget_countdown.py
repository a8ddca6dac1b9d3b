import pytest

from hookline import Budget, State, inject
from hookline.budget import budget_until
from hookline.hooks.budget_countdown import budget_countdown
from hookline.testing import post_tool_use

NOW = 1_000_000.0
EXPIRED = "▲▲▲ BUDGET EXPIRED — COMMIT NOW AND EXIT ▲▲▲"


def with_left(seconds: float) -> State:
    return State(now=NOW, budget=Budget(ends_at=NOW + seconds))


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (754, "BUDGET: 12m remaining"),
        (301, "BUDGET: 5m remaining"),
        (300.9, "▲ BUDGET: 5m0s remaining — wrap up and commit soon"),
        (300, "▲ BUDGET: 5m0s remaining — wrap up and commit soon"),
        (192, "▲ BUDGET: 3m12s remaining — wrap up and commit soon"),
        (121, "▲ BUDGET: 2m1s remaining — wrap up and commit soon"),
        (120, "▲▲▲ BUDGET: 2m0s — STOP EDITING, COMMIT NOW, EXIT ▲▲▲"),
        (1, "▲▲▲ BUDGET: 0m1s — STOP EDITING, COMMIT NOW, EXIT ▲▲▲"),
        (0.9, EXPIRED),
        (0, EXPIRED),
        (-5, EXPIRED),
    ],
)
def test_grows_louder_as_time_runs_out(left, said):
    assert budget_countdown(post_tool_use(), with_left(left)) == inject(said)


def test_speaks_after_a_failed_tool_too():
    assert budget_countdown(post_tool_use(success=False), with_left(0)) == inject(EXPIRED)


def test_is_silent_without_a_budget():
    assert budget_countdown(post_tool_use(), State(now=NOW)) is None


def test_tiers_are_settings():
    answer = budget_countdown.judge(post_tool_use(), with_left(400), wrap_up=600)

    assert answer == inject("▲ BUDGET: 6m40s remaining — wrap up and commit soon")


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("1000754", Budget(ends_at=1_000_754.0)),
        ("1000754.5", Budget(ends_at=1_000_754.5)),
        ("", Budget()),
        (" ", Budget()),
        ("0", Budget()),
        ("soon", Budget(unreadable="soon")),
        ("nan", Budget(unreadable="nan")),
        ("inf", Budget(unreadable="inf")),
        ("x" * 99, Budget(unreadable="x" * 40)),
    ],
)
def test_an_end_is_read_from_the_environment(text, budget):
    assert budget_until(text) == budget


def test_an_unreadable_end_is_said_once_and_to_the_user():
    state = State(now=NOW, budget=Budget(unreadable="soon"))
    answer = budget_countdown(post_tool_use(), state)

    assert answer.context == ()
    assert "'soon'" in answer.warnings[0]
    assert (
        budget_countdown(post_tool_use(), State(now=NOW, budget=state.budget, memory=answer.memory)) is None
    )
