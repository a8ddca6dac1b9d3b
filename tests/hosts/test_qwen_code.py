"""Test the pitfalls of Qwen Code's hooks; tests/clients tests the real client."""

import json
from pathlib import Path

import pytest

from hookline import block, hook
from hookline.core.degrade import build_reply
from hookline.core.derive import derive
from hookline.core.events import (
    ALLOW,
    ASK,
    BLOCK,
    INJECT,
    MODIFY,
    OnError,
    SessionEnd,
    Stop,
    UserPromptSubmit,
)
from hookline.core.frozen import freeze
from hookline.core.install_table import InstallEntry
from hookline.core.outcome import Outcome, Step
from hookline.core.payload import decode
from hookline.core.values import replace
from hookline.hosts.qwen_code import HOST
from hookline.runtime.runtime import Runtime

CAPTURES = Path(__file__).parent.parent / "captures" / "qwen-code"
EVERY = sorted(path.stem for path in CAPTURES.glob("*.json"))
FIELDS = {
    "PreToolUse": {"hookEventName", "permissionDecision", "permissionDecisionReason"},
    "PermissionRequest": {"hookEventName", "decision"},
    "PostToolUse": {"hookEventName", "additionalContext"},
    "PostToolUseFailure": {"hookEventName", "additionalContext"},
    "SessionStart": {"hookEventName", "additionalContext"},
    "UserPromptSubmit": {"hookEventName", "additionalContext"},
}
"""Fields that the host reads in `hookSpecificOutput`, by moment."""


def payload(stem, **changes):
    return {**json.loads((CAPTURES / f"{stem}.json").read_text()), **changes}


def heard(stem, **changes):
    found = decode(HOST, payload(stem, **changes))
    assert found is not None
    return found


def said(stem, after=None, **outcome):
    """Return the parsed reply to an event; *after* is the new value of its changeable field."""
    name, event = heard(stem)
    new = event if after is None else replace(event, **{event.changeable_field: after})
    trail = (Step(hook="changer", action="modify"),) if after is not None else ()
    reply, _ = build_reply(HOST, name, event, Outcome(event=new, trail=trail, **outcome))
    assert reply.code == 0
    return json.loads(reply.stdout or "{}")


def test_session_end_never_fires_headless_so_nothing_but_it_is_concluded_from_it():
    assert [name for name, row in HOST.moments.items() if row.event is SessionEnd] == ["SessionEnd"]
    assert derive(HOST, heard("Stop")[1])[-1] == heard("Stop")[1]


@pytest.mark.parametrize("stem", ["UserPromptSubmit.empty-prompt", "UserPromptSubmit.going-on"])
def test_user_prompt_submit_fires_again_after_tools_and_gates_and_is_no_prompt(stem):
    assert decode(HOST, payload(stem)) is None
    assert isinstance(heard("UserPromptSubmit")[1], UserPromptSubmit)


def test_calls_are_joined_on_tool_call_id():
    before, after = heard("PreToolUse")[1], heard("PostToolUse")[1]
    (batch,) = payload("PostToolBatch")["tool_calls"]

    assert before.call == after.call == batch["tool_use_id"]
    assert payload("PreToolUse")["tool_use_id"] != batch["tool_use_id"]


def test_continue_false_after_a_tool_replaces_and_does_not_stop_so_it_is_how_a_result_is_changed():
    reply = said("PostToolUse", after=freeze({"llmContent": "clean"}), context=("12m",))

    assert reply["continue"] is False
    assert reply["stopReason"].splitlines()[1:] == ["clean", "12m"]


@pytest.mark.parametrize("stem", EVERY)
def test_continue_false_is_said_nowhere_else(stem):
    if decode(HOST, payload(stem)):
        assert "continue" not in said(stem, blocked="no", context=("more",), warnings=("mind",))


def test_a_block_after_a_tool_is_dropped_so_feedback_is_context():
    reply = said("PostToolUse", blocked="lint first", context=("and test",))
    specific = {"hookEventName": "PostToolUse", "additionalContext": "lint first\nand test"}

    assert reply == {"hookSpecificOutput": specific}


def test_stop_carries_the_use_of_tokens_and_it_is_kept():
    native = heard("Stop")[1].native

    assert {key: native[key] for key in ("input_tokens", "context_limit", "context_usage")} == {
        "input_tokens": 10,
        "context_limit": 200_000,
        "context_usage": 5e-05,
    }


def test_ask_becomes_deny_headless_by_the_host_so_it_stays_an_ask():
    assert said("PreToolUse", asked="may I?")["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "ask",
        "permissionDecisionReason": "may I?",
    }


def test_a_changed_input_and_context_before_a_tool_are_ignored_so_the_one_blocks_and_the_other_waits():
    reply = said("PreToolUse", after=freeze({"command": "echo changed"}), context=("later",))

    assert HOST.moments["PreToolUse"].abilities == {BLOCK, ASK}
    assert "changer tried to change the input" in reply["hookSpecificOutput"]["permissionDecisionReason"]


@pytest.mark.parametrize("stem", EVERY)
def test_only_fields_that_the_host_reads_are_sent(stem):
    if decode(HOST, payload(stem)):
        reply = said(stem, blocked="no", context=("more",), warnings=("mind",))
        inside = reply.pop("hookSpecificOutput", {})

        assert set(reply) <= {"decision", "reason", "systemMessage"}
        assert set(inside) <= FIELDS.get(stem.split(".")[0], set())


def test_the_stop_cap_of_the_host_is_8_and_ours_is_below_and_holds():
    @hook()
    def never(event: Stop, state):
        return block("never")

    runtime = Runtime()
    runtime.register(never)
    replies = [round_of_a_turn(runtime) for _ in range(8)]

    assert HOST.continuations == 7
    assert ["decision" in reply for reply in replies] == [True] * 7 + [False]


def round_of_a_turn(runtime):
    """End a turn; if that is blocked, pass the reason on as a prompt, as the host does. Return the reply."""
    reply = json.loads(runtime.answer(HOST, *heard("Stop")).stdout or "{}")
    found = decode(HOST, payload("UserPromptSubmit.going-on", prompt=reply.get("reason", "")))
    if found:
        runtime.answer(HOST, *found)
    return reply


def test_claudes_names_of_tools_are_only_for_matchers_so_the_table_has_the_real_ones():
    assert not {"Bash", "Read", "Write", "Edit"} & set(HOST.tools)
    assert (heard("PreToolUse")[1].kind, heard("PreToolUse.edit")[1].kind) == ("shell", "edit")


def test_a_failing_command_is_text_in_a_failure():
    _, event = heard("PostToolUseFailure")

    assert not event.success
    assert "Exit Code: 3" in event.error
    assert [type(one) for one in derive(HOST, event)][1:] == [OnError]


def test_a_failed_result_cannot_be_changed():
    assert HOST.moments["PostToolUseFailure"].abilities == {BLOCK, INJECT}
    assert MODIFY in HOST.moments["PostToolUse"].abilities


@pytest.mark.parametrize(("seconds", "timeout"), [(2.4, 2), (999, 999), (1000, 999)])
def test_timeout_is_in_seconds_and_from_1000_on_would_be_milliseconds(seconds, timeout):
    entry = HOST.install.layout.make_entry(InstallEntry(moment="Stop", command="hookline", timeout=seconds))

    assert entry["hooks"][0]["timeout"] == timeout


# --- other behaviour ---


@pytest.mark.parametrize("mode", ["default", "plan", "auto_edit", "auto", "yolo"])
def test_permission_modes_are_the_host_own(mode):
    assert heard("PreToolUse", permission_mode=mode)[1].mode == mode


def test_a_permission_is_given_or_refused():
    assert HOST.moments["PermissionRequest"].abilities == {BLOCK, ALLOW}
    assert said("PermissionRequest", blocked="no")["hookSpecificOutput"]["decision"] == {
        "behavior": "deny",
        "message": "no",
    }
