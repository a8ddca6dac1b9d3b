"""Test the position of an event in its session: spans it starts, spans it ends, and earlier events."""

import pytest

from hookline.core.events import (
    OnBudgetExceeded,
    OnError,
    PostModelCall,
    PostToolUse,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Stop,
    Subagent,
    TurnStart,
)
from hookline.core.metrics import FIGURES, History, classify_error, compute_figures
from hookline.core.outcome import Outcome, Step
from hookline.core.report import build_report, from_json, to_json
from hookline.core.response import Measure
from hookline.core.sink import EndedSpan
from hookline.core.spans import locate_event
from hookline.stores.memory import open_store


@pytest.fixture
def at():
    """Return a function that locates an event in its session."""
    store = open_store("")

    def tell(event, **outcome):
        return locate_event(store, Outcome(event=event, **outcome))

    tell.store = store
    return tell


def call(kind=PreToolUse, at=10.0, **more):
    return kind(session="s", at=at, **{"tool": "Bash", "call": "c", "input": {"command": "ls"}, **more})


def test_a_session_begins_once_and_ends(at):
    first = at(SessionStart(session="s", at=1.0))
    again = at(SessionStart(session="s", at=2.0, source="compact"))
    end = at(SessionEnd(session="s", at=5.0))

    assert (first.run, again.run, end.run) == (1, 1, 1)
    assert end.ended == (EndedSpan(of="session", name="1", began=1.0, at=5.0),)
    assert end.past.seconds == 4.0


def test_a_session_that_is_resumed_is_another_run(at):
    at(SessionStart(session="s", at=1.0))
    at(SessionEnd(session="s", at=5.0))

    assert at(SessionStart(session="s", at=9.0)).run == 2
    assert at(SessionEnd(session="s", at=10.0)).ended == (
        EndedSpan(of="session", name="2", began=9.0, at=10.0),
    )


def test_turns_are_numbered_and_end_with_a_stop_that_is_not_blocked(at):
    turns = [at(TurnStart(session="s", at=1.0)).turn, at(call()).turn]
    blocked = at(Stop(session="s", at=11.0), blocked="go on")
    stopped = at(Stop(session="s", at=12.0))

    assert turns == [1, 1]
    assert blocked.ended == ()
    assert [one for one in stopped.ended if one.of == "turn"] == [
        EndedSpan(of="turn", name="1", began=1.0, at=12.0)
    ]
    assert (stopped.turn, at(call(at=13.0)).turn, at(TurnStart(session="s", at=14.0)).turn) == (1, 0, 2)


@pytest.mark.parametrize("event", [TurnStart, SessionEnd])
def test_a_turn_that_nobody_ended_is_over_when_the_next_thing_begins(at, event):
    at(TurnStart(session="s", at=1.0))

    assert (
        EndedSpan(of="turn", name="1", began=1.0, at=7.0, end_reported=False)
        in at(event(session="s", at=7.0)).ended
    )


def test_a_helper_begins_and_ends_no_turn(at):
    at(TurnStart(session="s", at=1.0))
    helper = {"session": "s", "at": 2.0, "subagent": Subagent(id="h")}

    assert at(TurnStart(**helper)).turn == 1
    assert at(Stop(**helper)).ended == ()


def test_a_call_ends_when_its_tool_ran(at):
    at(call(at=10.0))
    at(call(at=11.0, call="c2"))

    assert at(call(PostToolUse, at=14.0)).ended == (EndedSpan(of="tool", name="c", began=10.0, at=14.0),)
    assert at(call(PostToolUse, at=15.0, call="c2")).past.seconds == 4.0


def test_the_host_knows_better_how_long_a_tool_took(at):
    at(call(at=10.0))

    assert at(call(PostToolUse, at=14.0, duration_ms=500.0)).ended[0].began == 13.5


def test_a_call_without_a_name_is_known_by_what_it_is(at):
    at(call(at=10.0, call=""))

    assert at(call(PostToolUse, at=11.0, call="")).ended[0].began == 10.0
    assert at(call(PostToolUse, at=12.0, call="", input={"command": "pwd"})).ended[0].began == 12.0


def test_a_blocked_call_ends_at_once(at):
    assert at(call(), blocked="no").ended == (EndedSpan(of="tool", name="c", began=10.0, at=10.0),)


def test_a_call_that_a_person_did_not_allow_ends_with_its_turn(at):
    at(TurnStart(session="s", at=1.0))
    at(call(at=2.0), asked="may it?")
    left = EndedSpan(of="tool", name="c", began=2.0, at=3.0, tool="Bash", turn=1, end_reported=False)

    assert left in at(TurnStart(session="s", at=3.0)).ended
    assert left.name not in {one.name for one in at(Stop(session="s", at=4.0)).ended if one.of == "tool"}


def test_a_clock_that_was_set_back_ends_nothing_before_it_began(at):
    at(call(at=10.0))
    (ended,) = at(call(PostToolUse, at=4.0)).ended

    assert (ended.began, ended.at) == (4.0, 4.0)


def test_the_same_call_again_is_a_retry_until_the_turn_ends(at):
    at(TurnStart(session="s", at=1.0))
    made = [at(call(PostToolUse, call=f"c{number}")).past.repeated_calls for number in range(3)]
    at(Stop(session="s", at=2.0))

    assert made == [0, 1, 2]
    assert at(call(PostToolUse)).past.repeated_calls == 0


def test_the_same_error_recurs(at):
    errors = [OnError(session="s", at=1.0, error=text, tool="Bash") for text in ("x", "x", "y")]

    assert [at(error).past.repeated_errors for error in errors] == [0, 1, 0]


def test_tokens_add_up_over_a_session(at):
    for _ in range(2):
        at(PostModelCall(session="s", at=1.0, usage={"input_tokens": 10, "completion_tokens": 3}))
    end = at(SessionEnd(session="s", at=2.0))
    told = compute_figures(Outcome(event=SessionEnd()), end.past)

    assert (told["session.tokens.input"], told["session.tokens.output"]) == (20, 6)


def test_nothing_of_a_session_that_ended_is_left_but_how_many_there_were(at):
    for event in (TurnStart(session="s", at=1.0), call(), OnError(session="s", at=1.0, error="x")):
        at(event)
    at(SessionEnd(session="s", at=9.0))

    assert dict(at.store.counters("s")) == {"telemetry:runs": 1, "telemetry:turns": 1}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Traceback\nFileNotFoundError: gone", "FileNotFoundError"),
        ("npm ERR! code ENOENT", "ENOENT"),
        ("Exit code 127\nsh: x: not found", "exit-127"),
        ("something odd", "other"),
        ("", "other"),
    ],
)
def test_an_error_has_a_class(text, word):
    assert classify_error(text) == word


def told(event, past=None, **outcome):
    return compute_figures(Outcome(event=event, **outcome), past or History(counters={}))


def test_what_a_hook_measured_is_a_figure():
    effects = (
        Measure(name="loop.score", value=0.5),
        Measure(name="mine", value=2),
        Measure(name="x", value=float("nan")),
    )
    known = told(call(PostToolUse), effects=effects)

    assert (known["loop.score"], known["mine"], "x" in known) == (0.5, 2, False)


def test_redactions_are_counted_where_the_output_was_changed():
    step = Step(
        hook="redact-secrets",
        action="modify",
        before={"output": "[redacted:a] and a secret and another"},
        after={"output": "[redacted:a] and [redacted:b] and [redacted]"},
    )

    assert told(call(PostToolUse), trail=(step,))["redactions"] == 2
    assert told(call(PostToolUse))["redactions"] == 0


def test_figures_of_a_budget():
    assert told(OnBudgetExceeded(threshold="time", percent=110.0)) == {
        "budget.threshold": "time",
        "budget.usage": 1.1,
    }


def test_every_figure_has_one_row():
    names = [one.name for one in FIGURES]

    assert len(names) == len(set(names))


def test_what_no_one_can_say_is_told_all_the_same(at):
    odd = "caf\udce9 \ud800 a\x00b\t"
    event = call(tool=odd, call=odd, cwd=odd)
    one = build_report("i", Outcome(event=event), at(event), content=True)

    assert from_json(to_json(one)) == one
    assert at(call(PostToolUse, at=11.0, tool=odd, call=odd)).ended[0].name == one.call
