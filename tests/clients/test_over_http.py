"""Real clients that ask over http, after `hookline init --user --http`: also when nobody answers any more."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from hookline.daemon import control, start
from hookline.daemon.paths import find

from .claude_code import wire
from .client import load
from .driver import Place, Played, Scenario, afterwards, play
from .script import Reply, call, say
from .users import user_hooks

pytestmark = pytest.mark.clients

RULE = "dangerous-command:git-push-force"
OK = 200
"""What it shows for an exit code where no process was started."""
START = (
    f"{sys.executable} -m hookline.daemon > /dev/null 2>&1 & echo $! > $HOME/daemon; "
    "while [ ! -e $XDG_RUNTIME_DIR/hookline/address ]; do sleep 0.05; done"
)
"""The client has a network of its own, in which no daemon of ours would be found."""
KILL = "kill -9 $(cat $HOME/daemon)\n"
HELPER = call("Agent", description="help", prompt="say hi", subagent_type="general-purpose")


def played(
    name: str,
    hookline: str,
    place: Path,
    how: str,
    replies: tuple[Reply, ...],
    files: Mapping[str, Any] = MappingProxyType({}),
    *,
    dead: bool = True,
) -> Played:
    """After `init`; where it is *dead* once it was killed, commands leave it so."""
    client, runtime = load(name), place / "run"
    assert client.path.exists(), f"{name} is not installed in .clients; run: make clients"
    runtime.mkdir(mode=0o700)

    def first(here: Place) -> None:
        afterwards(here, hookline, "init", "--user", "--yes", "--host", name, how)
        assert control.stop(find(here.env))

    begin = {"type": "command", "name": "begin", "command": START, "timeout": 30}
    return play(
        client,
        Scenario(
            first=first,
            env={"XDG_RUNTIME_DIR": str(runtime), start.SWITCH: "on"},
            settings={
                "env": {start.SWITCH: "off"} if dead else {},
                "hooks": {"SessionStart": [{"hooks": [begin]}]},
            },
            home={"../repo/end.sh": KILL, **files},
            replies=replies,
            timeout=90,
        ),
        place,
    )


def bash(command: str) -> Reply:
    return call("Bash", command=command, description="do it")


def result(seen: Played, turn: int) -> str:
    return json.dumps(seen.turns[turn].body["messages"][-2:])


def trail(seen: Played, hookline: str, event: str) -> list[dict[str, Any]]:
    told = afterwards(seen, hookline, "log", "--json")
    return [row for row in map(json.loads, told.splitlines()) if row["event"] == event]


def test_guards_over_http_block_and_nothing_gets_past_them_when_nobody_answers(
    hookline: str, tmp_path: Path
) -> None:
    push = bash("touch pushed; git push --force")
    replies = (bash("touch one"), push, bash("sh end.sh"), push, bash("touch two"), say("done"))
    seen = played("claude-code", hookline, tmp_path, "--http=guards", replies)
    asked = [one for one in seen.hooks if one.event == "PreToolUse"]

    assert [(seen.repo / name).exists() for name in ("one", "pushed", "two")] == [True, False, False]
    assert RULE in result(seen, 2)
    assert "blocking because onFailure" in result(seen, 4)
    assert "blocking because onFailure" in result(seen, 5)
    assert [one.exit for one in asked] == [OK, OK, OK, None, None]
    assert [RULE in one.stdout for one in asked] == [False, True, False, False, False]
    assert [row["action"] for row in trail(seen, hookline, "PreToolUse")][::-1].count("block") == 1
    assert len(trail(seen, hookline, "PreToolUse")) == 3
    assert len(trail(seen, hookline, "PostToolUse")) == 2


def test_what_is_only_watched_arrives_over_http_and_guards_are_commands(
    hookline: str, tmp_path: Path
) -> None:
    push = bash("touch pushed; git push --force")
    replies = (HELPER, say("hi"), push, bash("sh end.sh"), push, bash("touch two"), say("done"))
    seen = played("claude-code", hookline, tmp_path, "--http", replies)
    watched = [one for one in seen.hooks if one.event == "SubagentStart"]

    assert [(seen.repo / name).exists() for name in ("pushed", "two")] == [False, True]
    assert [(one.exit, one.stderr) for one in watched] == [(OK, "")]
    assert len(trail(seen, hookline, "SubagentStart")) == 1
    assert [RULE in one.stdout for one in seen.hooks if one.event == "PreToolUse"].count(True) == 2


def test_qwen_code_asks_over_http_what_is_only_watched(hookline: str, tmp_path: Path) -> None:
    helper = call("agent", description="help", prompt="say hi", subagent_type="general-purpose")
    push = call("run_shell_command", command="touch pushed; git push --force", is_background=False)
    seen = played("qwen-code", hookline, tmp_path, "--http", (helper, say("hi"), push, say("done")))

    assert not (seen.repo / "pushed").exists()
    assert len(trail(seen, hookline, "SubagentStart")) == 1


def test_asked_both_ways_at_once_it_is_recorded_once(hookline: str, tmp_path: Path) -> None:
    """The user's settings have it ask over http, the project's have it start what asks the daemon."""
    client = f"exec {hookline}-client hook claude-code"
    begun = ("UserPromptSubmit", "PreToolUse")
    slow = {"PreToolUse": [{"command": "sleep 1; echo x >> ran"}]}
    seen = played(
        "claude-code",
        hookline,
        tmp_path,
        "--http=guards",
        (bash("touch one"), bash("touch pushed; git push --force"), say("done")),
        {"../repo/.claude/settings.json": wire(client, *begun), **user_hooks(**slow)},
        dead=False,
    )
    asked = [one for one in seen.hooks if one.event == "PreToolUse"]

    assert sorted(one.exit or 0 for one in asked) == [0, 0, OK, OK]
    assert [RULE in one.stdout for one in asked].count(True) == 2
    assert (seen.repo / "ran").read_text() == "x\n"  # the other one was stopped before
    rows = [json.dumps(row) for row in trail(seen, hookline, "PreToolUse")]
    assert ["answered once" in row for row in rows].count(True) == len(rows) - 2 == 2
