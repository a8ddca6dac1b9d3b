"""Test the pitfalls of Reasonix's hooks."""

import json
from pathlib import Path

from hookline import hosts
from hookline.core.degrade import build_reply
from hookline.core.derive import derive
from hookline.core.events import OnError, PostToolUse
from hookline.core.host import Reply
from hookline.core.install_table import InstallEntry
from hookline.core.outcome import Outcome
from hookline.core.payload import decode
from hookline.install.install_hooks import EXTRA_SECONDS

HOST = hosts.load("reasonix")
CAPTURES = Path(__file__).parent.parent / "captures" / "reasonix"


def heard(name, **more):
    return decode(HOST, {**json.loads((CAPTURES / f"{name}.json").read_text()), **more})


def replied(name, **said):
    """Return the reply to a captured event, and the outcome as far as the reply expresses it."""
    moment, event = heard(name)
    return build_reply(HOST, moment, event, Outcome(**{"event": event, **said}))


ENTRY = InstallEntry(moment="PreToolUse", command="/opt/hookline hook reasonix", timeout=30.0)


def test_a_block_is_exit_2_and_stderr_which_every_format_of_hooks_knows():
    reply, _ = replied("PreToolUse", blocked="because")

    assert reply == Reply(stderr="because\n", code=2)


def test_a_warning_is_exit_1_because_stderr_is_shown_at_no_other_code_that_lets_pass():
    reply, _ = replied("PreToolUse", warnings=("mind",))

    assert reply == Reply(stderr="hookline: mind\n", code=1)


def test_exit_1_throws_context_away_so_a_warning_beside_it_goes_with_the_context():
    reply, _ = replied("SessionStart", context=("know",), warnings=("mind",))

    assert reply.code == 0
    assert json.loads(reply.stdout)["hookSpecificOutput"] == {
        "hookEventName": "SessionStart",
        "additionalContext": "know\nhookline: mind",
    }


def test_guidance_for_a_compaction_is_plain_and_survives_a_warning():
    reply, _ = replied("PreCompact", context=("keep the numbers",), warnings=("mind",))

    assert reply == Reply(stdout="keep the numbers", stderr="hookline: mind\n", code=1)


def test_no_injection_after_a_tool_so_context_is_kept():
    reply, said = replied("PostToolUse", context=("know",))

    assert (reply, said.held_context) == (Reply(), ("know",))


def test_a_block_at_stop_is_only_told_to_the_user():
    reply, said = replied("Stop", blocked="not yet")

    assert reply.code == 1
    assert "reasonix cannot block here" in reply.stderr
    assert said.held_context == ("not yet",)


def test_a_permission_request_takes_json_and_both_answers():
    allowed, _ = replied("PermissionRequest", allowed="fine")
    denied, _ = replied("PermissionRequest", blocked="no")

    assert json.loads(allowed.stdout)["hookSpecificOutput"]["decision"] == {"behavior": "allow"}
    assert json.loads(denied.stdout)["hookSpecificOutput"]["decision"] == {
        "behavior": "deny",
        "message": "no",
    }
    assert (allowed.code, denied.code) == (0, 0)


def test_no_call_id_is_sent_and_none_is_made_up():
    assert heard("PreToolUse")[1].call == ""


def test_context_that_the_host_puts_before_a_prompt_is_not_the_persons():
    assert heard("UserPromptSubmit.context")[1].prompt == "go"
    assert heard("UserPromptSubmit", prompt="what is <hook-context> for?")[1].prompt.startswith("what is")


def test_an_interrupt_looks_like_a_failure_and_is_none():
    assert heard("StopFailure.interrupt") is None
    assert heard("StopFailure")[1].error.startswith("fake · Chat Completions: status 400")


def test_timeout_blocks_so_the_host_waits_longer_than_we_take():
    timeout = json.loads(HOST.install.layout.make_files((ENTRY,))["hooks/hooks.json"])["hooks"]["PreToolUse"][
        0
    ]

    assert timeout["hooks"] == [{"type": "command", "command": ENTRY.command, "timeout": 30}]
    assert HOST.timeout + EXTRA_SECONDS <= ENTRY.timeout


def test_the_plugin_is_registered_by_a_folder_beside_the_file_and_found_again_by_its_command():
    told = HOST.install.layout.registered.make_entry(ENTRY)

    assert (told["root"], told["enabled"], told["manifestKind"]) == ("plugins/hookline", True, "claude")
    assert told["description"] == ENTRY.command


# --- other behaviour ---


def test_a_failure_is_one_event_and_means_one_error():
    _, event = heard("PostToolUseFailure.Bash")

    assert (event.success, event.error) == (False, "exit status 2")
    assert [type(one) for one in derive(HOST, event)] == [PostToolUse, OnError]
