"""Test the portable protocol: round trips of each event, each response, and the schemas."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from msgspec.structs import fields

from hookline.core.budget import Budget
from hookline.core.degrade import build_reply
from hookline.core.envelope import (
    BadEnvelope,
    build_schemas,
    check_event,
    decode_response,
    encode_event,
    encode_response,
)
from hookline.core.events import (
    EVENTS,
    Notification,
    OnError,
    PostModelCall,
    PostToolUse,
    PreModelCall,
    PreToolUse,
    SessionStart,
    Stop,
    Subagent,
    Unreadable,
    UserPromptSubmit,
)
from hookline.core.frozen import Frozen, freeze
from hookline.core.outcome import Outcome, Step
from hookline.core.payload import decode
from hookline.core.response import Response
from hookline.core.state import State
from hookline.core.usage import Usage
from hookline.core.values import replace
from hookline.hosts.envelope import HOST

EXAMPLES = 2_000 if os.environ.get("HOOKLINE_LONG") else 200
EVENT, RESPONSE = (Draft202012Validator(schema) for schema in build_schemas().values())
SCHEMA = Path(__file__).parents[2] / "schema"
UNCARRIED = {
    "mode",
    "transcript",
    "call",
    "native",
    "input_keys",
    "native_paths",
    "payload_problems",
    "left_out",
}

TEXT = st.text(max_size=20)
FLOAT = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOAT | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
).map(freeze)
MOMENTS = st.integers(1, 4_000_000_000).map(float)  # timestamps keep milliseconds only
OBJECT = st.dictionaries(TEXT, JSON, max_size=3).map(freeze)
BY_TYPE = {
    str: TEXT,
    bool: st.booleans(),
    float: FLOAT,
    float | None: st.none() | FLOAT,
    int | None: st.none() | st.integers(),
    Any: JSON,
    Mapping[str, Any]: OBJECT,
    tuple[Any, ...]: st.lists(JSON, max_size=3).map(freeze),
    Subagent | None: st.none() | st.builds(Subagent, id=st.text(min_size=1, max_size=9), type=TEXT),
}


def events(name: str):
    carried = [f for f in fields(EVENTS[name]) if f.name not in UNCARRIED]
    drawn = {f.name: BY_TYPE[f.type] for f in carried} | {"at": MOMENTS}
    return st.builds(EVENTS[name], **drawn | {"host": st.text(min_size=1, max_size=9)})


@pytest.mark.slow
@pytest.mark.parametrize("name", EVENTS)
@settings(max_examples=EXAMPLES // 10, deadline=None)
@given(data=st.data())
def test_every_event_comes_back_as_it_went(name, data) -> None:
    event = data.draw(events(name))
    sent = json.loads(json.dumps(encode_event(event)))

    EVENT.validate(sent)
    assert decode(HOST, sent) == (name, event)


def test_all_that_applies_is_there() -> None:
    event = PostToolUse(
        tool="Bash",
        kind="shell",
        input=Frozen(command="ls"),
        output=Frozen(stdout=("a",)),
        duration_ms=12.5,
        session="s1",
        host="claude-code",
        cwd="/srv",
        at=1745779351.25,
        branch="main",
        subagent=Subagent(id="a1"),
    )
    state = State(
        now=9.0,
        budget=Budget(ends_at=100.0),
        facts={"usage": Usage(used=7, window=20, effective_limit=10, cost=0.5)},
    )

    assert encode_event(event, state) == {
        "version": 1,
        "hook": "PostToolUse",
        "timestamp": "2025-04-27T18:42:31.250Z",
        "sessionId": "s1",
        "host": "claude-code",
        "cwd": "/srv",
        "branch": "main",
        "subagent": {"id": "a1"},
        "tool": {
            "name": "Bash",
            "kind": "shell",
            "input": {"command": "ls"},
            "output": {"stdout": ["a"]},
            "success": True,
            "durationMs": 12.5,
        },
        "budget": {
            "usedTokens": 7,
            "maxTokens": 20,
            "effectiveLimit": 10,
            "percentUsed": 70.0,
            "estimatedCostUsd": 0.5,
            "endsAt": 100.0,
        },
    }


@pytest.mark.parametrize(
    ("event", "sent"),
    [
        (SessionStart(), {"version": 1, "hook": "SessionStart"}),
        (OnError(error="e"), {"version": 1, "hook": "OnError", "tool": {"error": "e"}}),
        (UserPromptSubmit(prompt=""), {"version": 1, "hook": "UserPromptSubmit", "prompt": ""}),
        (Stop(), {"version": 1, "hook": "Stop", "continuing": False}),
        (Notification(kind="idle"), {"version": 1, "hook": "Notification", "notification": {"kind": "idle"}}),
    ],
)
def test_what_does_not_apply_is_absent(event, sent) -> None:
    assert encode_event(event) == sent


@pytest.mark.parametrize(
    ("at", "now", "stamp"),
    [
        (1.0, 2.0, "1970-01-01T00:00:01.000Z"),
        (0.0, 2.0, "1970-01-01T00:00:02.000Z"),
        (253402300799.0, 2.0, "9999-12-31T23:59:59.000Z"),
        (253402300800.0, 2.0, None),
        (0.0, 0.0, None),
    ],
)
def test_the_time_is_the_events_else_the_clocks(at, now, stamp) -> None:
    assert encode_event(Stop(at=at), State(now=now)).get("timestamp") == stamp


@pytest.mark.parametrize(
    ("payload", "complaint"),
    [
        ({}, "field 'hook' is missing"),
        ({"hook": 3}, "field 'hook' is a whole number, not text"),
        ({"hook": "Stop", "version": 2}, "field 'version' must be one of: 1"),
        ({"hook": "Stop", "version": "1"}, "field 'version' is text, not a whole number"),
        ({"hook": "Stop", "sessionId": []}, "field 'sessionId' is a list, not text"),
        ({"hook": "Stop", "continuing": "yes"}, "field 'continuing' is text, not true or false"),
        (
            {"hook": "Stop", "timestamp": "now"},
            "field 'timestamp' must be an RFC 3339 time with a time zone",
        ),
        (
            {"hook": "Stop", "timestamp": "2025-04-27T18:42:31"},
            "field 'timestamp' must be an RFC 3339 time with a time zone",
        ),
        ({"hook": "Stop", "tool": 1}, "field 'tool' is a whole number, not an object"),
        ({"hook": "PreToolUse", "tool": {"name": 1}}, "field 'tool.name' is a whole number, not text"),
        (
            {"hook": "PreToolUse", "tool": {"durationMs": True}},
            "field 'tool.durationMs' is true or false, not a number",
        ),
    ],
)
def test_a_wrong_field_of_an_event_is_named(payload, complaint) -> None:
    with pytest.raises(Unreadable) as caught:
        check_event(payload)

    assert str(caught.value) == complaint


@pytest.mark.parametrize("extra", [{"novel": 1}, {"tool": {"novel": 1}}, {"turn": None}, {"version": 1}])
def test_unknown_and_empty_fields_of_an_event_are_no_matter(extra) -> None:
    check_event({"hook": "Stop", "timestamp": "2025-04-27T18:42:31+02:00", **extra})


PRE, POST = PreToolUse(tool="Bash"), PostToolUse(tool="Bash")


@pytest.mark.parametrize(
    ("event", "data", "response"),
    [
        (PRE, {"action": "passThrough"}, Response()),
        (PRE, {"action": "passThrough", "version": 1, "priority": 50, "novel": []}, Response()),
        (PRE, {"action": "block", "reason": "no"}, Response(verdict="block", reason="no")),
        (PRE, {"action": "block"}, Response(verdict="block")),
        (PRE, {"action": "ask", "reason": "sure?"}, Response(verdict="ask", reason="sure?")),
        (PRE, {"action": "allow"}, Response(verdict="allow")),
        (PRE, {"action": "injectContext", "additionalContext": "a"}, Response(context=("a",))),
        (PRE, {"action": "injectContext", "additionalContext": ["a", "", "b"]}, Response(context=("a", "b"))),
        (
            PRE,
            {"action": "injectContext", "additionalContext": [], "replaceContext": True},
            Response(replace_context=True),
        ),
        (PRE, {"action": "passThrough", "warnings": ["w"]}, Response(warnings=("w",))),
        (PRE, {"action": "passThrough", "warnings": "w"}, Response(warnings=("w",))),
        (
            PRE,
            {"action": "block", "metadata": {"rule": "r", "hookId": "h"}},
            Response(verdict="block", rule="r"),
        ),
        (PRE, {"action": "block", "metadata": {"rule": 3}}, Response(verdict="block")),
        (
            PRE,
            {"action": "modify", "modifiedInput": {"a": [1]}},
            Response(changes=freeze({"input": {"a": [1]}})),
        ),
        (
            PRE,
            {"action": "allow", "modifiedInput": {}},
            Response(verdict="allow", changes=freeze({"input": {}})),
        ),
        (
            PreModelCall(),
            {"action": "modify", "modifiedInput": [1]},
            Response(changes=freeze({"messages": [1]})),
        ),
        (POST, {"action": "modify", "modifiedOutput": "x"}, Response(changes=freeze({"output": "x"}))),
        (
            PostModelCall(),
            {"action": "modify", "modifiedOutput": {}},
            Response(changes=freeze({"response": {}})),
        ),
    ],
)
def test_an_answer_is_understood(event, data, response) -> None:
    assert decode_response(event, data) == response


@pytest.mark.parametrize(
    ("event", "data", "complaint"),
    [
        (PRE, {}, "field 'action' is missing"),
        (
            PRE,
            {"action": "deny"},
            "field 'action' must be one of: passThrough, injectContext, block, modify, ask, allow",
        ),
        (PRE, {"action": 3}, "field 'action' is a whole number, not text"),
        (PRE, {"action": "block", "version": 2}, "field 'version' must be one of: 1"),
        (PRE, {"action": "block", "reason": 3}, "field 'reason' is a whole number, not text"),
        (PRE, {"action": "block", "warnings": 3}, "field 'warnings' is a whole number, not text or a list"),
        (
            PRE,
            {"action": "injectContext", "additionalContext": ["a", 1]},
            "field 'additionalContext[1]' is a whole number, not text",
        ),
        (
            PRE,
            {"action": "injectContext"},
            "field 'additionalContext' is missing; the action 'injectContext' requires it",
        ),
        (
            PRE,
            {"action": "modify"},
            "field 'modifiedInput' or 'modifiedOutput' is missing; the action 'modify' requires one",
        ),
        (
            PRE,
            {"action": "modify", "modifiedInput": [1]},
            "field 'modifiedInput' must be an object at PreToolUse, not a list",
        ),
        (
            PreModelCall(),
            {"action": "modify", "modifiedInput": {}},
            "field 'modifiedInput' must be a list of messages at PreModelCall, not an object",
        ),
        (
            PRE,
            {"action": "block", "replaceContext": "no"},
            "field 'replaceContext' is text, not true or false",
        ),
        (PRE, {"action": "block", "metadata": []}, "field 'metadata' is a list, not an object"),
    ],
)
def test_a_wrong_field_of_an_answer_is_named(event, data, complaint) -> None:
    with pytest.raises(BadEnvelope) as caught:
        decode_response(event, data)

    assert str(caught.value) == complaint


STEP = Step(hook="guard", action="block", rule="guard:r", reason="no")
QUIET = Step(hook="quiet", action="pass")


@pytest.mark.parametrize(
    ("outcome", "changed", "sent"),
    [
        (Outcome(event=PRE, trail=(QUIET,)), None, {"action": "passThrough"}),
        (
            Outcome(
                event=PRE, blocked="no", asked="sure?", context=("c",), warnings=("w",), trail=(QUIET, STEP)
            ),
            None,
            {
                "action": "block",
                "reason": "no",
                "additionalContext": ["c"],
                "warnings": ["w"],
                "metadata": {"rules": ["guard:r"], "hookIds": ["guard"]},
            },
        ),
        (Outcome(event=PRE, asked="sure?", allowed="fine"), None, {"action": "ask", "reason": "sure?"}),
        (Outcome(event=PRE, allowed=""), None, {"action": "allow", "reason": ""}),
        (
            Outcome(event=PRE, allowed="fine"),
            Frozen(a=1),
            {"action": "allow", "reason": "fine", "modifiedInput": {"a": 1}},
        ),
        (Outcome(event=PRE, context=("c",)), None, {"action": "injectContext", "additionalContext": ["c"]}),
        (
            Outcome(event=PRE, context=("c",)),
            Frozen(),
            {"action": "modify", "modifiedInput": {}, "additionalContext": ["c"]},
        ),
        (Outcome(event=PreModelCall()), (1,), {"action": "modify", "modifiedInput": [1]}),
        (Outcome(event=POST), "", {"action": "modify", "modifiedOutput": ""}),
        (Outcome(event=PostModelCall()), "x", {"action": "modify", "modifiedOutput": "x"}),
    ],
)
def test_an_outcome_is_said(outcome, changed, sent) -> None:
    said = encode_response(outcome, changed)

    RESPONSE.validate(said)
    assert said == {"version": 1, **sent}


def test_the_host_says_a_change() -> None:
    changed = Outcome(event=replace(PRE, input=Frozen(command="ls -l")))
    reply, _ = build_reply(HOST, "PreToolUse", PRE, changed)

    assert (reply.code, reply.stderr) == (0, "")
    assert json.loads(reply.stdout) == {
        "version": 1,
        "action": "modify",
        "modifiedInput": {"command": "ls -l"},
    }


@pytest.mark.parametrize(("sent", "kind"), [({"name": "shell"}, "shell"), ({"name": "Bash"}, "other")])
def test_a_tool_called_like_its_kind_needs_to_say_no_kind(sent, kind) -> None:
    _, event = decode(HOST, {"hook": "PreToolUse", "tool": sent})

    assert (event.kind, event.host) == (kind, "envelope")


def test_a_needed_field_that_is_missing_is_named() -> None:
    with pytest.raises(Unreadable, match=r"'tool\.name'"):
        decode(HOST, {"hook": "PreToolUse", "tool": {"kind": "shell"}})


def test_an_event_that_is_none_of_ours_is_none() -> None:
    assert decode(HOST, {"hook": "Sunrise"}) is None


@pytest.mark.parametrize("name", ["event", "response"])
def test_schema_files_are_current(name) -> None:
    schema = build_schemas()[name]
    Draft202012Validator.check_schema(schema)

    assert json.loads((SCHEMA / f"{name}.json").read_text()) == schema, "run: python docs/schemas.py"
