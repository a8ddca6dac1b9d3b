"""Test hooks in real Copilot CLI, with hookline installed according to the host's definition."""

import json
import time
from typing import Any

import pytest
from tests.clients.installed_files import wired

from .driver import Played, Player, afterwards
from .script import Reply, call, say

pytestmark = pytest.mark.clients

USER_HOOKS = ".config/hookline/hooks.json"
SECRET = "ghp_" + "x7Qa9LmT2vRw4KzE8sYb1NcD6fGh3JpU0AbC"
ONCE = "test -e asked || { touch asked; echo 'NOT-BEFORE-THE-TESTS' >&2; exit 2; }"
BROKEN = {"crasher": "exit 7", "hanger": "sleep 60", "garbler": "echo '{ \x01 no json'"}


def bash(command: str) -> Reply:
    return call("bash", command=command, description="do it")


def user_hooks(**events: list[dict[str, Any]]) -> dict[str, Any]:
    return {USER_HOOKS: {"version": 1, "hooks": events}}


def news(played: Played, turn: int) -> str:
    """Return the messages that were new to the model at *turn*."""
    before = len(played.turns[turn - 1].body["messages"]) if turn else 0
    return json.dumps(played.turns[turn].body["messages"][before:], ensure_ascii=False)


def trail(played: Played, hookline: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in afterwards(played, hookline, "log", "--json").splitlines()]


@pytest.fixture(scope="module")
def session(copilot_cli: Player, hookline: str) -> Played:
    """Play one session with context, a failure, blocked calls, a secret and a blocked stop."""
    gates = user_hooks(
        SessionStart=[{"command": "echo CONTEXT-MARK"}], Stop=[{"command": ONCE, "name": "tests-first"}]
    )
    return copilot_cli(
        "session",
        home={**wired("copilot-cli", hookline), **gates, "../repo/.env": "KEY=1\n"},
        env={"AUTORESEARCH_BUDGET_END": str(int(time.time()) + 12 * 60 + 55)},
        replies=(
            bash("exit 3"),
            bash("touch ran.txt; git push --force"),
            call("view", path=".env"),
            bash(f"echo {SECRET[:9]}''{SECRET[9:]}"),
            say("done"),
            say("really done"),
        ),
        timeout=80,
    )


def test_the_context_of_a_session_start_reaches_the_model(session: Played) -> None:
    assert "CONTEXT-MARK" in news(session, 0)


def test_the_model_sees_its_time_after_a_tool_call(session: Played) -> None:
    assert "BUDGET: 12m remaining" not in news(session, 0)
    assert "BUDGET: 12m remaining" in news(session, 1)


def test_a_failing_command_is_an_error(session: Played, hookline: str) -> None:
    errors = [row for row in trail(session, hookline) if row["event"] == "OnError"]

    assert "completed with exit code 3" in news(session, 1)
    assert ["exit code 3" in json.dumps(row) for row in errors] == [True]


def test_a_force_push_is_stopped_with_the_reason(session: Played) -> None:
    assert not (session.repo / "ran.txt").exists()
    assert "dangerous-command:git-push-force" in news(session, 2)


def test_a_read_of_dotenv_is_asked_about_which_headless_means_refused(session: Played) -> None:
    assert "unable to ask user for confirmation" in news(session, 3)
    assert "privacy-block:sensitive-path" in news(session, 3)
    assert "KEY=1" not in news(session, 3)


def test_a_secret_in_tool_output_never_reaches_the_model(session: Played) -> None:
    assert "[redacted:github-token]" in news(session, 4)
    assert SECRET not in json.dumps([turn.body for turn in session.turns])


def test_a_stop_gate_continues_once_and_then_ends(session: Played, hookline: str) -> None:
    told = [row["event"] for row in trail(session, hookline)]

    assert "NOT-BEFORE-THE-TESTS" in news(session, 5)
    assert len(session.turns) == 6
    assert told.count("Stop") == 2
    assert told.count("UserPromptSubmit") == 1
    assert session.exit == 0


@pytest.fixture(scope="module")
def broken(copilot_cli: Player, hookline: str) -> Played:
    commands = [{"command": command, "name": name} for name, command in BROKEN.items()]
    home = {**wired("copilot-cli", hookline), **user_hooks(PreToolUse=commands)}
    return copilot_cli("broken", home=home, replies=(bash("touch ran.txt"), say("done")), timeout=60)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_hook_of_the_user_stops_nothing_and_is_seen(
    name: str, broken: Played, hookline: str
) -> None:
    assert (broken.repo / "ran.txt").exists()
    assert [notice for notice in broken.notices if name in notice]
    assert [row for row in trail(broken, hookline) if name in str(row["warnings"])]
    assert broken.left == ()


def test_nothing_is_denied_where_hookline_is_gone_and_the_user_is_told(copilot_cli: Player) -> None:
    home = wired("copilot-cli", "/no/such/hookline")
    played = copilot_cli("gone", home=home, replies=(bash("touch ran.txt"), say("done")))

    assert (played.repo / "ran.txt").exists()
    assert "hookline could not run; the call was not checked" in played.notices


def test_a_hook_in_claudes_settings_of_the_repository_is_answered_in_the_other_dialect(
    copilot_cli: Player, hookline: str
) -> None:
    entry = {"type": "command", "command": f"{hookline} hook copilot-cli"}
    settings = {
        "hooks": {name: [{"hooks": [entry]}] for name in ("SessionStart", "PreToolUse", "PostToolUse")}
    }
    home = {
        "../repo/.claude/settings.json": settings,
        **user_hooks(SessionStart=[{"command": "echo CONTEXT-MARK"}]),
    }
    played = copilot_cli(
        "claudes",
        home=home,
        replies=(bash("git push --force"), bash(f"echo {SECRET[:9]}''{SECRET[9:]}"), say("done")),
    )

    assert "CONTEXT-MARK" in news(played, 0)
    assert "dangerous-command:git-push-force" in news(played, 1)
    assert SECRET not in json.dumps([turn.body for turn in played.turns])


def test_a_gate_that_never_lets_go_ends_before_copilots_own_cap(copilot_cli: Player, hookline: str) -> None:
    home = {**wired("copilot-cli", hookline), **user_hooks(Stop=[{"command": "echo NO >&2; exit 2"}])}
    played = copilot_cli("stubborn", home=home, replies=(say("done"),) * 12, timeout=90)

    assert len(played.turns) == 8
    assert played.exit == 0
