"""Test the pitfalls of Visual Studio Code's hooks."""

import json
from pathlib import Path

from hookline import hosts
from hookline.core.degrade import build_reply
from hookline.core.host import Reply
from hookline.core.install_table import InstallEntry
from hookline.core.outcome import Outcome
from hookline.core.payload import decode

HOST = hosts.load("vscode")
CAPTURES = Path(__file__).parent.parent / "captures" / "vscode"


def heard(name, **more):
    return decode(HOST, {**json.loads((CAPTURES / f"{name}.json").read_text()), **more})


def replied(name, **said):
    """Return the reply to a captured event, and the outcome as far as the reply expresses it."""
    moment, event = heard(name)
    return build_reply(HOST, moment, event, Outcome(**{"event": event, **said}))


ENTRY = InstallEntry(moment="PreToolUse", command="hookline hook vscode", timeout=60.0)


def test_matchers_are_ignored_so_none_is_written_and_every_tool_is_judged():
    assert HOST.install.layout.make_entry(ENTRY) == {
        "type": "command",
        "command": "hookline hook vscode",
        "timeout": 60,
    }


def test_the_decision_of_stop_stands_inside_the_specific_output():
    reply, _ = replied("Stop", blocked="run the tests")

    assert json.loads(reply.stdout) == {
        "hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": "run the tests"}
    }


def test_the_decision_of_a_helpers_stop_stands_outside():
    reply, _ = replied("SubagentStop", blocked="look again")

    assert json.loads(reply.stdout) == {"decision": "block", "reason": "look again"}


def test_a_prompt_knows_only_the_common_output_so_a_block_ends_the_run():
    reply, _ = replied("UserPromptSubmit", blocked="no", warnings=("mind",))

    assert json.loads(reply.stdout) == {
        "continue": False,
        "stopReason": "no",
        "systemMessage": "hookline: mind",
    }


def test_a_prompt_takes_no_context_so_it_is_kept():
    reply, said = replied("UserPromptSubmit", context=("know",))

    assert (reply, said.held_context) == (Reply(), ("know",))


def test_tools_have_the_editors_names_and_camel_case_inputs():
    shell, edit = heard("PreToolUse")[1], heard("PreToolUse.replace_string_in_file")[1]

    assert (shell.kind, shell.command) == ("shell", "git status")
    assert (edit.kind, edit.path, edit.content) == ("edit", "/repo/app.py", "two")
    assert heard("PreToolUse.mcp")[1].kind == "mcp"


def test_source_is_always_new_which_is_a_start_like_any_other():
    assert heard("SessionStart")[1].source == "new"


def test_the_true_caller_is_told_from_others_who_read_the_same_files():
    payload = json.loads((CAPTURES / "PreToolUse.json").read_text())

    assert HOST.recognises(payload, {})
    assert not HOST.recognises(payload, {"COPILOT_CLI": "1"})
    assert not HOST.recognises({**payload, "permission_mode": "default"}, {})
    assert not HOST.recognises({**payload, "cursor_version": "2"}, {})


# --- other behaviour ---


def test_a_call_may_be_asked_about_changed_and_commented_in_one_answer():
    name, event = heard("PreToolUse")
    asked = Outcome(event=event, asked="sure?", context=("know",))

    assert json.loads(build_reply(HOST, name, event, asked)[0].stdout)["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "additionalContext": "know",
        "permissionDecision": "ask",
        "permissionDecisionReason": "sure?",
    }
