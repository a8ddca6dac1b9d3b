"""Test that sessions of the engine are unattended: guards block where they would only warn a user."""

import json
import time

import pytest
from tests.conftest import CAPTURES, HOOKLINE
from tests.engine.conftest import TARGET

from hookline import hosts
from hookline.core.events import PreToolUse
from hookline.core.payload import decode
from hookline.engine.agents import host_agent
from hookline.hooks._budget_countdown import only_commits

RUN = {"HOOKLINE_RUN": "small-1:1:results.tsv"}


def expired():
    return {**RUN, "AUTORESEARCH_BUDGET_END": str(int(time.time()) - 5)}


def tool_call(name):
    """Return the captured payload, and the moment, of a tool call that does more than commit."""
    host = hosts.load(name)
    for path in sorted((CAPTURES / name).glob("*.json")):
        moment = path.name.partition(".json")[0]
        stem = next((m for m in sorted(host.moments, key=len, reverse=True) if moment.startswith(m)), "")
        payload = json.loads(path.read_text())
        decoded = decode(host, payload, "" if isinstance(payload.get(host.event_key), str) else stem)
        if decoded and isinstance(decoded[1], PreToolUse) and not only_commits(decoded[1], "/"):
            return path.read_text(), decoded[0]
    raise AssertionError(f"no capture of such a call by {name}")


@pytest.mark.parametrize("name", host_agent.names())
def test_after_the_end_each_host_of_the_engine_may_only_commit(user, name):
    payload, moment = tool_call(name)
    words = () if hosts.load(name).event_key in json.loads(payload) else ("--event", moment)
    user.run("hook", name, *words, stdin=payload, **expired())
    (row,) = (row for row in user.log() if row["event"] == "PreToolUse")

    assert "budget-countdown:expired" in str(row)


@pytest.mark.parametrize(
    "call",
    [
        {"tool_name": "Write", "tool_input": {"file_path": "new.txt", "content": "x"}},
        {"tool_name": "Bash", "tool_input": {"command": "python build.py"}},
    ],
)
def test_after_the_end_nothing_is_written_or_built(user, call):
    payload = user.payload("PreToolUse", **call)
    _, reply, _ = user.hook(payload, **expired())
    attended = {key: value for key, value in expired().items() if key not in RUN}
    _, warned, _ = user.hook(payload, **attended)

    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "permissionDecision" not in str(warned)


def test_a_command_that_may_outlast_the_time_is_blocked(user):
    payload = user.payload("PreToolUse", tool_input={"command": "make", "timeout": 600_000})
    _, reply, _ = user.hook(payload, **RUN, AUTORESEARCH_BUDGET_END=str(int(time.time()) + 11))

    assert "10m0s" in reply["hookSpecificOutput"]["permissionDecisionReason"]


@pytest.mark.parametrize("value", ["small-1:1:results.tsv", ""])
def test_a_shell_command_that_reads_secrets_is_blocked(user, value):
    """A repository's settings may empty the variable, so its presence counts."""
    _, reply, _ = user.hook(user.shell("cat .env"), HOOKLINE_RUN=value)

    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_repository_cannot_make_the_session_attended(user):
    user.write(".claude/settings.json", {"env": {"HOOKLINE_RUN": "", "HOOKLINE_PROFILE": ""}})
    _, reply, _ = user.hook(user.shell("cat .env"), HOOKLINE_RUN="", HOOKLINE_PROFILE="")

    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"


CLAUDE = """#!/bin/sh
cat > /dev/null
"$HOOKLINE" hook claude-code < "$HOME/cat.json" >> "$HOME/replies"
"$HOOKLINE" hook claude-code < "$HOME/long.json" >> "$HOME/replies"
"""


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["default", "careful"])
def test_an_agent_of_a_run_works_unattended_with_every_profile(project, profile):
    folder = project.home / "bin"
    folder.mkdir()
    (folder / "claude").write_text(CLAUDE)
    (folder / "claude").chmod(0o755)
    project.env |= {"PATH": f"{folder}:{project.env['PATH']}", "HOOKLINE_DAEMON": "off"}
    project.env["HOOKLINE"] = str(HOOKLINE)
    text = TARGET.replace('\ncommand = "sh \\"$AGENT\\""', "").replace('"command"', '"claude-code"')
    project.target(text.replace('"claude-code"', f'"claude-code"\nprofile = "{profile}"'), experiments=1)
    own = project.root / ".hookline" / "agents" / "careful"
    own.mkdir(parents=True)
    (own / "profile.toml").write_text('[[rules]]\naction = "ask"\ntool = "X"\n')
    captured = json.loads((CAPTURES / "claude-code" / "PreToolUse.json").read_text())
    for name, told in {
        "cat": {"command": "cat .env"},
        "long": {"command": "make", "timeout": 86_400_000},
    }.items():
        call = {**captured, "cwd": str(project.root), "tool_input": told}
        (project.home / f"{name}.json").write_text(json.dumps(call))
    project.hookline("run")
    replies = [json.loads(line) for line in (project.home / "replies").read_text().splitlines()]

    assert [one["hookSpecificOutput"]["permissionDecision"] for one in replies] == ["deny", "deny"]
