"""Test hooks in real Gemini CLI, with hookline installed according to the host's definition.

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


def shell(command: str, **more: Any) -> Reply:
    return call("run_shell_command", command=command, description="do it", **more)


def reading(path: str) -> Reply:
    return call("read_file", file_path=path)


@pytest.fixture(scope="module")
def wiring(hookline: str) -> dict[str, Any]:
    settings: dict[str, Any] = wired("gemini-cli", hookline)[".gemini/settings.json"]
    return settings


@pytest.fixture(scope="module")
def helped(gemini_cli: Player, wiring: dict[str, Any]) -> Played:
    """Play a session in which hooks add context and redact a secret."""
    return gemini_cli(
        "helped",
        settings=wiring,
        env={"AUTORESEARCH_BUDGET_END": str(int(time.time()) + 30 * 60 + 55)},
        home=user_hooks(
            SessionStart=[{"command": "echo CONTEXT-MARK"}],
            PreModelCall=[{"command": printing(action="injectContext", additionalContext="MODEL-MARK")}],
            PostModelCall=[{"command": "cat >> ~/answers.jsonl"}],
        ),
        replies=(
            shell("echo worked"),
            reading("missing.txt"),
            shell(f"echo before {spelled_apart(SECRET)} behind"),
            say("done"),
        ),
    )


@pytest.fixture(scope="module")
def guarded(gemini_cli: Player, wiring: dict[str, Any]) -> Played:
    """Play a session with blocked calls and a changed call."""
    new = {"command": "pwd > here.txt", "description": "changed"}
    changed = printing(action="modify", modifiedInput=new)
    return gemini_cli(
        "guarded",
        settings=wiring,
        home=user_hooks(PreToolUse=[{"command": f"grep -q dir_path && {changed} || true"}]),
        replies=(
            shell("touch ran.txt; git push --force"),
            Reply(calls=(*reading(".env").calls, *reading(".env.local").calls)),
            shell("mkdir sub"),
            shell("true", dir_path="sub"),
            say("done"),
        ),
    )


@pytest.fixture(scope="module")
def quiet(gemini_cli: Player, wiring: dict[str, Any]) -> Played:
    """Play a session in which no hook responds."""
    return gemini_cli(
        "quiet", settings=wiring, env=SILENT, replies=(shell("echo hi"), shell("exit 3"), say("done"))
    )


def news(played: Played, turn: int) -> str:
    """Return the messages that were new to the model at *turn*."""
    before = len(played.turns[turn - 1].body["contents"]) if turn else 0
    return json.dumps(played.turns[turn].body["contents"][before:], ensure_ascii=False)


def results(played: Played, turn: int) -> list[dict[str, Any]]:
    """Return the results of all tool calls so far, as the model receives them."""
    parts = [part for content in played.turns[turn].body["contents"] for part in content["parts"]]
    return [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]


def result(played: Played, turn: int) -> dict[str, Any]:
    return results(played, turn)[-1]


def test_the_context_of_a_session_start_reaches_the_model(helped: Played) -> None:
    assert "CONTEXT-MARK" in news(helped, 0)


def test_the_model_sees_its_time_after_a_tool_call_also_where_context_would_be_dropped(
    helped: Played,
) -> None:
    assert "BUDGET" not in news(helped, 0)
    assert re.search(r"worked[^B]*BUDGET: \d+m remaining", result(helped, 1)["output"])
    assert re.search(r"not found[^B]*BUDGET: \d+m remaining", result(helped, 2)["error"])


def test_a_secret_in_the_output_of_a_tool_never_reaches_the_model(helped: Played) -> None:
    assert SECRET not in json.dumps([request.body for request in helped.requests])
    assert re.search(r"The tool ran.*before .* behind", result(helped, 3)["error"], re.DOTALL)


def test_a_call_of_the_model_can_be_added_to_and_keeps_the_results_of_its_tools(helped: Played) -> None:
    assert ["MODEL-MARK" in json.dumps(turn.body["contents"][-1]) for turn in helped.turns] == [True] * 4


def test_the_use_of_tokens_is_heard_once_for_every_call_of_the_model(helped: Played) -> None:
    answers = [json.loads(line) for line in (helped.home / "answers.jsonl").read_text().splitlines()]

    assert [one["model"]["usage"]["totalTokenCount"] for one in answers] == [15] * 4


def test_a_force_push_is_stopped_with_the_reason(guarded: Played) -> None:
    assert not (guarded.repo / "ran.txt").exists()
    assert "dangerous-command:git-push-force" in result(guarded, 1)["error"]


def test_a_read_of_secrets_is_blocked_by_the_host_itself_or_by_us_as_nobody_can_be_asked(
    guarded: Played,
) -> None:
    by_the_host, by_us = results(guarded, 2)[-2:]

    assert "not in workspace" in by_the_host["error"]
    assert "gemini-cli cannot ask one here" in by_us["error"]
    assert guarded.exit == 0


def test_a_changed_input_is_the_whole_input(guarded: Played) -> None:
    assert [path.parent for path in guarded.repo.rglob("here.txt")] == [guarded.repo]
    assert "modified by a hook" in result(guarded, 4)["output"]


def test_a_failing_command_fires_on_error(quiet: Played, hookline: str) -> None:
    rows = [row for row in trail(quiet, hookline) if row["event"] == "OnError"]

    assert [row["summary"] for row in rows] == ["Exit Code: 3"]


def test_the_trail_holds_the_whole_session(quiet: Played, hookline: str) -> None:
    model, tool = ["PreModelCall", "PostModelCall"], ["PreToolUse", "PostToolUse"]
    start, end = ["SessionStart", "UserPromptSubmit", "TurnStart"], ["TurnEnd", "Stop", "SessionEnd"]

    assert [row["event"] for row in trail(quiet, hookline)] == [
        *start, *model, *tool, *model, *tool, "OnError", *model, *end
    ]  # fmt: skip


def test_nothing_is_added_where_nothing_is_asked_for(gemini_cli: Player, quiet: Played) -> None:
    plain = gemini_cli("plain", replies=(shell("echo hi"), shell("exit 3"), say("done")))

    assert [same(request, quiet) for request in quiet.turns] == [
        same(request, plain) for request in plain.turns
    ]


def same(request: Request, played: Played) -> Any:
    """Return *request* without what differs between runs: the path, numbers, and the order of skills."""
    said = [json.dumps(request.body.get(part)) for part in ("contents", "systemInstruction", "tools")]
    place = str(played.repo.parent)
    conversation, *around = (re.sub(r"PGID: \d+|_\d{13}_", "N", one.replace(place, "/place")) for one in said)
    return conversation, [sorted(re.findall(r"\w+|[^\w\s]", one)) for one in around]


def test_a_gate_at_the_end_of_a_turn_makes_it_go_on_once_and_then_it_ends(
    gemini_cli: Player, wiring: dict[str, Any], hookline: str
) -> None:
    home = user_hooks(Stop=[{"command": ONCE}])
    played = gemini_cli("gate", settings=wiring, home=home, replies=(say("one"), say("two"), say("three")))

    assert len(played.turns) == 2
    assert re.search(r"A hook keeps this turn going \(\w{6}\): TEST-FIRST", news(played, 1))
    assert [row["event"] for row in trail(played, hookline)].count("UserPromptSubmit") == 1
    assert played.exit == 0


@pytest.mark.long
@pytest.mark.skipif(not os.environ.get("HOOKLINE_LONG"), reason="takes half a minute; set HOOKLINE_LONG=1")
def test_a_gate_that_never_lets_go_ends_by_our_cap_as_the_host_has_none(
    gemini_cli: Player, wiring: dict[str, Any]
) -> None:
    home = user_hooks(Stop=[{"command": "echo NEVER >&2; exit 2"}])
    played = gemini_cli("endless", settings=wiring, home=home, replies=(say("done"),) * 20, timeout=90)

    assert len(played.turns) == 1 + 7
    assert played.exit == 0


def test_hooks_that_crash_hang_or_print_garbage_stop_nothing_and_are_seen(
    gemini_cli: Player, wiring: dict[str, Any], hookline: str
) -> None:
    replies = (shell("touch ran.txt"), say("done"))
    played = gemini_cli("bad", settings=wiring, home=user_hooks(PreToolUse=list(BAD)), replies=replies)
    kept = str([row["warnings"] for row in trail(played, hookline)])

    assert (played.repo / "ran.txt").exists()
    assert [one for one in BAD if str(one["name"]) not in kept] == []
    assert [one for one in BAD if str(one["name"]) not in played.stderr] == []
    assert played.left == ()


def test_a_call_of_the_model_can_be_blocked(gemini_cli: Player, wiring: dict[str, Any]) -> None:
    home = user_hooks(PreModelCall=[{"command": printing(action="block", reason="NO-MODEL")}])
    played = gemini_cli("blocked", settings=wiring, home=home)

    assert played.requests == ()
    assert "NO-MODEL" in played.stderr


def test_a_program_that_is_gone_denies_nothing_and_is_seen(gemini_cli: Player) -> None:
    settings = wired("gemini-cli", "/no/such/hookline")[".gemini/settings.json"]
    played = gemini_cli("gone", settings=settings, replies=(shell("touch ran.txt"), say("done")))

    assert (played.repo / "ran.txt").exists()
    assert "No such file" in played.stderr
