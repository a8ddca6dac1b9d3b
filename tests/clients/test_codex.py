"""Test hooks in real Codex, with hookline installed according to the host's definition."""

import json
import os
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.clients.installed_files import wired

from .client import load
from .codex import CONFIG
from .driver import Played, Player, Scenario, afterwards, play
from .model import URL
from .script import Reply, call, say
from .users import SILENT

pytestmark = pytest.mark.clients

USER = ".config/hookline"
SECRET = "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uVwXy"


@pytest.fixture
def home(hookline: str) -> dict[str, Any]:
    return wired("codex", hookline)


def shell(command: str) -> Reply:
    return call("exec_command", cmd=command)


def at(home: dict[str, Any], *moments: str) -> dict[str, Any]:
    """Return the files of *home* with hooks for these *moments* only, because every call takes time."""
    table = home[".codex/hooks.json"]["hooks"]
    return {".codex/hooks.json": {"hooks": {moment: table[moment] for moment in moments}}}


def user_hook(event: str, **entry: Any) -> dict[str, Any]:
    return {f"{USER}/hooks.json": {"version": 1, "hooks": {event: [entry]}}}


def news(played: Played, turn: int) -> list[dict[str, Any]]:
    """Return the items that were new to the model at *turn*."""
    before = len(played.turns[turn - 1].body["input"]) if turn else 0
    return list(played.turns[turn].body["input"][before:])


def result(played: Played, turn: int) -> str:
    """Return the tool result that the model received at *turn*."""
    return next(str(item["output"]) for item in news(played, turn) if item["type"].endswith("_output"))


def told(played: Played, turn: int) -> list[str]:
    """Return the developer messages that the model received at *turn*."""
    items = [item for item in news(played, turn) if item.get("role") == "developer"]
    return [part["text"] for item in items for part in item["content"]]


def ended(played: Played, word: str) -> list[str]:
    """Return the moments for which the client reports that a hook ended with status *word*."""
    lines = [line.split() for line in played.stderr.splitlines() if line.startswith("hook: ")]
    return [line[1] for line in lines if line[2:] == [word]]


def trail(played: Played, hookline: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in afterwards(played, hookline, "log", "--json").splitlines()]


def test_the_context_of_a_session_start_reaches_the_model(codex: Player, home: dict[str, Any]) -> None:
    marked = user_hook("SessionStart", command="echo CONTEXT-MARK")
    played = codex(home=at(home, "SessionStart") | marked)

    assert "CONTEXT-MARK" in "\n".join(told(played, 0))


def test_a_force_push_is_stopped_with_the_reason(codex: Player, home: dict[str, Any]) -> None:
    played = codex(home=home, replies=(shell("touch ran.txt; git push --force"), say("done")))

    assert not (played.repo / "ran.txt").exists()
    assert "dangerous-command:git-push-force" in result(played, 1)
    assert (played.exit, ended(played, "Blocked"), ended(played, "Failed")) == (0, ["PreToolUse"], [])


def test_a_tool_that_reads_env_is_blocked_since_nobody_can_be_asked(
    codex: Player, home: dict[str, Any]
) -> None:
    played = codex(home=at(home, "PreToolUse"), replies=(call("view_image", path=".env"), say("done")))

    assert ".env may hold secrets" in result(played, 1)
    assert "codex cannot ask one here" in result(played, 1)


@pytest.mark.parametrize("setting", ["", "block"], ids=["as-it-comes", "set-to-block"])
def test_a_command_that_reads_env_is_warned_about_or_blocked_as_set(
    setting: str, codex: Player, home: dict[str, Any]
) -> None:
    chosen = {f"{USER}/hookline.toml": f'[hooks.privacy-block]\nshell = "{setting}"\n'} if setting else {}
    read = (shell("echo A=read-it > .env; cat .env"), say("done"))
    played = codex(home=at(home, "PreToolUse") | chosen, replies=read)

    assert ".env" in (result(played, 1) if setting else "\n".join(told(played, 1)))
    assert (played.repo / ".env").exists() is not bool(setting)


@pytest.mark.parametrize("form", ["  *** Add File: .env", "*** Update File: a.txt\n*** Move to: .env"])
def test_a_patch_that_touches_env_is_blocked(form: str, codex: Player, home: dict[str, Any]) -> None:
    patch = f"*** Begin Patch\n*** Add File: a.txt\n+x\n{form}\n+y\n*** End Patch\n"
    played = codex(home=at(home, "PreToolUse"), replies=(call("apply_patch", input=patch), say("done")))

    assert ".env may hold secrets" in result(played, 1)
    assert not (played.repo / "a.txt").exists()


def test_a_patch_of_our_settings_that_the_shell_is_given_is_blocked(
    codex: Player, home: dict[str, Any]
) -> None:
    patch = "*** Begin Patch\n*** Add File: ../home/.config/hookline/hooks.json\n+{}\n*** End Patch"
    replies = (shell(f"apply_patch <<'EOF'\n{patch}\nEOF"), say("done"))
    played = codex(home=at(home, "PreToolUse"), replies=replies)

    assert "self-protect:" in result(played, 1)
    assert not (played.home / USER / "hooks.json").exists()


@pytest.mark.parametrize("command", ["echo worked", "exit 3"], ids=["worked", "failed"])
def test_the_model_reads_its_time_in_a_developers_message_before_the_result_of_a_call_that(
    command: str, codex: Player, home: dict[str, Any]
) -> None:
    ends = {"AUTORESEARCH_BUDGET_END": str(int(time.time()) + 12 * 60 + 55)}
    played = codex(home=at(home, "PostToolUse"), env=ends, replies=(shell(command), say("done")))
    order = [item.get("role") or item["type"] for item in news(played, 1)]

    assert told(played, 1) == ["BUDGET: 12m remaining"]
    assert order == ["function_call", "developer", "function_call_output"]
    assert ("worked" in result(played, 1)) is (command == "echo worked")


def test_a_secret_in_output_never_reaches_the_model(codex: Player, home: dict[str, Any]) -> None:
    printing = f"printf 'token: ghp_%s' {SECRET[:18]}; printf '%s\\n' {SECRET[18:]}; exit 3"
    played = codex(home=at(home, "PostToolUse"), replies=(shell(printing), say("done")))

    assert result(played, 1) == "exit code 3\ntoken: [redacted:github-token]\n"
    assert f"ghp_{SECRET}" not in json.dumps(played.turns[1].body)


def test_a_failing_command_fires_an_error(codex: Player, home: dict[str, Any], hookline: str) -> None:
    replies = (shell("exit 3"), shell("echo fine"), say("done"))
    played = codex(home=at(home, "PostToolUse"), replies=replies)
    rows = [(row["event"], row["summary"]) for row in trail(played, hookline)]

    assert [row for row in rows if row[0] != "SessionStart"] == [
        ("PostToolUse", "exit 3"),
        ("OnError", "exit code 3"),
        ("PostToolUse", "echo fine"),
    ]


def test_a_gate_makes_the_turn_go_on_once(codex: Player, home: dict[str, Any]) -> None:
    once = "[ -e ~/stopped ] || { touch ~/stopped; echo MORE-TO-DO >&2; exit 2; }"
    gate = user_hook("Stop", command=once)
    played = codex(home=at(home, "Stop") | gate, replies=(say("done"), say("now done")))

    assert "MORE-TO-DO" in json.dumps(news(played, 1))
    assert (len(played.turns), played.exit, ended(played, "Failed")) == (2, 0, [])


def test_a_gate_that_never_lets_go_has_no_cap_there_and_ends_by_ours(
    codex: Player, home: dict[str, Any]
) -> None:
    gate = user_hook("Stop", command="echo NEVER >&2; exit 2")
    played = codex(home=at(home, "Stop") | gate, replies=(say("done"),) * 12)

    assert (len(played.turns), played.exit) == (8, 0)


@pytest.mark.parametrize(
    ("hook", "seen"),
    [
        ({"command": "kill -SEGV $$"}, "killed by signal 11"),
        ({"command": "sleep 60", "timeout": 1}, "timed out after 1 s"),
        ({"command": "echo '{nonsense'"}, "not an answer"),
    ],
    ids=["crashing", "hanging", "garbage-printing"],
)
def test_a_broken_hook_of_the_user_stops_nothing_and_is_in_the_trail(
    hook: dict[str, Any], seen: str, codex: Player, home: dict[str, Any], hookline: str
) -> None:
    broken = user_hook("PreToolUse", name="broken", **hook)
    played = codex(home=at(home, "PreToolUse") | broken, replies=(shell("touch ran.txt"), say("done")))
    warnings = [text for row in trail(played, hookline) for text in row["warnings"]]

    assert (played.repo / "ran.txt").exists()
    assert [text for text in warnings if "'broken'" in text and seen in text]
    assert (played.left, ended(played, "Failed")) == ((), [])


def test_hooks_read_the_exact_tokens_of_every_model_request(codex: Player, home: dict[str, Any]) -> None:
    noting = user_hook("PostModelCall", command="cat >> ~/usage")
    played = codex(home=at(home, "PostModelRequest") | noting)
    seen = json.loads((played.home / "usage").read_text())

    assert seen["model"]["name"] == "gpt-5.5"
    assert (seen["model"]["usage"]["input_tokens"], seen["model"]["usage"]["output_tokens"]) == (10, 5)


def test_a_model_request_that_fails_fires_an_error(
    codex: Player, home: dict[str, Any], hookline: str
) -> None:
    nobody = {".codex/config.toml": CONFIG.replace(f"{URL}/v1", f"{URL}/nobody")}
    played = codex(home=at(home, "PostModelRequest") | nobody)
    errors = [row["summary"] for row in trail(played, hookline) if row["event"] == "OnError"]

    assert len(errors) == 1
    assert "404" in errors[0]


def test_hooks_that_nobody_trusts_are_skipped_without_a_word(
    home: dict[str, Any], tmp_path: Path, codex: Player
) -> None:
    client = load("codex")
    trusting = "--dangerously-bypass-hook-trust"
    wary = replace(
        client, command=lambda program: [one for one in client.command(program) if one != trusting]
    )
    played = play(wary, Scenario(home=home, replies=(shell("git push --force"), say("done"))), tmp_path)

    assert "dangerous-command" not in result(played, 1)
    assert "hook: " not in played.stderr


def test_nothing_is_added_where_nothing_is_asked_for(
    codex: Player, home: dict[str, Any], hookline: str
) -> None:
    replies = (shell("echo hi"), say("done"))
    plain = codex("plain", replies=replies)
    hooked = codex("hooked", replies=replies, home=home, env=SILENT)
    events = [row["event"] for row in trail(hooked, hookline)]

    assert said(hooked) == said(plain)
    assert ended(hooked, "Failed") == []
    assert events == [
        "SessionStart",
        "UserPromptSubmit",
        "TurnStart",
        *("PreModelCall", "PostModelCall"),
        *("PreToolUse", "PostToolUse"),
        *("PreModelCall", "PostModelCall"),
        *("TurnEnd", "Stop"),
        "SessionEnd",
    ]


def said(played: Played) -> list[list[str]]:
    """Return the conversation of every request without text that differs between runs."""
    return [[_same(item, str(played.repo.parent)) for item in turn.body["input"]] for turn in played.turns]


def _same(item: dict[str, Any], place: str) -> str:
    text = json.dumps(item.get("content") or item.get("arguments") or item["output"]).replace(place, "/place")
    return text.partition("Output:")[2] or text


CLAUDES = {
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [{"type": "command", "command": "sh ~/.claude/hooks/guard.sh", "timeout": 10}],
            }
        ]
    }
}
GUARD = """cat > ~/seen.json
grep -q deploy ~/seen.json && { echo 'TEAM-RULE: deploys are for Mondays' >&2; exit 2; }
exit 0
"""


def converted(folder: Path, hookline: str) -> str:
    """Return the hooks that `hookline convert` creates from a user's Claude Code hooks."""
    (folder / ".claude").mkdir(parents=True)
    (folder / ".claude/settings.json").write_text(json.dumps(CLAUDES))
    words = (hookline, "convert", "--from", "claude-code", "--to", "codex", "--user", "--yes")
    env = {"HOME": str(folder), "PATH": os.environ["PATH"]}
    subprocess.run(words, cwd=folder, env=env, check=True, capture_output=True, timeout=60)
    return (folder / USER / "hooks.json").read_text()


@pytest.mark.parametrize(
    "command", ["touch ran.txt; echo deploy", "touch ran.txt"], ids=["meant", "not-meant"]
)
def test_a_hook_that_was_written_for_claude_code_and_converted_blocks_what_it_means(
    command: str, codex: Player, home: dict[str, Any], hookline: str, tmp_path: Path
) -> None:
    declared = {f"{USER}/hooks.json": converted(tmp_path / "author", hookline)}
    script = {".claude/hooks/guard.sh": GUARD}
    replies = (shell(command), say("done"))
    played = codex(home=at(home, "PreToolUse") | declared | script, replies=replies)
    seen = json.loads((played.home / "seen.json").read_text())
    blocked = "deploy" in command

    assert ("TEAM-RULE: deploys are for Mondays" in result(played, 1)) is blocked
    assert (played.repo / "ran.txt").exists() is not blocked
    assert (seen["tool_name"], seen["tool_input"]["command"]) == ("Bash", command)
    assert ended(played, "Failed") == []
