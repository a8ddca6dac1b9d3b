"""Test the pitfalls of Kiro's hooks."""

import json
from pathlib import Path

import pytest

from hookline import hosts
from hookline.core.degrade import build_reply
from hookline.core.host import Reply
from hookline.core.install_table import InstallEntry
from hookline.core.outcome import Outcome
from hookline.core.payload import decode

HOST = hosts.load("kiro")
CAPTURES = Path(__file__).parent.parent / "captures" / "kiro"


def heard(name, **more):
    return decode(HOST, {**json.loads((CAPTURES / f"{name}.json").read_text()), **more})


def replied(name, **said):
    """Return the reply to a captured event, and the outcome as far as the reply expresses it."""
    moment, event = heard(name)
    return build_reply(HOST, moment, event, Outcome(**{"event": event, **said}))


def entries():
    return tuple(
        InstallEntry(moment=name, command="hookline hook kiro", timeout=30.0) for name in HOST.moments
    )


def test_v3_files_hold_a_list_with_triggers_and_seconds():
    told = json.loads(HOST.install.layout.make_files(entries())["hookline.json"])

    assert told["version"] == "v1"
    assert [hook["trigger"] for hook in told["hooks"]] == list(HOST.moments)
    assert told["hooks"][0] == {
        "name": "hookline-SessionStart",
        "trigger": "SessionStart",
        "timeout": 30,
        "action": {"type": "command", "command": "hookline hook kiro"},
    }


def test_v2_reads_no_file_and_counts_in_milliseconds_which_a_person_is_told():
    assert '"timeout_ms": 30000' in HOST.install.manual_steps[0]


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit"])
def test_empty_stdout_still_adds_a_message_so_a_short_line_is_printed(name):
    assert replied(name)[0] == Reply(stdout="hookline: nothing to add")
    assert replied(f"{name}.older")[0] == Reply()
    assert replied(name, context=("know",))[0] == Reply(stdout="know")


def test_exit_1_continues_at_stop_so_no_warning_ends_with_it():
    assert replied("Stop", warnings=("mind",))[0] == Reply(stderr="hookline: mind\n")
    assert HOST.warning_code == 0


def test_a_block_at_stop_is_a_decision_with_exit_0():
    reply, _ = replied("Stop", blocked="run the tests")

    assert reply == Reply(
        stdout=json.dumps({"decision": "block", "reason": "run the tests"}), unwritten_code=2
    )


def test_exit_2_blocks_prompts_and_tools_and_context_goes_with_the_reason():
    assert replied("PreToolUse", blocked="because")[0] == Reply(stderr="because\n", code=2)
    assert replied("UserPromptSubmit", blocked="because", context=("know",))[0].stderr == "because\nknow\n"


def test_a_person_can_be_asked_in_the_newer_engine_only():
    newer, _ = replied("PreToolUse", asked="sure?")
    older, _ = replied("PreToolUse.older", asked="sure?")

    assert json.loads(newer.stdout)["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert (older.code, older.stdout) == (2, "")


def test_the_older_engine_blocks_no_prompt_so_the_agent_is_told():
    reply, said = replied("UserPromptSubmit.older", blocked="because")

    assert reply.stdout == "because"
    assert "kiro cannot block here" in said.warnings[0]


def test_nothing_is_read_after_a_tool_so_context_is_kept():
    reply, said = replied("PostToolUse", context=("know",))

    assert (reply, said.held_context) == (Reply(), ("know",))


def test_a_failure_is_told_in_the_result_of_the_older_engine():
    assert heard("PostToolUse.older")[1].success
    assert not heard("PostToolUse.failed")[1].success


def test_kiro_home_moves_no_file_of_hooks():
    assert HOST.install.folder_env == ""


# --- other behaviour ---


@pytest.mark.parametrize("name", ["PreToolUse", "PostToolUse", "Stop"])
def test_silence_is_silence_at_other_moments(name):
    assert replied(name)[0] == Reply()


def test_both_engines_mean_the_same_moment():
    assert heard("PreToolUse.older")[0] == heard("PreToolUse")[0] == "PreToolUse"
    assert heard("PreToolUse.older")[1].command == heard("PreToolUse")[1].command == "git status"
