"""Test hooks in real Qwen Code, with hookline installed according to the host's definition.

A run takes seconds, so each fixture is one run, and several tests examine it.
"""

import json
import os
import re
import time
from typing import Any

import pytest
from tests.clients.installed_files import wired

from .driver import Played, Player, Request
from .script import Reply, call, say
from .users import BAD, ONCE, SECRET, SILENT, printing, spelled_apart, trail, user_hooks

pytestmark = pytest.mark.clients


def shell(command: str) -> Reply:
    return call("run_shell_command", command=command, description="do it", is_background=False)


@pytest.fixture(scope="module")
def wiring(hookline: str) -> dict[str, Any]:
    settings: dict[str, Any] = wired("qwen-code", hookline)[".qwen/settings.json"]
    return settings


@pytest.fixture(scope="module")
def helped(qwen_code: Player, wiring: dict[str, Any]) -> Played:
    """Play a session in which hooks add context and redact a secret."""
    return qwen_code(
        "helped",
        settings=wiring,
        env={"AUTORESEARCH_BUDGET_END": str(int(time.time()) + 30 * 60 + 55)},
        home=user_hooks(
            SessionStart=[{"command": "echo CONTEXT-MARK"}],
            UserPromptSubmit=[{"command": "echo PROMPT-MARK"}],
        ),
        replies=(
            shell("echo worked"),
            shell("exit 3"),
            shell(f"echo before {spelled_apart(SECRET)} behind"),
            say("done"),
        ),
    )


@pytest.fixture(scope="module")
def guarded(qwen_code: Player, wiring: dict[str, Any]) -> Played:
    """Play a session with blocked calls and a changed call."""
    changed = printing(action="modify", modifiedInput={"command": "touch changed.txt"})
    return qwen_code(
        "guarded",
        settings=wiring,
        home=user_hooks(PreToolUse=[{"name": "changer", "command": f"grep -q CHANGE && {changed} || true"}]),
        replies=(
            shell("touch ran.txt; git push --force"),
            call("read_file", file_path="/secret/.env"),
            shell("touch CHANGE-me.txt"),
            say("done"),
        ),
    )


@pytest.fixture(scope="module")
def quiet(qwen_code: Player, wiring: dict[str, Any]) -> Played:
    """Play a session in which no hook responds."""
    return qwen_code(
        "quiet", settings=wiring, env=SILENT, replies=(shell("echo hi"), shell("exit 3"), say("done"))
    )


def messages(played: Played, turn: int) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = played.turns[turn].body["messages"]
    return said


def news(played: Played, turn: int) -> str:
    """Return the messages that were new to the model at *turn*."""
    before = len(messages(played, turn - 1)) if turn else 0
    return json.dumps(messages(played, turn)[before:], ensure_ascii=False)


def result(played: Played, turn: int) -> str:
    """Return the newest tool result, as the model receives it."""
    return next(str(one["content"]) for one in reversed(messages(played, turn)) if one["role"] == "tool")


def test_the_context_of_a_session_start_reaches_the_model(helped: Played) -> None:
    assert "CONTEXT-MARK" in news(helped, 0)


def test_the_context_of_a_prompt_is_read_once_though_the_prompt_is_told_again_after_every_tool(
    helped: Played,
) -> None:
    assert [news(helped, turn).count("PROMPT-MARK") for turn in range(4)] == [1, 0, 0, 0]


@pytest.mark.parametrize("turn", [1, 2], ids=["worked", "failed"])
def test_the_model_sees_its_time_after_a_tool_call_that(turn: int, helped: Played) -> None:
    assert "BUDGET" not in news(helped, 0)
    assert re.search(r"BUDGET: \d+m remaining", result(helped, turn))
    assert ("Exit Code: 3" in result(helped, turn)) is (turn == 2)


def test_a_secret_in_the_output_of_a_tool_never_reaches_the_model(helped: Played) -> None:
    assert SECRET not in json.dumps([request.body for request in helped.requests])
    assert re.search(r"The tool ran.*before .* behind.*BUDGET", result(helped, 3), re.DOTALL)


def test_a_force_push_is_stopped_with_the_reason(guarded: Played) -> None:
    assert not (guarded.repo / "ran.txt").exists()
    assert "dangerous-command:git-push-force" in result(guarded, 1)


def test_a_read_of_secrets_is_asked_about_and_so_denied_without_a_person(guarded: Played) -> None:
    assert "may hold secrets" in result(guarded, 2)
    assert "privacy-block:sensitive-path" in result(guarded, 2)


def test_an_input_cannot_be_changed_so_the_call_is_stopped(guarded: Played) -> None:
    assert not list(guarded.repo.glob("*.txt"))
    assert "changer tried to change the input, which qwen-code does not support here" in result(guarded, 3)


def test_a_failing_command_fires_on_error(quiet: Played, hookline: str) -> None:
    rows = [row for row in trail(quiet, hookline) if row["event"] == "OnError"]

    assert ["Exit Code: 3" in row["summary"] for row in rows] == [True]


def test_the_trail_holds_the_whole_session_but_its_end_which_is_never_told(
    quiet: Played, hookline: str
) -> None:
    tool = ["PreToolUse", "PostToolUse"]
    start = ["SessionStart", "Notification", "UserPromptSubmit", "TurnStart"]

    assert [row["event"] for row in trail(quiet, hookline)] == [
        *start, *tool, *tool, "OnError", "TurnEnd", "Stop"
    ]  # fmt: skip


def test_nothing_is_added_where_nothing_is_asked_for(qwen_code: Player, quiet: Played) -> None:
    plain = qwen_code("plain", replies=(shell("echo hi"), shell("exit 3"), say("done")))

    assert [same(request, quiet) for request in quiet.turns] == [
        same(request, plain) for request in plain.turns
    ]


def same(request: Request, played: Played) -> Any:
    """Return the conversation of *request* without the path and ids, which differ between runs."""
    said = json.dumps({part: request.body.get(part) for part in ("messages", "tools")})
    said = said.replace(str(played.repo.parent), "/place").replace(_slug(played), "-place")
    return json.loads(re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|PGID: \d+", "ID", said))


def _slug(played: Played) -> str:
    """Return the path of the scenario as the client writes it in its folder names."""
    return re.sub("[^A-Za-z0-9]", "-", str(played.repo.parent))


def test_a_gate_at_the_end_of_a_turn_makes_it_go_on_once_and_then_it_ends(
    qwen_code: Player, wiring: dict[str, Any], hookline: str
) -> None:
    home = user_hooks(Stop=[{"command": ONCE}])
    played = qwen_code("gate", settings=wiring, home=home, replies=(say("one"), say("two"), say("three")))

    assert len(played.turns) == 2
    assert re.search(r"A hook keeps this turn going \(\w{6}\): TEST-FIRST", news(played, 1))
    assert [row["event"] for row in trail(played, hookline)].count("UserPromptSubmit") == 1
    assert played.exit == 0


@pytest.mark.long
@pytest.mark.skipif(not os.environ.get("HOOKLINE_LONG"), reason="takes half a minute; set HOOKLINE_LONG=1")
def test_a_gate_that_never_lets_go_ends_by_our_cap_below_the_hosts_own(
    qwen_code: Player, wiring: dict[str, Any]
) -> None:
    home = user_hooks(Stop=[{"command": "echo NEVER >&2; exit 2"}])
    played = qwen_code("endless", settings=wiring, home=home, replies=(say("done"),) * 20, timeout=90)

    assert len(played.turns) == 1 + 7
    assert "consecutive" not in played.stdout + played.stderr
    assert played.exit == 0


def test_hooks_that_crash_hang_or_print_garbage_stop_nothing_and_are_seen_in_the_log(
    qwen_code: Player, wiring: dict[str, Any], hookline: str
) -> None:
    replies = (shell("touch ran.txt"), say("done"))
    played = qwen_code("bad", settings=wiring, home=user_hooks(PreToolUse=list(BAD)), replies=replies)
    kept = str([row["warnings"] for row in trail(played, hookline)])

    assert (played.repo / "ran.txt").exists()
    assert [one for one in BAD if str(one["name"]) not in kept] == []
    assert played.left == ()
