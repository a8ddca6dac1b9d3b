"""Test the exact order of events in each scenario."""

import pytest
from tests.loop.scripted_turn import Played, calls, says

from hookline import allow, ask, block, inject, modify
from hookline.core.values import replace
from hookline.loop import ToolCall

START = ["SessionStart", "UserPromptSubmit", "TurnStart"]
MODEL = ["PreModelCall", "PostModelCall"]
LOOK = ["PreToolUse look", "PostToolUse look"]
FAIL = ["PreToolUse fail", "PostToolUse fail", "OnError fail"]
END = ["TurnEnd", "Stop"]
OVER = ["SessionEnd"]


def used(tokens):
    """Return an answer that calls `look`, with *tokens* thousandths of the context in use."""
    usage = {"input_tokens": tokens * 180 - 10, "output_tokens": 10}
    return replace(calls("look"), model="claude-sonnet-4-5", usage=usage)


SCENARIOS = {
    "words": ([says("hi")], {}, {}, [*START, *MODEL, *END, *OVER], "done"),
    "a tool": ([calls("look"), says("hi")], {}, {}, [*START, *MODEL, *LOOK, *MODEL, *END, *OVER], "done"),
    "a tool that fails": (
        [calls("fail"), says("hi")], {}, {}, [*START, *MODEL, *FAIL, *MODEL, *END, *OVER], "done",
    ),
    "a tool that there is not": (
        [calls("nothing"), says("hi")], {}, {},
        [*START, *MODEL, "OnError nothing", *MODEL, *END, *OVER], "done",
    ),
    "a tool that is blocked": (
        [calls("look"), says("hi")], {"PreToolUse": [block("no")]}, {},
        [*START, *MODEL, "PreToolUse look", *MODEL, *END, *OVER], "done",
    ),
    "a question that nobody is there to answer": (
        [calls("look"), says("hi")], {"PreToolUse": [ask("sure?")]}, {},
        [*START, *MODEL, "PreToolUse look", "PermissionRequest look", *MODEL, *END, *OVER], "done",
    ),
    "a question that a hook answers with yes": (
        [calls("look"), says("hi")], {"PreToolUse": [ask("sure?")], "PermissionRequest": [allow()]}, {},
        [
            *START, *MODEL, "PreToolUse look", "PermissionRequest look", "PostToolUse look",
            *MODEL, *END, *OVER,
        ],
        "done",
    ),
    "a question that a hook answers with no": (
        [calls("look"), says("hi")], {"PreToolUse": [ask("sure?")], "PermissionRequest": [block("no")]},
        {"ask": lambda question: True},
        [*START, *MODEL, "PreToolUse look", "PermissionRequest look", *MODEL, *END, *OVER], "done",
    ),
    "a question that a person answers with yes": (
        [calls("look"), says("hi")], {"PreToolUse": [ask("sure?")]}, {"ask": lambda question: True},
        [
            *START, *MODEL, "PreToolUse look", "PermissionRequest look", "Notification", "PostToolUse look",
            *MODEL, *END, *OVER,
        ],
        "done",
    ),
    "a question that a person answers with no": (
        [calls("look"), says("hi")], {"PreToolUse": [ask("sure?")]}, {"ask": lambda question: False},
        [
            *START, *MODEL, "PreToolUse look", "PermissionRequest look", "Notification",
            *MODEL, *END, *OVER,
        ],
        "done",
    ),
    "a prompt that is blocked": (
        [], {"UserPromptSubmit": [block("no")]}, {}, [*START[:2], *OVER], "blocked",
    ),
    "a turn that is blocked": ([], {"TurnStart": [block("no")]}, {}, [*START, *OVER], "blocked"),
    "a model call that is blocked once": (
        [says("hi")], {"PreModelCall": [block("not yet")]}, {},
        [*START, "PreModelCall", *MODEL, *END, *OVER], "done",
    ),
    "a model call that is blocked twice": (
        [says("hi")], {"PreModelCall": [block("not yet")] * 2}, {},
        [*START, *["PreModelCall"] * 2, *MODEL, *END, *OVER], "done",
    ),
    "a model call that is blocked always": (
        [says("hi")], {"PreModelCall": [block("never")] * 9}, {},
        [*START, *["PreModelCall"] * 3, "Stop", *OVER], "capped",
    ),
    "strikes that a pass forgets": (
        [calls("look"), says("hi")],
        {"PreModelCall": [block("1"), block("2"), None, block("1"), block("2"), None]}, {},
        [*START, *["PreModelCall"] * 2, *MODEL, *LOOK, *["PreModelCall"] * 2, *MODEL, *END, *OVER], "done",
    ),
    "a model that fails": (
        [ValueError("down")], {}, {}, [*START, "PreModelCall", "OnError", *OVER], "error",
    ),
    "a gate that fails twice": (
        [says("a"), says("b"), says("c")], {"TurnEnd": [block("tests fail")] * 2}, {},
        [*START, *MODEL, "TurnEnd", *MODEL, "TurnEnd", *MODEL, *END, *OVER], "done",
    ),
    "a gate that always fails, tool work in between": (
        [says("a"), calls("look"), says("b"), says("c")], {"TurnEnd": [block("tests fail")] * 9}, {},
        [*START, *MODEL, "TurnEnd", *MODEL, *LOOK, *MODEL, "TurnEnd", *MODEL, *END, *OVER], "capped",
    ),
    "a stop that goes on once": (
        [says("a"), says("b")], {"Stop": [block("go on")]}, {},
        [*START, *MODEL, *END, *MODEL, *END, *OVER], "done",
    ),
    "a stop that goes on always": (
        [], {"Stop": [block("go on")] * 99}, {}, [*START, *[*MODEL, *END] * 8, *OVER], "capped",
    ),
    "a stop behind a capped gate": (
        [], {"TurnEnd": [block("no")] * 9, "Stop": [block("go on")] * 9}, {},
        [*START, *[*MODEL, "TurnEnd"] * 3, "Stop", *OVER], "capped",
    ),
    "a budget of time that is over": (
        [says("hi")], {}, {"ends_at": 1.0},
        [*START, "OnBudgetExceeded", *MODEL, *END, *OVER], "done",
    ),
    "a budget that ends the turn": (
        [calls("look"), says("hi")], {"OnBudgetExceeded": [block("it is over")]},
        {"ends_at": 1.0}, [*START, "OnBudgetExceeded", "Stop", *OVER], "budget",
    ),
    "tokens that run out": (
        [used(600), used(720), used(790), used(850), used(1000), says("hi")], {},
        {},
        [
            *START, *MODEL, *LOOK, *MODEL, *LOOK, "OnBudgetExceeded", *MODEL, *LOOK, *MODEL, *LOOK,
            "OnBudgetExceeded", *MODEL, *LOOK, *MODEL, *END, *OVER,
        ],
        "done",
    ),
    "tokens that run out, are relieved and run out again": (
        [used(720), used(650), used(720), used(590), used(720), says("hi")], {},
        {},
        [
            *START, *MODEL, *LOOK, "OnBudgetExceeded", *MODEL, *LOOK, *MODEL, *LOOK, *MODEL, *LOOK,
            *MODEL, *LOOK, "OnBudgetExceeded", *MODEL, *END, *OVER,
        ],
        "done",
    ),
    "a conversation that grows too long": (
        [used(600), says("hi", input_tokens=100)], {},
        {"compact": lambda messages, guidance: "what was", "compact_at": 500 * 180},
        [*START, *MODEL, *LOOK, "PreCompact", "PostCompact", *MODEL, *END, *OVER], "done",
    ),
    "a conversation that is short again": (
        [used(600), calls("look"), says("hi")], {},
        {"compact": lambda messages, guidance: [{"role": "user", "text": "so far"}], "compact_at": 500 * 180},
        [*START, *MODEL, *LOOK, "PreCompact", "PostCompact", *MODEL, *LOOK, *MODEL, *END, *OVER], "done",
    ),
    "a compaction that fails": (
        [used(600), used(600), says("hi")], {},
        {"compact": lambda messages, guidance: 1 / 0, "compact_at": 500 * 180},
        [*START, *MODEL, *LOOK, "PreCompact", "OnError", *MODEL, *LOOK, *MODEL, *END, *OVER], "done",
    ),
    "more steps than there may be": (
        [calls("look")] * 9, {}, {"steps": 2}, [*START, *MODEL, *LOOK, *MODEL, *LOOK, "Stop", *OVER], "steps",
    ),
    "an answer whose calls a hook takes out": (
        [calls("look")], {"PostModelCall": [modify(response={"text": "never mind", "calls": []})]}, {},
        [*START, *MODEL, *END, *OVER], "done",
    ),
    "context at every moment": (
        [calls("fail"), says("hi")],
        {
            name: [inject(name)] * 9
            for name in (
                "SessionStart", "UserPromptSubmit", "TurnStart", "PreModelCall", "PostModelCall",
                "PreToolUse", "PostToolUse", "OnError", "TurnEnd", "Stop",
            )
        },
        {}, [*START, *MODEL, *FAIL, *MODEL, *END, *OVER], "done",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("answers", "script", "values", "order", "ended"), SCENARIOS.values(), ids=SCENARIOS)
def test_order(answers, script, values, order, ended):
    played = Played(answers, script, **values)
    (done,) = played.run("please")

    assert played.order == order
    assert done.ended == ended
    assert played.told[-1] is done


def test_a_session_has_one_beginning_and_one_end_over_many_turns():
    played = Played([says("a"), says("b")])
    played.run("one", "two")

    turn = [*START[1:], *MODEL, *END]
    assert played.order == ["SessionStart", *turn, *turn, "SessionEnd"]
    assert [event.turn for event in played.events] == ["", *["1"] * 6, *["2"] * 7]
    assert len({event.session for event in played.events}) == 1


def test_the_strikes_of_a_turn_are_its_own():
    played = Played([says(str(n)) for n in range(9)], {"TurnEnd": [block("no"), block("no"), None] * 2})

    assert [done.ended for done in played.run("one", "two")] == ["done", "done"]


def test_calls_at_once_are_judged_in_their_order_and_before_each_its_own_run():
    played = Played([calls("look", "fail", "look"), says("hi")], {"PreToolUse": [None, block("no"), None]})
    played.run("please")
    of = {event.call: [] for event in played.events if getattr(event, "call", "")}
    for event in played.events:
        if getattr(event, "call", ""):
            of[event.call].append(event.name)

    assert [event.call for event in played.events if event.name == "PreToolUse"] == ["c0", "c1", "c2"]
    assert of == {
        "c0": ["PreToolUse", "PostToolUse"],
        "c1": ["PreToolUse"],
        "c2": ["PreToolUse", "PostToolUse"],
    }


def test_a_helper_has_its_own_beginning_and_end_and_its_moments_say_whose_they_are():
    played = Played([calls("research", prompt="why?"), says("so")])
    answers = [calls("look"), says("because")]
    look = played.agent.tools["look"]
    played.agent.helper("research", "Find out.", model=lambda request: answers.pop(0), tools=[look])
    played.run("please")

    helped = [f"{name} of research" for name in (*MODEL, *LOOK, *MODEL)]
    assert played.order == [
        *START,
        *MODEL,
        "PreToolUse research",
        "SubagentStart of research",
        *helped,
        "SubagentStop of research",
        "PostToolUse research",
        *MODEL,
        *END,
        *OVER,
    ]
    assert len({event.subagent.id for event in played.events if event.subagent}) == 1
    assert played.read[-1] == ("tool", "because")


@pytest.mark.parametrize(("answers", "blocks", "stops"), [([ValueError("down")], 1, 1), ([], 2, 3)])
def test_a_helper_ends_once_however_it_ends(answers, blocks, stops):
    played = Played(
        [calls("research", prompt="why?"), says("so")], {"SubagentStop": [block("go on")] * blocks}
    )
    answers = [*answers, *[says("x")] * 9]

    def model(request):
        if isinstance(answers[0], Exception):
            raise answers.pop(0)
        return answers.pop(0)

    played.agent.helper("research", "Find out.", model=model)
    played.run("please")

    assert played.order.count("SubagentStart of research") == 1
    assert played.order.count("SubagentStop of research") == stops
    assert played.order[-1] == "SessionEnd"


def test_ids_that_come_twice_do_not_mix_results():
    answer = calls("look", "fail")
    twice = [ToolCall(id="same", tool=call.tool) for call in answer.calls]
    played = Played([type(answer)(calls=tuple(twice)), says("hi")])
    played.run("please")

    assert played.read[-2:] == [("tool", "seen"), ("tool", "no such file")]
