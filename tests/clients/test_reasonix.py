"""Test hooks in real Reasonix, with hookline installed as a plugin."""

import json
import time
from typing import Any

import pytest
from tests.clients.installed_files import wired

from .driver import Played, Player, afterwards
from .script import Reply, call, say
from .users import SILENT

pytestmark = pytest.mark.clients

SECRET = "ghp_k4Z9vQ2mX7bN1cR8tY5wL3pJ6hG0fD2sA9eU"
BAD = (
    {"name": "crasher", "command": "kill -SEGV $$"},
    {"name": "hanger", "command": "sleep 60", "timeout": 1},
    {"name": "babbler", "command": "echo '{not json'"},
)


def bash(command: str) -> Reply:
    return call("bash", command=command)


def user_hook(event: str, **entry: Any) -> dict[str, Any]:
    return {".config/hookline/hooks.json": {"version": 1, "hooks": {event: [entry]}}}


def results(played: Played) -> list[str]:
    """Return the tool results that the model received."""
    return [one["content"] for one in played.turns[-1].body["messages"] if one["role"] == "tool"]


def sent(played: Played) -> str:
    return json.dumps([turn.body["messages"] for turn in played.turns], ensure_ascii=False)


def trail(played: Played, hookline: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in afterwards(played, hookline, "log", "--json").splitlines()]


@pytest.fixture(scope="module")
def plugin(hookline: str) -> dict[str, Any]:
    return wired("reasonix", hookline)


@pytest.fixture(scope="module")
def helped(reasonix: Player, plugin: dict[str, Any]) -> Played:
    """Play a session in which hooks add context."""
    hooks = {
        "SessionStart": [{"command": "echo CONTEXT-MARK"}],
        "UserPromptSubmit": [{"command": "cat > ~/heard.json"}],
    }
    return reasonix(
        "helped",
        home=plugin | {".config/hookline/hooks.json": {"version": 1, "hooks": hooks}},
        env={"AUTORESEARCH_BUDGET_END": str(int(time.time()) + 30 * 60 + 55)},
        replies=(bash("echo hi"), say("done")),
    )


@pytest.fixture(scope="module")
def guarded(reasonix: Player, plugin: dict[str, Any]) -> Played:
    """Play a session with blocked calls, a failing call, and a call that prints a secret."""
    return reasonix(
        "guarded",
        home=plugin,
        replies=(
            bash("touch ran.txt; git push --force"),
            call("read_file", path=".env"),
            bash("ls /nowhere"),
            bash(f"echo {SECRET[:3]}''{SECRET[3:]}"),
            say("done"),
        ),
    )


def test_the_context_of_a_session_start_reaches_the_model(helped: Played) -> None:
    assert "CONTEXT-MARK" in sent(helped)
    assert (helped.exit, helped.left, helped.notices) == (0, (), ())


def test_a_prompt_is_judged_without_the_context_that_the_host_puts_before_it(helped: Played) -> None:
    heard = json.loads((helped.home / "heard.json").read_text())

    assert heard["prompt"] == "please do it"


def test_the_countdown_is_kept_because_nothing_after_a_tool_reaches_the_model(
    helped: Played, hookline: str
) -> None:
    after = next(row for row in trail(helped, hookline) if row["event"] == "PostToolUse")

    assert "BUDGET" not in sent(helped)
    assert "context is held back for the next event that accepts it" in json.dumps(after)


def test_a_force_push_is_stopped_with_the_reason(guarded: Played) -> None:
    assert not (guarded.repo / "ran.txt").exists()
    assert "dangerous-command:git-push-force" in results(guarded)[0]


def test_a_read_of_env_is_blocked_because_nobody_can_be_asked(guarded: Played) -> None:
    assert "cannot ask one here" in results(guarded)[1]
    assert "privacy-block:sensitive-path" in results(guarded)[1]


def test_a_failing_command_is_heard_of_once_and_fires_on_error(guarded: Played, hookline: str) -> None:
    assert [row["event"] for row in trail(guarded, hookline)] == [
        "SessionStart",
        "UserPromptSubmit",
        "TurnStart",
        "PreToolUse",
        "PreToolUse",
        "PreToolUse",
        "PostToolUse",
        "OnError",
        "PreToolUse",
        "PostToolUse",
        "TurnEnd",
        "Stop",
        "SessionEnd",
    ]


def test_a_secret_in_output_is_told_to_the_user_because_the_host_changes_no_output(guarded: Played) -> None:
    assert SECRET in results(guarded)[3]
    kept = "which reasonix does not support here; the output is unchanged"
    assert [told for told in guarded.notices if "redact-secrets" in told and kept in told]
    assert SECRET not in " ".join(guarded.notices)


def test_a_stop_gate_cannot_continue_and_its_reason_is_told_to_the_user(
    reasonix: Player, plugin: dict[str, Any]
) -> None:
    gate = user_hook("TurnEnd", command="echo NOT-YET >&2; exit 2", name="gate")
    played = reasonix("gated", home=plugin | gate)

    assert len(played.turns) == 1
    assert played.exit == 0
    assert [told for told in played.notices if "reasonix cannot block here" in told and "NOT-YET" in told]


def test_crashing_hanging_and_garbage_printing_hooks_stop_nothing_and_are_seen(
    reasonix: Player, plugin: dict[str, Any], hookline: str
) -> None:
    home = plugin | {".config/hookline/hooks.json": {"version": 1, "hooks": {"PreToolUse": BAD}}}
    played = reasonix("bad", home=home, replies=(bash("touch ran.txt"), say("done")))
    kept = str([row["warnings"] for row in trail(played, hookline)])

    assert (played.repo / "ran.txt").exists()
    for bad in BAD:
        assert [told for told in played.notices if str(bad["name"]) in told]
        assert str(bad["name"]) in kept
    assert played.left == ()


def test_nothing_is_added_where_nothing_is_asked_for(reasonix: Player, plugin: dict[str, Any]) -> None:
    replies = (bash("echo hi"), bash("ls /nowhere"), say("done"))
    plain = reasonix("plain", replies=replies)
    hooked = reasonix("hooked", replies=replies, home=plugin, env=SILENT)

    assert results(hooked) == results(plain)
    assert [len(turn.body["messages"]) for turn in hooked.turns] == [
        len(turn.body["messages"]) for turn in plain.turns
    ]
    assert hooked.notices == plain.notices == ()


def test_json_on_stdout_is_ignored_for_native_hooks_so_we_come_as_a_plugin(reasonix: Player) -> None:
    deny = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}
    native = {"hooks": {"PreToolUse": [{"command": f"echo '{json.dumps(deny)}'", "timeout": 5000}]}}
    played = reasonix("native", settings=native, replies=(bash("touch ran.txt"), say("done")))

    assert (played.repo / "ran.txt").exists()


def test_timeout_blocks_so_our_own_deadline_comes_first(reasonix: Player) -> None:
    slow = {"hooks": {"PreToolUse": [{"command": "sleep 20", "timeout": 1000}]}}
    played = reasonix("slow", settings=slow, replies=(bash("touch ran.txt"), say("done")))

    assert not (played.repo / "ran.txt").exists()
    assert "timed out" in results(played)[0]
