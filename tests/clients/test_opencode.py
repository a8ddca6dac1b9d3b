"""Test hooks in real OpenCode, with the plugin installed according to the host's definition."""

import json
import time
from typing import Any

import pytest
from tests.clients.installed_files import SECONDS, wired

from .driver import Played, Player, afterwards
from .script import Reply, call, say

pytestmark = pytest.mark.clients

USER_HOOKS = ".config/hookline/hooks.json"
PLUGIN = ".config/opencode/plugins/hookline.js"
SECRET = "ghp_" + "x7Qa9LmT2vRw4KzE8sYb1NcD6fGh3JpU0AbC"
ONCE = "test -e asked || { touch asked; echo 'NOT-BEFORE-THE-TESTS' >&2; exit 2; }"
FETCHED = {
    "../repo/.opencode/package.json": {"dependencies": {"@opencode-ai/plugin": "*"}},
    "../repo/.opencode/package-lock.json": {
        "lockfileVersion": 3,
        "packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}},
    },
    "../repo/.opencode/node_modules/.keep": "",
}
"""Files that keep OpenCode from downloading its plugin package for the repository."""
CHANGED = '{"action": "modify", "modifiedInput": {"command": "echo MARK-2", "description": "changed"}}'
CHANGER = f"sed -n 's/.*MARK-1.*/{CHANGED}/p'"
LOST = """case $(cat) in
*'"tool.execute.before"'*) exec sleep 60 ;;
*'"chat.message"'*) echo nonsense ;;
*) exec /no/such/hookline ;;
esac
"""
BROKEN = {"crasher": "exit 7", "hanger": "sleep 60", "garbler": "echo '{ \x01 no json'"}


def bash(command: str) -> Reply:
    return call("bash", command=command, description="do it")


def user_hooks(**events: list[dict[str, Any]]) -> dict[str, Any]:
    return {USER_HOOKS: {"version": 1, "hooks": events}}


def told(played: Played, turn: int) -> str:
    """Return all messages that the model received at *turn*."""
    return json.dumps(played.turns[turn].body["messages"], ensure_ascii=False)


def result(played: Played, turn: int) -> str:
    """Return the content of the last message that the model received at *turn*."""
    return str(played.turns[turn].body["messages"][-1]["content"])


def twice(hookline: str) -> dict[str, Any]:
    """Return files that install the plugin in both the home and the repository, as in a team."""
    home = wired("opencode", hookline)
    return {**home, **FETCHED, "../repo/.opencode/plugins/hookline.js": home[PLUGIN]}


def trail(played: Played, hookline: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in afterwards(played, hookline, "log", "--json").splitlines()]


@pytest.fixture(scope="module")
def session(opencode: Player, hookline: str) -> Played:
    """Play one session with context, failures, blocked and changed calls, a secret and a blocked stop."""
    gates = user_hooks(
        SessionStart=[{"command": "echo CONTEXT-MARK"}],
        Stop=[{"command": ONCE}],
        PreToolUse=[{"command": CHANGER}],
    )
    return opencode(
        "session",
        home={**twice(hookline), **gates, "../repo/.env": "KEY=1\n"},
        env={"AUTORESEARCH_BUDGET_END": str(int(time.time()) + 12 * 60 + 55)},
        replies=(
            bash("exit 3"),
            bash("touch ran.txt; git push --force"),
            call("read", filePath=".env"),
            bash(f"echo {SECRET[:9]}''{SECRET[9:]}"),
            bash("echo MARK-1"),
            call("read", filePath="/no/such/file"),
            say("done"),
        ),
        timeout=110,
    )


def test_the_context_of_a_session_start_reaches_the_model(session: Played) -> None:
    assert all("CONTEXT-MARK" in told(session, turn) for turn in range(len(session.turns)))


def test_the_model_sees_its_time_after_a_tool_call(session: Played) -> None:
    assert "BUDGET: 12m remaining" not in told(session, 0)
    assert "BUDGET: 12m remaining" in result(session, 1)


def test_a_failing_command_and_a_failing_tool_are_errors(session: Played, hookline: str) -> None:
    errors = [json.dumps(row) for row in trail(session, hookline) if row["event"] == "OnError"]

    assert ["exit code 3" in errors[0], "File not found" in errors[1]] == [True, True]
    assert len(errors) == 2


def test_a_force_push_is_stopped_with_the_reason(session: Played) -> None:
    assert not (session.repo / "ran.txt").exists()
    assert "dangerous-command:git-push-force" in result(session, 2)


def test_a_read_of_dotenv_is_blocked_because_a_plugin_can_ask_nobody(session: Played) -> None:
    assert "privacy-block:sensitive-path" in result(session, 3)
    assert "KEY=1" not in told(session, 3)


def test_a_secret_in_tool_output_never_reaches_the_model(session: Played) -> None:
    assert "[redacted:github-token]" in result(session, 4)
    assert SECRET not in json.dumps([request.body for request in session.requests])


def test_changed_arguments_are_put_in_place(session: Played) -> None:
    assert result(session, 5).startswith("MARK-2")


def test_two_copies_of_the_plugin_ask_once(session: Played, hookline: str) -> None:
    events = [row["event"] for row in trail(session, hookline)]

    assert (events.count("SessionStart"), events.count("PreToolUse"), events.count("Stop")) == (1, 6, 1)


def test_tokens_and_cost_are_told(session: Played, hookline: str) -> None:
    calls = [row for row in trail(session, hookline) if row["event"] == "PostModelCall"]

    assert len(calls) == 7


def test_a_stop_gate_cannot_make_a_headless_run_go_on_and_says_so(session: Played, hookline: str) -> None:
    events = [row["event"] for row in trail(session, hookline)]

    assert "although a hook asked to continue: NOT-BEFORE-THE-TESTS" in session.stderr
    assert events[-3:] == ["TurnEnd", "Stop", "SessionEnd"]
    assert (len(session.turns), session.exit, session.left) == (7, 0, ())


def test_a_stop_gate_continues_once_and_then_ends_where_opencode_lives_on(
    opencode_served: Player, hookline: str
) -> None:
    home = {**wired("opencode", hookline), **user_hooks(Stop=[{"command": ONCE}])}
    played = opencode_served("gate", home=home, replies=(say("done"), say("really done")), timeout=90)
    events = [row["event"] for row in trail(played, hookline)]

    assert result(played, 1) == "NOT-BEFORE-THE-TESTS"
    assert len(played.turns) == 2
    assert (events.count("Stop"), events.count("UserPromptSubmit")) == (2, 1)


@pytest.fixture(scope="module")
def broken(opencode: Player, hookline: str) -> Played:
    commands = [{"command": command, "name": name} for name, command in BROKEN.items()]
    home = {**wired("opencode", hookline), **user_hooks(PreToolUse=commands)}
    return opencode("broken", home=home, replies=(bash("touch ran.txt"), say("done")), timeout=90)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_hook_of_the_user_stops_nothing_and_is_seen(
    name: str, broken: Played, hookline: str
) -> None:
    assert (broken.repo / "ran.txt").exists()
    assert f"hook '{name}'" in broken.stderr
    assert [row for row in trail(broken, hookline) if name in str(row["warnings"])]
    assert broken.left == ()


@pytest.fixture(scope="module")
def lost(opencode: Player) -> Played:
    """Play a session in which hookline hangs, prints invalid output, or is missing, by moment."""
    home = wired("opencode", "/bin/sh $HOME/lost.sh")
    home[PLUGIN] = home[PLUGIN].replace(f'"tool.execute.before": {SECONDS}', '"tool.execute.before": 1')
    replies = (bash("touch ran.txt"), say("done"))
    return opencode("lost", home={**home, "lost.sh": LOST}, replies=replies, timeout=60)


@pytest.mark.parametrize(
    "complaint", ["exited with status 127", "timed out after 1 s", "printed an invalid answer"]
)
def test_the_plugin_throws_nothing_whatever_becomes_of_hookline(complaint: str, lost: Played) -> None:
    assert (lost.repo / "ran.txt").exists()
    assert lost.stderr.count(complaint) == 1
    assert (lost.exit, lost.left) == (0, ())
