"""Real Claude Code with hookline wired by hand: what its model, its user and its machine see of our hooks."""

import json
import re
import time
from typing import Any

import pytest

from .claude_code import wire
from .driver import Played, Player, Request, afterwards
from .script import Reply, call, say

pytestmark = pytest.mark.clients

EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "SubagentStop",
    "Notification",
    "Stop",
    "SessionEnd",
)
USER_HOOKS = ".config/hookline/hooks.json"


@pytest.fixture
def wired(hookline: str) -> dict[str, Any]:
    return wire(f"{hookline} hook claude-code", *EVENTS)


def bash(command: str) -> Reply:
    return call("Bash", command=command, description="do it")


def news(played: Played, turn: int) -> str:
    """What the model was sent at *turn* that it had not been sent before."""
    before = len(played.turns[turn - 1].body["messages"]) if turn else 0
    return json.dumps(played.turns[turn].body["messages"][before:], ensure_ascii=False)


def tool_result(played: Played, turn: int) -> dict[str, Any]:
    contents = [message["content"] for message in played.turns[turn].body["messages"]]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    return next(block for block in reversed(blocks) if block["type"] == "tool_result")


def trail(played: Played, hookline: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in afterwards(played, hookline, "log", "--json").splitlines()]


def user_hook(event: str, **entry: Any) -> dict[str, Any]:
    return {USER_HOOKS: {"version": 1, "hooks": {event: [entry]}}}


@pytest.mark.parametrize("command", ["echo worked", "exit 3"], ids=["worked", "failed"])
def test_the_model_sees_its_time_after_a_tool_call_that(
    command: str, claude_code: Player, wired: dict[str, Any]
) -> None:
    ends = {"AUTORESEARCH_BUDGET_END": str(int(time.time()) + 12 * 60 + 55)}
    played = claude_code(settings=wired, env=ends, replies=(bash(command), say("done")))

    assert "BUDGET: 12m remaining" not in news(played, 0)
    assert "BUDGET: 12m remaining" in news(played, 1)
    assert tool_result(played, 1)["is_error"] is (command == "exit 3")


def test_a_force_push_is_stopped_with_the_reason(claude_code: Player, wired: dict[str, Any]) -> None:
    played = claude_code(settings=wired, replies=(bash("touch ran.txt; git push --force"), say("done")))

    assert not (played.repo / "ran.txt").exists()
    assert tool_result(played, 1)["is_error"] is True
    assert "dangerous-command:git-push-force" in tool_result(played, 1)["content"]
    assert played.exit == 0


def test_the_context_of_a_session_start_reaches_the_model(claude_code: Player, wired: dict[str, Any]) -> None:
    played = claude_code(settings=wired, home=user_hook("SessionStart", command="echo CONTEXT-MARK"))

    assert "CONTEXT-MARK" in news(played, 0)


@pytest.mark.parametrize("crash", ["exit 7", "kill -SEGV $$"], ids=["exits-7", "segfault"])
def test_a_crashing_hook_of_the_user_stops_nothing_and_is_seen(
    crash: str, claude_code: Player, wired: dict[str, Any], hookline: str
) -> None:
    home = user_hook("PreToolUse", command=crash, name="crasher")
    played = claude_code(settings=wired, home=home, replies=(bash("touch ran.txt"), say("done")))

    assert (played.repo / "ran.txt").exists()
    assert tool_result(played, 1)["is_error"] is False
    assert [notice for notice in played.notices if "crasher" in notice]
    assert [row for row in trail(played, hookline) if "crasher" in str(row["warnings"])]
    assert played.left == ()


def test_nothing_is_added_where_nothing_is_asked_for(claude_code: Player, wired: dict[str, Any]) -> None:
    replies = (bash("echo hi"), bash("exit 3"), say("done"))
    plain = claude_code("plain", replies=replies)
    hooked = claude_code("hooked", replies=replies, settings=wired)

    assert {run.event for run in hooked.hooks} >= {"SessionStart", "PreToolUse", "PostToolUse", "Stop"}
    assert [run for run in hooked.hooks if run.exit or run.stdout or run.stderr] == []
    assert [same(request, hooked) for request in hooked.turns] == [
        same(request, plain) for request in plain.turns
    ]
    assert hooked.notices == plain.notices


def test_the_trail_holds_the_whole_session(claude_code: Player, wired: dict[str, Any], hookline: str) -> None:
    played = claude_code(settings=wired, replies=(bash("echo hi"), bash("exit 3"), say("done")))
    told = [row["event"] for row in trail(played, hookline)]
    tools = ["PreToolUse", "PostToolUse"]

    assert told == [
        "SessionStart",
        "UserPromptSubmit",
        "TurnStart",
        *tools,
        *tools,
        "OnError",
        "TurnEnd",
        "Stop",
        "SessionEnd",
    ]


def same(request: Request, played: Played) -> Any:
    """The conversation of a request without what differs from run to run: the place, and ids."""
    said = json.dumps({part: request.body[part] for part in ("system", "messages", "tools")})
    said = said.replace(str(played.repo.parent), "/place").replace(_slug(played), "-place")
    return json.loads(re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "ID", said))


def _slug(played: Played) -> str:
    """The place as the client spells it in names of its own folders."""
    return re.sub("[^A-Za-z0-9]", "-", str(played.repo.parent))
