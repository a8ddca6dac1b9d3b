"""Test token-budget: a turn continues until its token target is spent or progress is small."""

import json
from itertools import pairwise

import pytest

from hookline import Budget, State, block, remember, warn
from hookline.core.events import PostModelCall, Subagent
from hookline.core.frozen import freeze
from hookline.core.hook import configure
from hookline.core.state import Facts
from hookline.core.store import Query
from hookline.core.usage import Usage
from hookline.core.values import replace
from hookline.hooks import load as built_in
from hookline.hooks.token_budget import parse_target, token_budget
from hookline.runtime.runtime import Runtime
from hookline.testing import any_event, stop, user_prompt_submit

HELPER = Subagent(id="a1", type="explorer")
NUDGE = "Keep working on the task; do not summarise, and do not ask whether to continue."


def state(spent=None, *, env=None, **memory):
    known = {f"token-{name}": value for name, value in memory.items()}
    facts = Facts({"usage": lambda: Usage(turn_output=spent)})
    return State(now=1_060.5, env=env or {}, memory=known, facts=facts)


def test_a_prompt_without_a_target_is_remembered_by_nobody():
    assert token_budget(user_prompt_submit("do it"), state()) is None


def test_a_target_belongs_to_the_turn_of_its_prompt():
    begun = token_budget(user_prompt_submit("do it +20k"), state())
    next_one = token_budget(user_prompt_submit("and that"), state(budget={"target": 20_000}))
    another = token_budget(user_prompt_submit("and that"), state(budget={}))

    assert begun == remember(**{"token-budget": {"target": 20_000, "started_at": 1_060.5}})
    assert next_one == remember(**{"token-budget": {}})
    assert another is None


def test_below_the_target_the_turn_goes_on_with_a_nudge():
    said = token_budget(stop(), state(4_321, budget={"target": 20_000, "started_at": 1_000.0}))
    reason = f"22 % of the token target is spent (4,321 of 20,000). {NUDGE}"
    kept = {"target": 20_000, "started_at": 1_000.0, "count": 1, "last_delta": 4_321, "last_total": 4_321}

    assert said == block(reason, rule="continue").plus(remember(**{"token-budget": kept}))


@pytest.mark.parametrize(
    ("tracked", "spent", "told", "diminishing"),
    [
        ({"count": 1, "last_total": 5_000, "last_delta": 5_000}, 18_000, "the target is reached", False),
        ({"count": 3, "last_total": 900, "last_delta": 100}, 1_000, "the last steps brought little", True),
    ],
)
def test_the_end_says_why_to_the_user_and_in_the_trail(tracked, spent, told, diminishing):
    kept = {"target": 20_000, "started_at": 1_000.0, **tracked}
    said = token_budget(stop(), state(spent, budget=kept))
    pct, times = (90, "once") if spent == 18_000 else (5, "3 times")
    noted = json.loads(said.note.removeprefix("completion "))

    assert {one.name: one.value for one in said.effects} == {
        "target.continuations": tracked["count"],
        "target.usage": pct / 100,
        "target.tokens": spent,
        "target.budget": 20_000,
        "target.diminishing": diminishing,
        "target.duration": 60.5,
    }
    assert replace(said, effects=()) == replace(
        warn(
            f"token target: ended at {pct} % ({spent:,} of 20,000 tokens), because {told}; "
            f"the turn was continued {times}, in 60.5 s"
        ),
        rule="completion",
    )
    assert noted == {
        "count": tracked["count"],
        "pct": pct,
        "tokens": spent,
        "budget": 20_000,
        "diminishing": diminishing,
        "duration_ms": 60_500,
    }


@pytest.mark.parametrize(
    ("ends_at", "spent", "said"),
    [
        (
            1_060.4,
            4_000,
            "token target: ended at 20 % (4,000 of 20,000 tokens), because the time budget has expired",
        ),
        (
            1_060.5,
            17_999,
            "token target: ended at 90 % (17,999 of 20,000 tokens), because the time budget has expired",
        ),
        (1_060.5, 18_000, None),
    ],
)
def test_a_turn_whose_time_is_over_is_not_made_to_go_on(ends_at, spent, said):
    late = replace(state(spent, budget={"target": 20_000}), budget=Budget(ends_at=ends_at))

    assert token_budget(stop(), late) == (said and warn(said))
    assert token_budget(stop(), replace(late, budget=Budget(ends_at=1_060.6))) == token_budget(
        stop(), replace(late, budget=Budget())
    )


def test_a_target_below_none_is_none():
    assert configure(token_budget, {"target": -5})(stop(), state(10)) is None


def test_a_turn_that_spent_enough_by_itself_says_nothing():
    assert token_budget(stop(), state(18_000, budget={"target": 20_000})) is None


@pytest.mark.parametrize(
    ("prompt", "env", "setting", "target"),
    [
        (5_000, "6000", 7_000, 5_000),
        (0, "6000", 7_000, 6_000),
        (0, "6k", 7_000, 6_000),
        (0, "", 7_000, 7_000),
        (0, "nonsense", 7_000, 7_000),
        (0, "0", 0, None),
        (0, "", 0, None),
    ],
)
def test_the_prompt_counts_before_the_engine_and_the_engine_before_the_setting(prompt, env, setting, target):
    given = state(10, env={"HOOKLINE_TOKEN_TARGET": env}, budget={"target": prompt})
    said = configure(token_budget, {"target": setting})(stop(), given)

    assert (f"(10 of {target:,})" in said.reason) if target else said is None


@pytest.mark.parametrize(
    ("text", "target"), [("500000", 500_000), ("1.5m", 1_500_000), ("", 0), ("-5", 0), ("٥", 0), ("5 kb", 0)]
)
def test_an_engine_gives_a_number_or_what_a_prompt_would_say(text, target):
    assert parse_target(text) == target


@pytest.mark.parametrize("event", [stop(subagent=HELPER), user_prompt_submit("+20k", subagent=HELPER)])
def test_a_helper_has_no_target(event):
    assert token_budget(event, state(10, budget={"target": 20_000})) is None


def test_where_nobody_tells_what_was_spent_nothing_goes_on_and_the_user_is_told_once():
    first = token_budget(stop(), state(None, budget={"target": 20_000}))
    second = token_budget(stop(), state(None, budget={"target": 20_000, "uncounted": True}))

    assert first.verdict == "pass"
    assert "claude-code has not reported the tokens used" in first.warnings[0]
    assert second is None


def played(spent, prompt="do it +10k"):
    """Play a turn that has used the totals *spent* at each end; return the outcomes and the records."""
    runtime = Runtime()
    for name in ("audit", "token-budget"):
        runtime.register(built_in(name))
    runtime.fire_now(user_prompt_submit(prompt, host=""))
    ends = []
    for before, total in pairwise((0, *spent)):
        usage = freeze({"input_tokens": 7, "output_tokens": total - before})
        runtime.fire_now(any_event(PostModelCall, usage=usage, host=""))
        ends.append(runtime.fire_now(stop(host="")))
    return ends, [row for _, row in runtime.store.records(Query(session="s-1", event="Stop"))]


@pytest.mark.parametrize(
    ("spent", "goes_on", "end"),
    [
        ((1000, 1500, 1800, 2000), 3, "ended at 20 %"),
        ((100, 200, 300, 900, 1000, 1100), 5, "ended at 11 %"),
        ((5000, 9000), 1, "ended at 90 %"),
        ((9000,), 0, ""),
        ((8999,), 1, ""),
        ((0, 0, 0, 0), 3, "ended at 0 %"),
    ],
)
def test_a_session_goes_on_and_ends_by_the_table(spent, goes_on, end):
    ends, rows = played(spent)

    assert [one.blocked is not None for one in ends] == [n < goes_on for n in range(len(spent))]
    assert end in " ".join(ends[-1].warnings)
    assert ("token-budget:completion" in rows[-1].rules) == bool(end)


def test_a_target_that_the_cap_cuts_short_ends_as_capped():
    ends, rows = played([1_000 * n for n in range(1, 9)], prompt="+900k do it")

    assert [one.blocked is not None for one in ends] == [True] * 7 + [False]
    assert "capped: hooks have continued this turn 7 times" in ends[-1].warnings[-1]
    assert [step["said"] for step in rows[-1].trail if step["hook"] == "hookline"] == ["capped"]
