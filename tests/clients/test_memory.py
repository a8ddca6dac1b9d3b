"""Test with real clients that the model of a session receives memories of earlier sessions."""

import json
import shutil
from collections.abc import Callable
from typing import Any

import pytest
from tests.clients.installed_files import wired

from .client import load
from .driver import Place, Played, Player
from .script import Reply, call, say
from .test_loops import cloned

pytestmark = pytest.mark.clients

HOSTS = ("claude-code", "codex", "gemini-cli", "qwen-code")
PUSH = {"name": "shell", "input": {"command": "git push --force"}}
WISH = "Never use floats for money in this repo."


@pytest.fixture
def run(request: pytest.FixtureRequest, hookline: str) -> Callable[..., Played]:
    def play(host: str, replies: tuple[Reply, ...], **more: Any) -> Played:
        files = wired(host, hookline)
        own = next((name for name in files if name.endswith("/settings.json")), "")
        settings = {"settings": {**files.pop(own), **more.pop("more", {})}} if own else {}
        name = () if host == "codex" else (request.node.name,)
        player: Player = request.getfixturevalue(host.replace("-", "_"))
        return player(*name, **settings, home=files, replies=replies, **more)

    return play


@pytest.mark.parametrize("host", HOSTS)
def test_the_next_session_is_told_what_a_person_wished_and_what_worked(
    host: str, run: Callable[..., Played]
) -> None:
    shell = load(host).shell
    tried = (shell("make-nothing a || exit 3"), shell("true; echo fine"))
    replies = (*tried, say("We decided to store amounts as integer cents."))
    before = run(host, replies, prompt=WISH, first=cloned)
    old = before.home.parent.rename(f"{before.home.parent}-before")

    def later(place: Place) -> None:
        cloned(place)
        shutil.copytree(old / "home" / ".local", place.home / ".local", dirs_exist_ok=True)

    played = run(host, (say("done"),), prompt="Go on.", first=later)
    body = json.dumps(played.turns[0].body, ensure_ascii=False)

    assert f"- convention: {WISH.removesuffix('.')}" in body
    assert "- decision: We decided to store amounts as integer cents" in body


RULE = "Always store money as integer cents in this repo, never floats"
ORDER = "rename the folder old_reports to archive"
PROMPTED = (*HOSTS, "copilot-cli")
"""Clients that report prompts and pass context to the model."""
SHOWN = ("claude-code",)
"""Clients that print the messages of a turn's end when they run without a terminal."""


@pytest.mark.parametrize("host", PROMPTED)
def test_a_rule_inside_a_longer_prompt_is_told_where_it_matters_without_the_order(
    host: str, run: Callable[..., Played]
) -> None:
    before = run(
        host, (say("done"),), prompt=f"{RULE}. Now {ORDER} and tell me when you are done.", first=cloned
    )
    shown = f"{before.stdout}\n{before.stderr}\n{before.hooks}"
    old = before.home.parent.rename(f"{before.home.parent}-before")

    def later(place: Place) -> None:
        cloned(place)
        for name in (".local", ".copilot/hookline"):
            if (old / "home" / name).exists():
                shutil.copytree(old / "home" / name, place.home / name, dirs_exist_ok=True)

    asked = "Add a column for the price to the orders table; it is an amount of money."
    played = run(host, (say("done"),), prompt=asked, first=later)
    body = json.dumps(played.turns[0].body, ensure_ascii=False)

    assert f"- convention: {RULE}" in body
    assert ORDER not in body.partition("[Handoff]")[0]
    if host in SHOWN:
        assert f"remembered: {RULE} (convention)" in shown
        assert "undo: `hookline memory forget " in shown


def test_an_agent_recalls_and_remembers_by_itself(run: Callable[..., Played], hookline: str) -> None:
    """Gemini CLI uses the server entry from the documentation."""
    served = {"mcpServers": {"hookline": {"command": hookline, "args": ["mcp", "serve"]}}}
    kept = "Amounts are stored as integer cents"
    asked = (
        call("mcp_hookline_remember", text=kept, kind="decision"),
        call("mcp_hookline_recall", question="how are amounts stored?"),
        call("mcp_hookline_verdict", hook="PreToolUse", event={"tool": PUSH}),
    )
    played = run("gemini-cli", (*asked, say("done")), more=served)
    bodies = [json.dumps(turn.body["contents"], ensure_ascii=False) for turn in played.turns]

    assert bodies[2].count(kept) == bodies[1].count(kept) + 1
    assert "dangerous-command:git-push-force" in bodies[3]
