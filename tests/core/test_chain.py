"""Test the rules of the chain (DESIGN §5) with tables and properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline import (
    PostToolUse,
    PreToolUse,
    Response,
    SessionStart,
    State,
    Stop,
    TurnEnd,
    UserPromptSubmit,
    allow,
    ask,
    block,
    effect,
    inject,
    modify,
    passed,
    remember,
    warn,
)
from hookline.core.chain import RunOptions, lift_repeated_block, merge_outcomes, run, truncate_texts
from hookline.core.events import EVENTS, Event, PermissionRequest
from hookline.core.frozen import freeze
from hookline.core.hook import Hook
from hookline.core.kind import HookFailed
from hookline.core.outcome import Outcome
from hookline.core.response import Count
from hookline.core.values import replace
from hookline.testing import any_event, post_tool_use, pre_tool_use

NOW = State(now=1_000_000.0)


def saying(answer, name="a", **values):
    """Return a hook that always gives *answer*, or raises it if it is an exception."""

    def judge(event, state):
        if isinstance(answer, Exception):
            raise answer
        return answer(event) if callable(answer) else answer

    return Hook(name=name, judge=judge, **{"on": (Event,), **values})


def judged(*hooks, event=None, how=None):
    return run(event or pre_tool_use(), NOW, hooks, how or RunOptions())


def said(outcome):
    return [(step.hook, step.action) for step in outcome.trail]


def test_lowest_priority_runs_first_and_ties_keep_their_order():
    hooks = [saying(None, name, priority=place) for name, place in [("c", 9), ("a", 1), ("d", 9), ("b", 1)]]

    assert [hook for hook, _ in said(judged(*hooks))] == ["a", "b", "c", "d"]


def test_a_place_may_differ_by_event():
    early = saying(None, "early", priority=90, priorities={PreToolUse: 5})
    usual = saying(None, "usual", priority=50)

    assert [hook for hook, _ in said(judged(usual, early))] == ["early", "usual"]
    assert [hook for hook, _ in said(judged(usual, early, event=post_tool_use()))] == ["usual", "early"]


def test_only_who_listens_is_asked():
    assert said(judged(saying(None, on=(PostToolUse,)))) == []


def test_a_block_ends_the_chain_and_observers_still_run():
    watcher = saying(None, "w", nature="observer", priority=99)
    outcome = judged(saying(block("no"), "b", priority=1), saying(inject("late"), "i", priority=2), watcher)

    assert outcome.blocked == "no"
    assert outcome.context == ()
    assert said(outcome) == [("b", "block"), ("i", "skipped"), ("w", "pass")]


def test_a_block_after_a_tool_does_not_silence_redaction_or_countdown():
    redactor = saying(modify(output="[redacted]"), "redact", priority=30)
    outcome = judged(
        saying(block("look again"), "b", priority=1),
        redactor,
        saying(inject("BUDGET: 3m remaining"), "countdown", priority=90),
        event=post_tool_use(),
    )

    assert outcome.blocked == "look again"
    assert outcome.event.output == "[redacted]"
    assert outcome.context == ("BUDGET: 3m remaining",)


def test_feedback_of_several_is_all_kept():
    outcome = judged(saying(block("one"), "a"), saying(block("two"), "b"), event=post_tool_use())

    assert outcome.blocked == "one\ntwo"


def test_an_observer_can_change_nothing_and_it_is_said():
    answer = block("no").plus(inject("read me", replace=True)).plus(modify(input={"command": "rm"}))
    outcome = judged(saying(answer, "w", nature="observer"))

    assert (outcome.blocked, outcome.context, outcome.event) == (None, (), pre_tool_use())
    assert "observer" in outcome.warnings[0]


def test_an_observer_cannot_take_context_away():
    eraser = saying(Response(replace_context=True), "w", nature="observer", priority=99)
    outcome = judged(saying(inject("BUDGET: 3m"), "countdown"), eraser)

    assert outcome.context == ("BUDGET: 3m",)
    assert "observer" in outcome.warnings[0]


def test_a_change_is_made_in_the_hosts_own_payload_too():
    """Check that a guard that reads the native payload sees the changed input."""
    native = freeze({"x": 1, "deep": {"in": {"command": "ls"}}})
    sent = pre_tool_use("ls", native=native, native_paths={"input": "deep.in"})
    outcome = judged(saying(modify(input={"command": "rm"}), "changer"), event=sent)

    assert outcome.event.native == {"x": 1, "deep": {"in": {"command": "rm"}}}


def test_an_allow_of_a_changed_call_does_not_allow_the_unchanged_one():
    answer = allow("fine so").plus(modify(input={"command": "ls"}))
    outcome = judged(saying(answer, "h"), event=any_event(PermissionRequest))

    assert outcome.allowed is None
    assert "cannot change" in outcome.warnings[0]


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("even this")


@pytest.mark.parametrize(
    "answer",
    [
        Unspeakable(),
        Response(verdict="deny"),
        Response(context="hello"),
        Response(context=(1,)),
        Response(warnings="x"),
        Response(reason=None),
        Response(effects=("x",)),
        Response(memory={"x": object()}),
        Response(changes={"input": object()}),
    ],
    ids=range(9),
)
def test_an_answer_of_a_wrong_shape_is_a_failure_that_is_named(answer):
    outcome = judged(saying(answer, "odd"), saying(block("still judged"), "guard", priority=99))

    assert outcome.blocked == "still judged"
    assert any("'odd'" in warning for warning in outcome.warnings)


def test_a_change_flows_on_to_the_next_hook():
    changer = saying(modify(input={"command": "ls"}), "changer", priority=1)
    seen = []
    judged(changer, saying(lambda event: seen.append(event.command), "later", priority=2))

    assert seen == ["ls"]


def guard(event):
    return block("dangerous") if "rm" in (event.command or "") else None


def test_a_change_behind_the_guards_back_is_judged_again():
    smuggler = saying(modify(input={"command": "rm -rf /"}), "smuggler", priority=50)
    outcome = judged(saying(guard, "guard", priority=10), smuggler)

    assert outcome.blocked == "dangerous"
    assert said(outcome) == [("guard", "pass"), ("smuggler", "modify"), ("guard", "block")]


def test_a_hook_that_always_appends_is_not_run_in_circles():
    prefixing = saying(
        lambda event: modify(input={"command": f"x {event.command}"}), "prefixing", priority=50
    )
    outcome = judged(saying(guard, "guard", priority=10), prefixing)

    assert outcome.blocked is None
    assert outcome.event.command == "x echo hi"


def test_built_ins_that_keep_changing_an_input_stop_it():
    growing = [
        saying(lambda event: modify(input={"command": f"{event.command}!"}), name, source="built-in")
        for name in ("a", "b")
    ]

    assert "was not judged" in judged(*growing).blocked


def test_an_event_cannot_be_changed_in_place():
    def smuggle(event):
        event.input["command"] = "rm -rf /"

    outcome = judged(saying(smuggle, "smuggler"))

    assert outcome.event == pre_tool_use()
    assert "return modify" in outcome.warnings[0]


@pytest.mark.parametrize(
    ("answers", "verdict"),
    [
        ([allow("a"), ask("b"), block("c")], "block"),
        ([ask("b"), allow("a")], "ask"),
        ([allow("a"), passed()], "allow"),
        ([passed(), None], "pass"),
    ],
)
def test_block_beats_ask_beats_allow(answers, verdict):
    hooks = [saying(answer, f"h{n}", priority=n) for n, answer in enumerate(answers)]

    assert judged(*hooks).verdict == verdict


def test_ask_and_allow_never_end_the_chain():
    assert judged(saying(ask("b"), "a", priority=1), saying(inject("c"), "b", priority=2)).context == ("c",)


def test_context_accumulates_in_order_and_can_be_replaced():
    one, two = saying(inject("one"), "a", priority=1), saying(inject("two"), "b", priority=2)
    three = saying(inject("three", replace=True), "c", priority=3)

    assert judged(two, one).context == ("one", "two")
    assert judged(one, two, three).context == ("three",)


@pytest.mark.parametrize(
    ("answer", "how"),
    [
        (ValueError("boom"), "failed: ValueError: boom"),
        (TimeoutError(), "timed out after"),
        (HookFailed("ended with exit code 7"), "ended with exit code 7"),
        ("a word", "returned str"),
    ],
)
def test_a_hook_that_does_not_answer_passes_aloud(answer, how):
    outcome = judged(saying(answer, "broken"), saying(inject("still here"), "next"))

    assert outcome.blocked is None
    assert outcome.context == ("still here",)
    assert "'broken'" in outcome.warnings[0]
    assert how in outcome.warnings[0]


@pytest.mark.parametrize(
    ("error", "settings", "blocks"),
    [
        (ValueError("x"), {"on_failure": "block"}, True),
        (ValueError("x"), {"on_timeout": "block"}, False),
        (TimeoutError(), {"on_failure": "block"}, True),
        (TimeoutError(), {"on_failure": "block", "on_timeout": "warn"}, False),
        (TimeoutError(), {"on_timeout": "block"}, True),
        (TimeoutError(), {}, False),
    ],
)
def test_a_hook_may_be_set_to_block_when_it_fails(error, settings, blocks):
    outcome = judged(saying(error, "strict", **settings))

    assert (outcome.blocked is not None) is blocks
    assert blocks or "'strict'" in outcome.warnings[0]


def test_failing_closed_cannot_block_what_cannot_be_blocked():
    outcome = judged(saying(ValueError("x"), "strict", on_failure="block"), event=any_event(SessionStart))

    assert outcome.blocked is None
    assert "'strict'" in outcome.warnings[0]


def test_what_a_failed_hook_said_besides_still_counts():
    error = HookFailed("ended with exit code 1")
    error.response = inject("mend the tests").plus(warn("mind"))
    outcome = judged(saying(error, "gate"))

    assert outcome.context == ("mend the tests",)
    assert "mind" in outcome.warnings


def ticking(seconds):
    """Return a clock that advances by *seconds* with each call."""
    times = iter(range(0, 100_000, seconds))
    return lambda: float(next(times))


def test_one_deadline_holds_for_the_whole_answer():
    hooks = [saying(inject(f"c{n}"), f"h{n}", priority=n) for n in range(4)]
    outcome = judged(*hooks, how=RunOptions(clock=ticking(1), deadline=4.0))

    assert outcome.context == ("c0", "c1")
    assert [word for _, word in said(outcome)] == ["inject", "inject", "timed-out", "timed-out"]
    assert "'h3' did not run: no time was left for the answer" in outcome.warnings[-1]


def test_a_hook_gets_no_more_than_is_left():
    limits = []
    how = RunOptions(call=lambda hook, event, state, limit: limits.append(limit), deadline=3.0)
    judged(saying(None, "a"), saying(None, "b", timeout=1.0), event=any_event(Stop), how=how)

    assert limits == [3.0, 1.0]


def test_a_built_in_that_overruns_is_reported():
    outcome = judged(saying(None, "slow", source="built-in"), how=RunOptions(clock=ticking(2)))

    assert "'slow' took 2.0 s" in outcome.warnings[0]


@pytest.mark.parametrize("event", EVENTS.values(), ids=list(EVENTS))
def test_a_verdict_that_an_event_does_not_take_is_said(event):
    for response in (block("why"), ask("why"), allow("why")):
        outcome = judged(saying(response, "h"), event=any_event(event))
        heard = response.verdict == outcome.verdict

        assert heard is (response.verdict in event.abilities)
        assert heard or any(
            f"cannot {response.verdict} at" in text and "why" in text for text in outcome.warnings
        )


@pytest.mark.parametrize(
    ("event", "changes"),
    [
        (pre_tool_use(), {"output": "x"}),
        (pre_tool_use(), {"tool": "Read"}),
        (pre_tool_use(), {"input": "rm -rf /"}),
        (post_tool_use(), {"input": {}}),
        (any_event(Stop), {"again": True}),
    ],
)
def test_only_what_the_event_lets_change_changes(event, changes):
    outcome = judged(saying(modify(**changes), "h"), event=event)

    assert outcome.event == event
    assert "cannot change" in outcome.warnings[0]


def test_every_block_and_change_is_in_the_trail():
    changer = saying(modify(input={"command": "ls"}, rule="tidy", reason="shorter"), "changer", priority=1)
    outcome = judged(changer, saying(block("no", rule="never", span=(0, 2)), "b", priority=2))
    change, stop = outcome.trail[:2]

    assert (change.rule, change.reason) == ("changer:tidy", "shorter")
    assert change.before == {"input": {"command": "echo hi"}}
    assert change.after == {"input": {"command": "ls"}}
    assert (stop.rule, stop.span) == ("b:never", (0, 2))
    assert outcome.blocked == "no [b:never]"
    assert outcome.rules == ("changer:tidy", "b:never")


def test_effects_and_memory_are_collected():
    outcome = judged(
        saying(effect(Count(name="x")).plus(remember(a=1, b=1)), "one", priority=1),
        saying(remember(b=2), "two", priority=2),
    )

    assert outcome.effects == (Count(name="x"),)
    assert outcome.memory == {"a": 1, "b": 2}


@pytest.mark.parametrize(("strikes", "stands"), [(1, True), (2, True), (3, False), (4, False)])
def test_the_third_strike_lets_go_aloud(strikes, stands):
    outcome = lift_repeated_block(
        Outcome(event=any_event(TurnEnd), blocked="run the tests"), strikes, 3, "too often"
    )

    assert (outcome.blocked is not None) is stands
    assert outcome.capped is not stands
    assert stands or "run the tests" in outcome.warnings[0]


def test_outcomes_of_one_payload_merge_in_order():
    first = Outcome(event=any_event(UserPromptSubmit), context=("a",), warnings=("x",))
    second = Outcome(event=any_event(Stop), context=("b",), warnings=("x", "y"), blocked="no")
    whole = merge_outcomes([first, second], UserPromptSubmit)

    assert isinstance(whole.event, UserPromptSubmit)
    assert (whole.context, whole.warnings, whole.blocked) == (("a", "b"), ("x", "y"), "no")


@pytest.mark.parametrize(("length", "cut_short"), [(100, False), (101, True)])
def test_context_is_capped_aloud(length, cut_short):
    kept = truncate_texts(["x" * 60, "y" * (length - 60)], 100)

    assert sum(map(len, kept)) <= 100
    assert ("truncated" in kept[-1]) is cut_short


@given(st.lists(st.text(), max_size=8), st.integers(min_value=0, max_value=500))
def test_whatever_is_cut_stays_within_the_cap(texts, cap):
    kept = truncate_texts(texts, cap)

    assert sum(map(len, kept)) <= cap
    assert kept == tuple(texts) or cap < 70 or "truncated" in kept[-1]


texts = st.text(min_size=1, max_size=5)
responses = st.one_of(
    st.none(),
    st.builds(inject, texts),
    st.builds(block, texts),
    st.builds(ask, texts),
    st.builds(allow, texts),
    st.builds(warn, texts),
    st.builds(lambda command: modify(input={"command": command}), texts),
    st.builds(lambda value: modify(output=value), texts),
    st.builds(lambda text: inject(text, replace=True), texts),
    st.builds(lambda a, b: block(a).plus(inject(b)), texts, texts),
    st.sampled_from([ValueError("x"), TimeoutError(), HookFailed("died"), 42]),
)
placed = st.tuples(responses, st.integers(0, 3), st.sampled_from(["policy", "advice", "observer"]))


@given(st.lists(placed, max_size=7), st.sampled_from(list(EVENTS.values())))
def test_any_sequence_of_responses_obeys_the_rules(rows, kind):
    event = any_event(kind)
    hooks = [
        saying(answer, f"h{n}", priority=place, nature=nature)
        for n, (answer, place, nature) in enumerate(rows)
    ]
    outcome = judged(*hooks, event=event)
    first = {step.hook: step for step in reversed(outcome.trail)}

    assert set(first) == {hook.name for hook in hooks}
    _blocks_only_where_it_may(outcome, hooks, first)
    _observers_change_nothing(outcome, hooks)
    _nothing_after_a_block_but_observers(outcome, hooks)
    _failures_are_named(outcome, hooks, rows)


def _blocks_only_where_it_may(outcome, hooks, first):
    assert outcome.verdict == "pass" or outcome.verdict in outcome.event.abilities
    spoke = [hook for hook in hooks if first[hook.name].action == "block"]
    assert (outcome.blocked is not None) is bool(spoke)


def _observers_change_nothing(outcome, hooks):
    without = judged(*(hook for hook in hooks if not hook.observer), event=_original(outcome))
    assert (without.event, without.verdict, without.context) == (
        outcome.event,
        outcome.verdict,
        outcome.context,
    )


def _nothing_after_a_block_but_observers(outcome, hooks):
    observers = {hook.name for hook in hooks if hook.observer}
    words = [(step.action, step.hook in observers) for step in outcome.trail]
    if outcome.ended:
        after = words[[word for word, _ in words].index("block") + 1 :]
        assert all(word == "skipped" or observing for word, observing in after)


def _failures_are_named(outcome, hooks, rows):
    for hook, (answer, _, _) in zip(hooks, rows, strict=True):
        ran = any(step.hook == hook.name and step.action != "skipped" for step in outcome.trail)
        if ran and not (answer is None or isinstance(answer, Response)):
            assert any(repr(hook.name) in warning for warning in outcome.warnings)


def _original(outcome):
    return any_event(type(outcome.event))


def test_builders_refuse_what_says_nothing():
    for build in (inject, lambda: inject(""), lambda: block(""), modify, lambda: warn(3)):
        with pytest.raises(TypeError):
            build()


def test_a_response_is_frozen():
    with pytest.raises(AttributeError):
        inject("x").context = ()
    assert replace(inject("x"), reason="y").reason == "y"
