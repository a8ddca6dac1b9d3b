"""Test the pitfalls of Claude Code's hooks; tests/clients tests the real client."""

import json
from pathlib import Path

import pytest

from hookline import block, hook
from hookline.core.degrade import build_reply
from hookline.core.events import BLOCK, INJECT, MODIFY, OnError, Stop, TurnStart
from hookline.core.frozen import freeze
from hookline.core.install_table import InstallEntry
from hookline.core.outcome import Outcome, Step
from hookline.core.payload import decode
from hookline.core.values import replace
from hookline.hosts.claude_code import HOST
from hookline.runtime.runtime import Runtime

CAPTURES = Path(__file__).parent.parent / "captures" / "claude-code"
EVERY = sorted(path.stem for path in CAPTURES.glob("*.json"))


def payload(stem, **changes):
    return {**json.loads((CAPTURES / f"{stem}.json").read_text()), **changes}


def heard(stem, **changes):
    found = decode(HOST, payload(stem, **changes))
    assert found is not None
    return found


def raw(stem, after=None, **outcome):
    """Return the reply to an event; *after* is the new value of its changeable field."""
    name, event = heard(stem)
    new = event if after is None else replace(event, **{event.changeable_field: after})
    trail = (Step(hook="changer", action="modify"),) if after is not None else ()
    reply, _ = build_reply(HOST, name, event, Outcome(event=new, trail=trail, **outcome))
    return reply


def said(stem, after=None, **outcome):
    return json.loads(raw(stem, after, **outcome).stdout or "{}")


@pytest.mark.parametrize("stem", EVERY)
def test_exit_2_would_show_the_model_our_command_line_so_every_reply_ends_with_0(stem):
    if decode(HOST, payload(stem)):
        assert raw(stem, blocked="no", context=("more",), warnings=("mind",)).code == 0


def test_changed_output_must_have_the_tools_own_shape():
    shown = heard("PostToolUse")[1].output
    reply = said("PostToolUse", after=freeze({**shown, "stdout": "clean"}))

    assert reply["hookSpecificOutput"]["updatedToolOutput"] == {**shown, "stdout": "clean"}


def test_the_output_of_a_failed_tool_is_only_text_and_cannot_be_changed():
    assert HOST.moments["PostToolUseFailure"].abilities == {BLOCK, INJECT}
    assert MODIFY in HOST.moments["PostToolUse"].abilities


def test_changed_input_replaces_the_whole_so_the_whole_is_sent():
    before = heard("PreToolUse")[1].input
    reply = said("PreToolUse", after=freeze({**before, "command": "echo changed"}))

    assert reply["hookSpecificOutput"]["updatedInput"] == {**before, "command": "echo changed"}


@pytest.mark.parametrize("stem", ["PreToolUse", "PostToolUse", "SessionStart", "UserPromptSubmit"])
def test_what_is_said_of_one_event_counts_only_beside_its_name(stem):
    inside = said(stem, context=("more",))["hookSpecificOutput"]

    assert inside == {"hookEventName": stem, "additionalContext": "more"}


def test_a_denial_is_a_permission_decision_and_called_deny():
    assert said("PreToolUse", blocked="no")["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "no",
    }


def test_plain_text_before_a_compaction_becomes_instructions_and_json_does_not():
    assert raw("PreCompact", context=("keep the plan",)).stdout == "keep the plan"
    assert raw("PreCompact", context=('{"keep": 1}',)).stdout == 'Guidance: {"keep": 1}'


@pytest.mark.parametrize("stem", EVERY)
def test_continue_false_ends_the_whole_run_so_it_is_never_said(stem):
    if decode(HOST, payload(stem)) and not stem.startswith("PreCompact"):
        assert "continue" not in said(stem, blocked="no", context=("more",), warnings=("mind",))


def test_a_permission_request_ignores_the_decision_of_others_and_has_its_own():
    assert said("PermissionRequest", blocked="no")["hookSpecificOutput"]["decision"] == {
        "behavior": "deny",
        "message": "no",
    }


def test_context_at_a_stop_makes_the_turn_go_on_so_none_is_sent():
    assert INJECT not in HOST.moments["Stop"].abilities
    assert "hookSpecificOutput" not in said("Stop", context=("more",))


def test_a_background_agents_result_comes_as_a_prompt_and_is_none():
    assert isinstance(heard("UserPromptSubmit.task-notification")[1], TurnStart)


def test_compaction_ends_helpers_that_never_began():
    assert decode(HOST, payload("SubagentStop.untyped")) is None
    assert decode(HOST, payload("SubagentStop")) is not None


def test_a_failed_answer_of_the_model_ends_the_turn_without_a_stop():
    assert isinstance(heard("StopFailure")[1], OnError)


def test_context_over_ten_thousand_characters_would_be_put_in_a_file_so_it_is_shorter():
    assert HOST.context_cap < 10_000


def test_hooks_at_the_end_of_a_session_share_a_second_and_a_half():
    assert HOST.moments["SessionEnd"].timeout < 1.5


def test_a_prompt_waits_thirty_seconds_where_other_moments_wait_longer():
    assert HOST.moments["UserPromptSubmit"].timeout < 30 < HOST.timeout


def test_the_stop_cap_of_the_host_is_8_and_ours_is_below_and_holds():
    @hook()
    def never(event: Stop, state):
        return block("never")

    runtime = Runtime()
    runtime.register(never)
    replies = [runtime.answer(HOST, *heard("Stop", stop_hook_active=bool(n))).stdout for n in range(9)]

    assert [("block" in reply) for reply in replies] == [True] * HOST.continuations + [False] * (
        9 - HOST.continuations
    )
    assert HOST.continuations < 8


# --- other behaviour ---


def test_the_entry_has_no_matcher_and_counts_in_seconds():
    entry = HOST.install.layout.make_entry(
        InstallEntry(moment="PreToolUse", command="hookline hook claude-code", timeout=60.0)
    )

    assert entry == {"hooks": [{"type": "command", "command": "hookline hook claude-code", "timeout": 60}]}
