"""Test the pitfalls of Factory Droid's hooks."""

import json
from pathlib import Path

from hookline import hosts
from hookline.core.degrade import build_reply
from hookline.core.derive import derive
from hookline.core.events import OnError, PostCompact, PostToolUse, SessionStart
from hookline.core.frozen import freeze
from hookline.core.host import Reply
from hookline.core.install_table import InstallEntry
from hookline.core.outcome import Outcome
from hookline.core.payload import decode
from hookline.core.values import replace

HOST = hosts.load("factory-droid")
CAPTURES = Path(__file__).parent.parent / "captures" / "factory-droid"


def heard(name, **more):
    return decode(HOST, {**json.loads((CAPTURES / f"{name}.json").read_text()), **more})


def replied(name, **said):
    """Return the reply to a captured event, and the outcome as far as the reply expresses it."""
    moment, event = heard(name)
    return build_reply(HOST, moment, event, Outcome(**{"event": event, **said}))


def test_event_names_stand_at_top_level():
    way = HOST.install.layout
    entry = way.make_entry(InstallEntry(moment="Stop", command="hookline hook factory-droid", timeout=60.0))

    assert (way.table_path, way.initial_content) == ((), {})
    assert entry == {"hooks": [{"type": "command", "command": "hookline hook factory-droid", "timeout": 60}]}


def test_exit_3_aborts_and_exit_2_blocks_compaction_so_every_answer_ends_with_0():
    for name in HOST.moments:
        reply, _ = replied(name, blocked="because", warnings=("mind",))
        assert reply.code == 0


def test_execute_results_end_in_the_exit_code():
    assert heard("PostToolUse")[1].success
    assert heard("PostToolUse.failed")[1].error == "exit code 3"
    assert heard("PostToolUse.Read")[1].success


def test_the_first_hooks_context_wins_so_all_of_ours_is_one_answer():
    reply, _ = replied("PostToolUse", context=("first", "second"))

    assert json.loads(reply.stdout)["hookSpecificOutput"]["additionalContext"] == "first\nsecond"


def test_context_before_a_tool_is_read_nowhere_so_it_is_kept():
    reply, said = replied("PreToolUse", context=("know",))

    assert (reply, said.held_context) == (Reply(), ("know",))


def test_output_is_never_replaced():
    name, event = heard("PostToolUse")
    reply, said = build_reply(HOST, name, event, Outcome(event=replace(event, output="NEW")))

    assert "NEW" not in reply.stdout
    assert "which factory-droid does not support here" in said.warnings[0]


def test_compaction_begins_a_session_of_another_name():
    _, event = heard("SessionStart.compact")

    assert [type(one) for one in derive(HOST, event)] == [PostCompact, SessionStart]


def test_a_changed_input_is_sent_without_a_decision_which_would_skip_the_permissions():
    name, event = heard("PreToolUse")
    after = replace(event, input=freeze({**event.input, "command": "git status -s"}))
    reply, _ = build_reply(HOST, name, event, Outcome(event=after))

    assert json.loads(reply.stdout)["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "updatedInput": {**event.input, "command": "git status -s"},
    }


# --- other behaviour ---


def test_an_exit_code_in_the_middle_is_only_text():
    told = "echo [Process exited with code 4]\n\n[Process exited with code 0]"

    assert heard("PostToolUse", tool_response=told)[1].success


def test_a_failed_command_means_an_error_too():
    _, event = heard("PostToolUse.failed")

    assert [type(one) for one in derive(HOST, event)] == [PostToolUse, OnError]


def test_a_patch_is_seen_by_its_files():
    assert heard("PreToolUse.ApplyPatch")[1].path == "new.py"
