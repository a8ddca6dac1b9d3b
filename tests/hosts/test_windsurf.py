"""Test the pitfalls of Windsurf's hooks."""

import json
from pathlib import Path

import pytest

from hookline import hosts
from hookline.core.degrade import build_reply
from hookline.core.host import Reply
from hookline.core.install_table import InstallEntry
from hookline.core.outcome import Outcome
from hookline.core.payload import decode

HOST = hosts.load("windsurf")
CAPTURES = Path(__file__).parent.parent / "captures" / "windsurf"


def heard(name, **more):
    return decode(HOST, {**json.loads((CAPTURES / f"{name}.json").read_text()), **more})


def replied(name, **said):
    """Return the reply to a captured event, and the outcome as far as the reply expresses it."""
    moment, event = heard(name)
    return build_reply(HOST, moment, event, Outcome(**{"event": event, **said}))


PRE = [name for name in HOST.moments if name.startswith("pre_")]


@pytest.mark.parametrize("name", PRE)
def test_only_exit_2_with_stderr_acts_and_only_before(name):
    reply, _ = replied(name, blocked="because")

    assert reply == Reply(stderr="because\n", code=2)


@pytest.mark.parametrize("name", [name for name in HOST.moments if name not in PRE])
def test_afterwards_nothing_acts_so_it_is_said_and_kept(name):
    reply, said = replied(name, blocked="because")

    assert reply.code == 0
    assert "windsurf cannot block here" in reply.stderr
    assert said.held_context == ("because",)


def test_no_injection_of_any_kind_so_context_is_kept():
    for name in HOST.moments:
        reply, said = replied(name, context=("know",))
        assert (reply, said.held_context) == (Reply(), ("know",))


def test_nobody_can_be_asked_so_asking_blocks():
    reply, _ = replied("pre_read_code", asked="sure?")

    assert reply.code == 2
    assert reply.stderr.startswith("sure? (a person must decide this")


def test_a_command_that_ran_tells_no_output_and_no_failure():
    _, event = heard("post_run_command")

    assert (event.output, event.success) == (None, True)


def test_the_end_of_a_turn_is_told_once_though_two_moments_tell_it():
    assert heard("post_cascade_response")[1].last_text == "renamed it"
    assert heard("post_cascade_response_with_transcript") is None


def test_no_time_limit_is_known_and_what_we_print_is_shown():
    entry = InstallEntry(moment="pre_run_command", command="hookline hook windsurf", timeout=30.0)

    assert HOST.install.layout.make_entry(entry) == {"command": "hookline hook windsurf", "show_output": True}


# --- other behaviour ---


def test_the_moment_names_the_tool():
    command, edit, mcp = (heard(f"pre_{name}")[1] for name in ("run_command", "write_code", "mcp_tool_use"))

    assert (command.tool, command.kind, command.command, command.cwd) == (
        "run_command", "shell", "git status", "/repo",
    )  # fmt: skip
    assert (edit.kind, edit.path, edit.content) == ("edit", "/repo/app.py", "two\nb")
    assert (mcp.tool, mcp.kind, mcp.input) == ("create", "mcp", {"title": "t"})
