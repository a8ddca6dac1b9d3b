"""Test OpenCode: the plugin's payloads, the answers to them, and the pitfalls of its hooks."""

import json
from pathlib import Path

import pytest

from hookline import hosts
from hookline.core.degrade import build_reply
from hookline.core.derive import derive, find_abilities, find_coverage
from hookline.core.events import (
    BLOCK,
    EVENTS,
    MODIFY,
    OnError,
    PostModelCall,
    PostToolUse,
    Stop,
    SubagentStop,
)
from hookline.core.frozen import freeze
from hookline.core.install_table import InstallEntry
from hookline.core.outcome import Outcome
from hookline.core.payload import decode
from hookline.core.values import replace

HOST = hosts.load("opencode")
CAPTURES = Path(__file__).parent.parent / "captures" / "opencode"


def heard(name, **more):
    return decode(HOST, {**json.loads((CAPTURES / f"{name}.json").read_text()), **more})


def replied(name, **outcome):
    moment, event = heard(name)
    reply, said = build_reply(HOST, moment, event, Outcome(**{"event": event, **outcome}))
    return json.loads(reply.stdout or "{}"), said


def plugin(command="hookline hook opencode", seconds=60.0):
    entries = tuple(InstallEntry(moment=name, command=command, timeout=seconds) for name in HOST.moments)
    return HOST.install.layout.make_files(entries)


def test_a_tool_is_denied_by_what_the_plugin_throws():
    assert replied("tool.execute.before", blocked="no")[0] == {"deny": "no"}


def test_nobody_can_be_asked_before_a_tool_so_asking_is_a_block():
    reply, said = replied("tool.execute.before", asked="sure?")

    assert reply["deny"].startswith("sure?")
    assert [step.note for step in said.trail] == ["ask was replaced by block"]


def test_context_before_a_tool_waits_for_a_moment_that_can_take_it():
    reply, said = replied("tool.execute.before", context=("mind",))

    assert (reply, said.held_context) == ({}, ("mind",))


def test_changed_arguments_are_sent_whole_for_the_plugin_to_put_in_place():
    _, event = heard("tool.execute.before")

    assert replied("tool.execute.before", event=replace(event, input=freeze({"command": "ls"})))[0] == {
        "change": {"command": "ls"}
    }


def test_a_block_after_a_tool_stands_beside_what_the_tool_said():
    assert replied("tool.execute.after", blocked="wrong", context=("mind",))[0] == {"context": "wrong\nmind"}


@pytest.mark.parametrize(
    ("name", "error"), [("tool.execute.after.failed", "exit code 3"), ("tool.execute.after", "")]
)
def test_a_failing_command_is_told_by_its_exit_code(name, error):
    event = heard(name)[1]

    assert (event.success, event.error) == (not error, error)


def test_a_tool_that_throws_has_no_after_hook_and_is_told_by_its_part_of_the_message():
    _, event = heard("message.part.updated")

    assert (type(event), event.success, event.tool) == (PostToolUse, False, "read")
    assert [type(one) for one in derive(HOST, event)] == [PostToolUse, OnError]


def test_a_model_call_can_be_blocked_and_what_it_reads_be_changed():
    _, event = heard("experimental.chat.messages.transform")
    new = (freeze({"role": "user", "text": "new"}),)

    assert replied("experimental.chat.messages.transform", blocked="spent")[0] == {"deny": "spent"}
    assert replied("experimental.chat.messages.transform", event=replace(event, messages=new))[0] == {
        "change": [{"role": "user", "text": "new"}]
    }
    assert {BLOCK, MODIFY} <= find_abilities(HOST, EVENTS["PreModelCall"])


def test_a_stop_is_answered_with_what_to_go_on_with():
    assert replied("session.idle", blocked="tests fail")[0] == {"deny": "tests fail"}
    assert isinstance(heard("session.idle")[1], Stop)


def test_a_helper_cannot_be_made_to_go_on_because_its_result_is_out_by_then():
    reply, said = replied("child.session.idle", blocked="go on")

    assert "deny" not in reply
    assert any("go on" in warning for warning in said.warnings)


@pytest.mark.parametrize(
    "name", ["child.session.created", "child.session.idle", "tool.execute.before.helper"]
)
def test_a_helper_belongs_to_the_session_that_began_it(name):
    _, event = heard(name)

    assert event.session == heard("session.created.parent")[1].session
    assert event.subagent.id not in ("", event.session)


def test_a_permission_that_a_person_would_be_asked_for_can_be_answered():
    assert replied("permission.asked", allowed="fine")[0] == {"allow": True}
    assert replied("permission.asked", blocked="no")[0] == {"deny": "no"}
    assert heard("permission.asked")[1].command == "echo hi"


# --- other behaviour ---


def test_changed_output_is_text():
    _, event = heard("tool.execute.after")

    assert replied("tool.execute.after", event=replace(event, output="new"))[0] == {"change": "new"}


def test_tokens_and_cost_are_told_after_every_model_call():
    _, event = heard("message.updated")

    assert isinstance(event, PostModelCall)
    assert (event.model, event.usage["input"], event.usage["cost"]) == ("scripted/scripted", 10, 0)


def test_a_helper_ends_as_one():
    assert isinstance(heard("child.session.idle")[1], SubagentStop)


def test_warnings_are_for_the_plugin_to_show():
    assert replied("session.idle", warnings=("mind",))[0] == {"warnings": ["mind"]}


def test_every_event_but_a_notification_is_there():
    missing = {name for name, event in EVENTS.items() if find_coverage(HOST, event) == "unsupported"}

    assert missing == {"Notification"}


@pytest.mark.parametrize(
    ("name", "kind"), [("bash", "shell"), ("read", "read"), ("echo_echo", "mcp"), ("skill", "other")]
)
def test_tools_have_our_kinds(name, kind):
    assert heard("tool.execute.before", tool=name)[1].kind == kind


def test_a_patch_names_its_files():
    args = {"patchText": "*** Begin Patch\n*** Update File: .env\n@@\n+x\n*** End Patch"}

    assert heard("tool.execute.before", tool="apply_patch", args=args)[1].path == ".env"


def test_the_plugin_is_one_file_that_holds_the_command_and_the_limits():
    ((name, text),) = plugin('"/a b/hookline" hook opencode', 12.5).items()

    assert name == "hookline.js"
    assert 'const COMMAND = "\\"/a b/hookline\\" hook opencode"\n' in text
    assert '"tool.execute.before": 12.5' in text
    assert "@COMMAND@" not in text
    assert "@SECONDS@" not in text


def test_the_plugin_asks_at_every_moment_of_the_table():
    (text,) = plugin().values()
    body = text.partition("class Blocked")[2]

    assert all(f'"{name}"' in body for name in HOST.moments)


def test_the_plugin_imports_nothing_but_what_every_runtime_has():
    (text,) = plugin().values()

    assert [line for line in text.splitlines() if line.startswith("import ")] == [
        'import { spawn } from "node:child_process"'
    ]
    assert "require(" not in text
