"""Test the pitfalls of Cline's hooks."""

import json
from pathlib import Path

import pytest

from hookline import hosts
from hookline.core.degrade import build_reply
from hookline.core.events import MODIFY
from hookline.core.frozen import freeze
from hookline.core.host import Reply
from hookline.core.install_table import InstallEntry
from hookline.core.outcome import Outcome
from hookline.core.payload import decode
from hookline.core.values import replace

HOST = hosts.load("cline")
CAPTURES = Path(__file__).parent.parent / "captures" / "cline"


def heard(name, **more):
    return decode(HOST, {**json.loads((CAPTURES / f"{name}.json").read_text()), **more})


def replied(name, **said):
    """Return the reply to a captured event, and the outcome as far as the reply expresses it."""
    moment, event = heard(name)
    return build_reply(HOST, moment, event, Outcome(**{"event": event, **said}))


def call(name, given):
    told = json.loads((CAPTURES / "PreToolUse.json").read_text())
    return decode(HOST, {**told, "tool_call": {"id": "c", "name": name, "input": given}})


def test_exit_codes_mean_nothing_so_a_block_is_json():
    reply, _ = replied("PreToolUse", blocked="because")

    cancelled = json.dumps({"cancel": True, "errorMessage": "because"})
    assert reply == Reply(stdout=cancelled, unwritten_code=2)


def test_a_cancel_takes_no_context_beside_it_so_the_reason_carries_it():
    reply, _ = replied("PreToolUse", blocked="because", context=("know",))

    assert json.loads(reply.stdout) == {"cancel": True, "errorMessage": "because\nknow"}


def test_a_cancel_after_a_tool_would_end_the_run_so_feedback_is_context():
    reply, said = replied("PostToolUse", blocked="wrong")

    assert json.loads(reply.stdout) == {"contextModification": "wrong"}
    assert "cline cannot block here" in said.warnings[0]


@pytest.mark.parametrize("name", [name for name in HOST.moments if "ToolUse" not in name])
def test_other_moments_are_detached_so_nothing_is_answered_there(name):
    reply, said = replied(name, blocked="because", context=("know",))

    assert reply.stdout == ""
    assert "know" in "\n".join((*said.held_context, reply.stderr))


def test_one_executable_for_each_event_named_after_it():
    entries = tuple(
        InstallEntry(moment=name, command="hookline hook cline", timeout=30.0) for name in HOST.moments
    )
    files = HOST.install.layout.make_files(entries)

    assert set(files) == set(HOST.moments)
    assert HOST.install.layout.executable
    assert files["PreToolUse"].splitlines()[0] == "#!/bin/sh"
    assert files["PreToolUse"].splitlines()[-1] == "exec hookline hook cline"


def test_the_payload_has_another_name_for_the_moment_than_the_file():
    assert heard("PreToolUse", hookName="tool_call")[0] == "PreToolUse"
    assert heard("PreToolUse", hookName="PreToolUse")[0] == "PreToolUse"
    assert heard("TaskCancel") is None


@pytest.mark.parametrize(
    "given",
    [
        {"commands": ["git push --force", "ls"]},
        {"commands": "git push --force\nls"},
        ["git push --force", "ls"],
        {"commands": [{"command": "git", "args": ["push", "--force"]}, "ls"]},
        {"cmd": "git push --force\nls"},
        {"command": "git push --force\nls"},
        "git push --force\nls",
    ],
)
def test_a_call_may_hold_several_commands_in_many_shapes_and_all_are_seen(given):
    _, event = call("run_commands", given)

    assert (event.kind, event.command) == ("shell", "git push --force\nls")


@pytest.mark.parametrize("given", [".env", [".env"], {"files": [{"path": ".env"}]}])
def test_files_to_read_come_in_many_shapes_too(given):
    assert ".env" in json.dumps(dict(call("read_files", given)[1].input), default=list)


def test_a_changed_command_goes_back_in_the_tools_own_shape():
    name, event = heard("PreToolUse")
    after = replace(event, input=freeze({**event.input, "command": "echo safe"}))
    reply, _ = build_reply(HOST, name, event, Outcome(event=after))

    assert MODIFY in HOST.moments[name].abilities
    assert json.loads(reply.stdout) == {"overrideInput": {"commands": ["echo safe"]}}


def test_a_failing_command_is_told_in_a_row_of_the_output():
    assert heard("PostToolUse")[1].success
    assert heard("PostToolUse.failed")[1].error == "Command failed: exit 3"
    assert heard("PostToolUse.error")[1].error == "no such file"


def test_only_a_helper_has_a_parent():
    assert heard("PreToolUse")[1].subagent is None
    assert heard("PreToolUse.helper")[1].subagent.id == "agent-2"


# --- other behaviour ---


def test_context_is_a_context_modification():
    for name in ("PreToolUse", "PostToolUse"):
        assert json.loads(replied(name, context=("know",))[0].stdout) == {"contextModification": "know"}


def test_arguments_of_one_command_are_seen():
    assert call("run_commands", {"command": "rm", "args": ["-rf", "a b"]})[1].command == "rm -rf 'a b'"
