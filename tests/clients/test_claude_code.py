"""Test hooks in real Claude Code, with hookline configured by hand.

A run takes seconds, so each fixture is one run, and several tests examine it.
"""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from .claude_code import wire
from .client import load
from .driver import Played, Player, Request, Scenario, play
from .installed_files import wired
from .script import Reply, call, say
from .terminal import attended
from .users import BAD, ONCE, SECRET, SILENT, spelled_apart, trail, user_hooks

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
WORST = (*BAD, {"name": "quitter", "command": "exit 7"})


def bash(command: str) -> Reply:
    return call("Bash", command=command, description="do it")


@pytest.fixture(scope="module")
def wiring(hookline: str) -> dict[str, Any]:
    return wire(f"{hookline} hook claude-code", *EVENTS)


@pytest.fixture(scope="module")
def helped(claude_code: Player, wiring: dict[str, Any]) -> Played:
    """Play a session in which hooks add context and redact a secret."""
    return claude_code(
        "helped",
        settings=wiring,
        env={"AUTORESEARCH_BUDGET_END": str(int(time.time()) + 30 * 60 + 55)},
        home=user_hooks(SessionStart=[{"command": "echo CONTEXT-MARK"}]),
        replies=(
            bash("echo worked"),
            bash("exit 3"),
            bash(f"echo before {spelled_apart(SECRET)} behind"),
            say("done"),
        ),
    )


@pytest.fixture(scope="module")
def guarded(claude_code: Player, wiring: dict[str, Any]) -> Played:
    """Play a session with blocked calls and a Stop hook that blocks once."""
    return claude_code(
        "guarded",
        settings=wiring,
        home={**user_hooks(Stop=[{"command": ONCE}]), "../repo/.env": "KEY=hunter2\n"},
        replies=(
            bash("touch ran.txt; git push --force"),
            call("Read", file_path=".env"),
            say("one"),
            say("two"),
            say("three"),
        ),
    )


@pytest.fixture(scope="module")
def quiet(claude_code: Player, wiring: dict[str, Any]) -> Played:
    """Play a session in which no hook responds."""
    return claude_code(
        "quiet", settings=wiring, env=SILENT, replies=(bash("echo hi"), bash("exit 3"), say("done"))
    )


@pytest.fixture(scope="module")
def bad(claude_code: Player, wiring: dict[str, Any]) -> Played:
    """Play a session in which all of the user's hooks are broken."""
    home = user_hooks(PreToolUse=list(WORST))
    return claude_code("bad", settings=wiring, home=home, replies=(bash("touch ran.txt"), say("done")))


def news(played: Played, turn: int) -> str:
    """Return the messages that were new to the model at *turn*."""
    before = len(played.turns[turn - 1].body["messages"]) if turn else 0
    return json.dumps(played.turns[turn].body["messages"][before:], ensure_ascii=False)


def tool_result(played: Played, turn: int) -> dict[str, Any]:
    contents = [message["content"] for message in played.turns[turn].body["messages"]]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    return next(block for block in reversed(blocks) if block["type"] == "tool_result")


def test_the_context_of_a_session_start_reaches_the_model(helped: Played) -> None:
    assert "CONTEXT-MARK" in news(helped, 0)


@pytest.mark.parametrize("turn", [1, 2], ids=["worked", "failed"])
def test_the_model_sees_its_time_after_a_tool_call_that(turn: int, helped: Played) -> None:
    assert "BUDGET" not in news(helped, 0)
    assert re.search(r"BUDGET: \d+m remaining", news(helped, turn))
    assert tool_result(helped, turn)["is_error"] is (turn == 2)


def test_a_secret_in_the_output_of_a_tool_never_reaches_the_model(helped: Played) -> None:
    assert SECRET not in json.dumps([request.body for request in helped.requests])
    assert re.search(r"before \S*redacted\S* behind", tool_result(helped, 3)["content"])


def test_a_force_push_is_stopped_with_the_reason(guarded: Played) -> None:
    assert not (guarded.repo / "ran.txt").exists()
    assert tool_result(guarded, 1)["is_error"] is True
    assert "dangerous-command:git-push-force" in tool_result(guarded, 1)["content"]


def test_a_read_of_dotenv_is_asked_about_which_headless_means_refused(guarded: Played) -> None:
    assert tool_result(guarded, 2)["is_error"] is True
    assert "privacy-block:sensitive-path" in tool_result(guarded, 2)["content"]
    assert "hunter2" not in json.dumps([request.body for request in guarded.requests])


def test_a_gate_at_the_end_of_a_turn_makes_it_go_on_once_and_then_it_ends(
    guarded: Played, hookline: str
) -> None:
    told = [row["event"] for row in trail(guarded, hookline)]

    assert len(guarded.turns) == 4
    assert "TEST-FIRST" in news(guarded, 3)
    assert (told.count("Stop"), told.count("UserPromptSubmit")) == (2, 1)
    assert guarded.exit == 0


def test_a_failing_command_fires_on_error(quiet: Played, hookline: str) -> None:
    errors = [row for row in trail(quiet, hookline) if row["event"] == "OnError"]

    assert ["Exit code 3" in row["summary"] for row in errors] == [True]


def test_hooks_that_crash_hang_or_print_garbage_stop_nothing(bad: Played) -> None:
    assert (bad.repo / "ran.txt").exists()
    assert tool_result(bad, 1)["is_error"] is False
    assert bad.left == ()


@pytest.mark.parametrize("name", [one["name"] for one in WORST])
def test_is_seen_by_the_user_and_in_the_log_the_broken(name: str, bad: Played, hookline: str) -> None:
    assert [notice for notice in bad.notices if name in notice]
    assert [row for row in trail(bad, hookline) if name in str(row["warnings"])]


def test_nothing_is_added_where_nothing_is_asked_for(claude_code: Player, quiet: Played) -> None:
    plain = claude_code("plain", replies=(bash("echo hi"), bash("exit 3"), say("done")))

    assert {run.event for run in quiet.hooks} >= {"SessionStart", "PreToolUse", "PostToolUse", "Stop"}
    assert [run for run in quiet.hooks if run.exit or run.stdout or run.stderr] == []
    assert [same(request, quiet) for request in quiet.turns] == [
        same(request, plain) for request in plain.turns
    ]
    assert quiet.notices == plain.notices


def test_the_trail_holds_the_whole_session(quiet: Played, hookline: str) -> None:
    told = [row["event"] for row in trail(quiet, hookline)]
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
    """Return the conversation of *request* without the path and ids, which differ between runs."""
    said = json.dumps({part: request.body[part] for part in ("system", "messages", "tools")})
    said = said.replace(str(played.repo.parent), "/place").replace(_slug(played), "-place")
    return json.loads(re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "ID", said))


def _slug(played: Played) -> str:
    """Return the path of the scenario as the client writes it in its folder names."""
    return re.sub("[^A-Za-z0-9]", "-", str(played.repo.parent))


QUESTION: dict[str, Any] = {
    "questions": [
        {
            "question": "May I read .env?",
            "header": "Secrets",
            "multiSelect": False,
            "options": [
                {"label": "Yes", "description": "read it"},
                {"label": "No", "description": "leave it"},
            ],
        }
    ]
}
YES, NO = "1", "2"


@pytest.mark.parametrize(
    ("key", "answers", "reads"),
    [(YES, {}, True), (NO, {}, False), (YES, {"answers": {"May I read .env?": "Yes"}}, False)],
    ids=["yes", "no", "answered by the agent"],
)
def test_a_person_approves_a_file_through_the_question_tool(
    tmp_path: Path, hookline: str, *, key: str, answers: dict[str, Any], reads: bool
) -> None:
    settings = wired("claude-code", hookline)[".claude/settings.json"]
    keys = (("auto", "please do it\r"), ("Secrets", key), ("finished", "/exit\r"))
    replies = (
        call("AskUserQuestion", **QUESTION, **answers),
        call("Read", file_path="APPROVED:.env"),
        say("It is finished."),
    )
    played = play(
        attended(load("claude-code"), *keys),
        Scenario(
            settings=settings,
            replies=replies,
            first=lambda place: (place.repo / ".env").write_text("COLOUR=green\n"),
            timeout=200,
        ),
        tmp_path,
    )

    received = json.dumps(played.turns[2].body)
    assert ("COLOUR=green" in received, "An agent cannot approve itself" in received) == (reads, not reads)
