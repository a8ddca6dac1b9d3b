"""Test the pitfalls of Cursor's hooks."""

import json
from pathlib import Path

import pytest

from hookline import hosts
from hookline.core.degrade import build_reply
from hookline.core.events import BLOCK
from hookline.core.frozen import freeze
from hookline.core.host import Reply
from hookline.core.install_table import InstallEntry
from hookline.core.outcome import Outcome
from hookline.core.payload import decode
from hookline.core.values import replace

HOST = hosts.load("cursor")
CAPTURES = Path(__file__).parent.parent / "captures" / "cursor"


def heard(name, **more):
    return decode(HOST, {**json.loads((CAPTURES / f"{name}.json").read_text()), **more})


def replied(name, **said):
    """Return the reply to a captured event, and the outcome as far as the reply expresses it."""
    moment, event = heard(name)
    return build_reply(HOST, moment, event, Outcome(**{"event": event, **said}))


KNOWN = {
    "afterAgentResponse", "afterAgentThought", "afterFileEdit", "afterMCPExecution", "afterShellExecution",
    "afterTabFileEdit", "beforeMCPExecution", "beforeReadFile", "beforeShellExecution", "beforeSubmitPrompt",
    "beforeTabFileRead", "postToolUse", "postToolUseFailure", "preCompact", "preToolUse", "sessionEnd",
    "sessionStart", "stop", "subagentStart", "subagentStop", "workspaceOpen",
}  # fmt: skip


def entry(command):
    return HOST.install.layout.make_entry(InstallEntry(moment="stop", command=command, timeout=60.0))


def test_silence_on_permission_hooks_is_an_empty_object():
    for name in ("preToolUse", "beforeShellExecution"):
        assert replied(name)[0] == Reply(stdout="{}")
    assert HOST.encode_empty_reply("preToolUse") == "{}"


def test_pre_tool_use_and_before_shell_execution_are_the_same_call_answered_once():
    assert heard("preToolUse.Shell") is None
    assert heard("beforeShellExecution")[1].command == "git status"
    assert heard("beforeMCPExecution") is None
    assert heard("preToolUse.MCP")[1].kind == "mcp"
    assert heard("beforeReadFile") is None
    assert heard("preToolUse")[1].path == "/repo/app.py"


def test_ask_is_enforced_before_a_shell_command_and_is_a_block_elsewhere():
    shell, _ = replied("beforeShellExecution", asked="sure?")
    read, _ = replied("preToolUse", asked="sure?")

    assert json.loads(shell.stdout) == {
        "permission": "ask",
        "user_message": "sure?",
        "agent_message": "sure?",
    }
    assert json.loads(read.stdout)["permission"] == "deny"
    assert "sure?" in json.loads(read.stdout)["agent_message"]


def test_a_block_is_json_with_exit_0_and_told_to_both():
    reply, _ = replied("preToolUse", blocked="because")

    assert reply == Reply(
        stdout=json.dumps({"permission": "deny", "user_message": "because", "agent_message": "because"}),
        unwritten_code=2,
    )


def test_a_changed_input_is_sent_without_a_permission_which_would_spare_the_question():
    name, event = heard("preToolUse")
    after = replace(event, input=freeze({"file_path": "/repo/other.py"}))
    reply, _ = build_reply(HOST, name, event, Outcome(event=after))

    assert json.loads(reply.stdout) == {"updated_input": {"file_path": "/repo/other.py"}}


def test_tool_output_is_a_json_string():
    assert heard("postToolUse")[1].output == {"output": "clean\n", "exitCode": 0}
    assert heard("postToolUse.Read")[1].output == "x = 1\n"


def test_output_is_changed_for_mcp_tools_only():
    changed, said = [], []
    for name in ("postToolUse.MCP", "postToolUse"):
        moment, event = heard(name)
        after = replace(event, output=freeze({**event.output, "new": "NEW"}))
        reply, outcome = build_reply(HOST, moment, event, Outcome(event=after))
        changed.append("updated_mcp_tool_output" in json.loads(reply.stdout))
        said.append(bool(outcome.warnings))

    assert (changed, said) == ([True, False], [False, True])


def test_non_zero_shell_exit_comes_as_a_failure():
    _, event = heard("postToolUseFailure")

    assert (event.success, event.error) == (False, "Command failed with exit code 3")


def test_a_denied_call_looks_like_a_failure_and_is_none():
    assert heard("postToolUseFailure.denied") is None


def test_stop_never_blocks_it_queues_a_followup_message():
    reply, _ = replied("stop", blocked="run the tests")

    assert json.loads(reply.stdout) == {"followup_message": "run the tests"}


def test_a_turn_that_was_aborted_does_not_go_on():
    reply, said = replied("stop.aborted", blocked="run the tests")

    assert json.loads(reply.stdout) == {}
    assert said.held_context == ("run the tests",)


def test_loop_count_says_that_a_turn_goes_on_and_our_cap_is_below_the_hosts():
    assert (heard("stop")[1].again, heard("stop.again")[1].again) == (False, True)
    assert HOST.continuations == 4


@pytest.mark.parametrize(("length", "cut"), [(9_000, False), (12_000, True)])
def test_context_over_10000_characters_is_dropped_so_it_is_cut_before(length, cut):
    name, event = heard("postToolUse")
    outcome = Outcome(event=event, context=("x" * length,))
    told = json.loads(build_reply(HOST, name, event, outcome, HOST.context_cap)[0].stdout)[
        "additional_context"
    ]

    assert len(told) < 10_000
    assert (len(told) != length) is cut


def test_an_unknown_event_key_voids_the_whole_file_so_only_known_ones_are_wired():
    assert set(HOST.moments) <= KNOWN
    assert HOST.install.layout.initial_content == {"version": 1}


def test_comment_stripping_breaks_double_slashes_so_none_is_written():
    assert entry("/opt//bin///hookline hook cursor") == {
        "command": "/opt/bin/hookline hook cursor",
        "timeout": 60,
    }


def test_a_call_id_may_hold_a_line_break():
    assert heard("postToolUse")[1].call == "call-3\nctc-3"


def test_a_warning_before_compaction_is_shown_by_the_host():
    reply, _ = replied("preCompact", warnings=("mind",))

    assert json.loads(reply.stdout) == {"user_message": "hookline: mind"}


def test_a_prompt_is_blocked_by_not_continuing():
    reply, _ = replied("beforeSubmitPrompt", blocked="no")

    assert BLOCK in HOST.moments["beforeSubmitPrompt"].abilities
    assert json.loads(reply.stdout) == {"continue": False, "user_message": "no"}


# --- other behaviour ---


def test_the_folder_is_the_first_root_where_no_other_is_named():
    assert heard("beforeSubmitPrompt")[1].cwd == "/repo"
