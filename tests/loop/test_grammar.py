"""Test that the events of a session keep their order for any model answers and hook responses."""

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.loop.scripted_turn import Played

from hookline import allow, ask, block, inject, modify, warn
from hookline.loop import Answer, Tool, ToolCall

TOOLS = ("look", "fail", "sure", "nothing")
LETTERS = {
    "SessionStart": "S", "UserPromptSubmit": "U", "TurnStart": "T", "PreModelCall": "m", "PostModelCall": "M",
    "PreToolUse": "p", "PermissionRequest": "r", "Notification": "n", "PostToolUse": "P", "OnError": "e",
    "PreCompact": "c", "PostCompact": "C", "OnBudgetExceeded": "b", "TurnEnd": "t", "Stop": "x",
    "SessionEnd": "E",
}  # fmt: skip
TOOL = "(?:p|r|n|P|e)*"
ASKED = "b*(?:c[Ce])?m+"
"""A PreModelCall, and the events that may precede it."""
STEP = f"(?:{ASKED}M(?:{TOOL}|t|tx))"
TURN = f"U(?:T(?:{STEP}*(?:{ASKED}M(?:tx)|{ASKED}e|{ASKED}x|b+x|x))?)?"
SESSION = re.compile(f"S(?:{TURN})*E")

said = st.sampled_from(
    [None, None, None, inject("read this"), warn("see this"), block("no"), ask("sure?"), allow()]
)
changed = {
    "PreToolUse": modify(input={}),
    "PostToolUse": modify(output="changed"),
    "PreModelCall": modify(messages=[{"role": "user", "text": "changed"}]),
    "PostModelCall": modify(response={"text": "changed", "calls": []}),
}
scripts = st.fixed_dictionaries(
    {
        name: st.lists(said | (st.just(changed[name]) if name in changed else st.nothing()), max_size=5)
        for name in LETTERS
    }
)
answers = st.lists(
    st.builds(
        lambda text, names, used: Answer(
            text=text,
            calls=tuple(ToolCall(id=f"c{at}", tool=name) for at, name in enumerate(names)),
            usage={"input_tokens": used * 180},
            model="claude-sonnet-4-5",
        ),
        st.sampled_from(["", "words"]),
        st.lists(st.sampled_from(TOOLS), max_size=3),
        st.integers(0, 1100),
    )
    | st.just(ValueError("down")),
    max_size=6,
)


@pytest.mark.slow
@settings(max_examples=150)
@given(
    answers=answers,
    script=scripts,
    asked=st.sampled_from([None, lambda question: True, lambda question: False]),
    ends_at=st.sampled_from([None, 1.0]),
    turns=st.integers(1, 3),
)
def test_a_session_keeps_its_order(answers, script, asked, ends_at, turns):
    played = Played(
        answers,
        script,
        [Tool(name="sure", run=lambda: {"ok": True})],
        ask=asked,
        ends_at=ends_at,
        compact=lambda messages, guidance: "short",
        compact_at=900 * 180,
        steps=12,
    )
    ended = played.run(*["please"] * turns)
    letters = "".join(LETTERS[event.name] for event in played.events)

    assert SESSION.fullmatch(letters), letters
    assert [type(one).__name__ for one in played.told].count("Done") == turns == len(ended)
    check_calls(played)
    check_messages(played.agent.messages)


def check_calls(played):
    """Check that every call that ran has one PostToolUse, and that an OnError comes last."""
    seen = {}
    for event in played.events:
        call = getattr(event, "call", "")
        if event.name == "PostModelCall":
            seen = {}
        elif call:
            seen.setdefault(call, []).append(event.name)
            one = seen[call]
            assert one[0] == ("PreToolUse" if event.tool in played.agent.tools else "OnError")
            assert max(Counter(one).values()) == 1
            assert "PostToolUse" not in one or "OnError" not in one or one[-1] == "OnError"
    results = [told for told in played.told if type(told).__name__ == "Called"]
    ran = [told for told in played.told if type(told).__name__ == "Calling"]
    after = [event for event in played.events if event.name == "PostToolUse"]

    assert len(ran) == len(after)
    assert all(not told.success for told in results if "[blocked]" in told.text[:9])
    assert sum(event.success for event in after) == sum(told.success for told in results)


def check_messages(messages):
    """Check that tool calls are followed by their results, each once and in order."""
    for place, message in enumerate(messages):
        wanted = [call["id"] for call in message.get("calls", ())]
        found = [one["call"] for one in messages[place + 1 : place + 1 + len(wanted)]]
        if wanted:
            assert found == wanted
