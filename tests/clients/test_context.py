"""Test that the models of real clients receive the context for sessions, prompts and subagents."""

import json
import os
from collections.abc import Callable
from typing import Any

import pytest
from tests.clients.installed_files import wired

from .client import load
from .driver import Place, Played, Player
from .script import Reply, call, say
from .users import printing, user_hooks

pytestmark = pytest.mark.clients

HOSTS = ("claude-code", "codex")
TSV = (
    "# metric_direction: lower\niteration\tmetric\tstatus\tdescription\n"
    "0\t0.90\tbaseline\tas it was\n1\t0.81\tkeep\tMARK-OF-THE-ROW\n"
)
HELPERS = {
    "claude-code": call(
        "Agent", description="help", prompt="say hi", subagent_type="general-purpose", run_in_background=False
    ),
    "codex": call("multi_agent_v1__spawn_agent", message="say hi"),
}
EVERY = "[hooks.iteration-context]\nevery = 1\n"


def experiments(place: Place) -> None:
    """Write a journal that was modified just now."""
    folder = place.repo / "autoresearch" / "speed"
    folder.mkdir(parents=True)
    (folder / "results.tsv").write_text(TSV)
    os.utime(folder / "results.tsv")


@pytest.fixture
def run(request: pytest.FixtureRequest, hookline: str) -> Callable[..., Played]:
    def play(host: str, *replies: Reply, **more: Any) -> Played:
        files, told = wired(host, hookline), more.pop("home", {})
        own = next((name for name in files if name.endswith("/settings.json")), "")
        settings = {"settings": files.pop(own)} if own else {}
        name = () if host == "codex" else (request.node.name,)
        player: Player = request.getfixturevalue(host.replace("-", "_"))
        return player(*name, **settings, home={**files, **told}, replies=replies, **more)

    return play


def received(played: Played, turn: int = 0) -> str:
    return json.dumps(played.turns[turn].body, ensure_ascii=False)


@pytest.mark.parametrize("host", HOSTS)
def test_the_model_reads_where_it_is_and_how_the_experiments_stand(
    host: str, run: Callable[..., Played]
) -> None:
    played = run(host, say("done"), first=experiments, home={".config/hookline/hookline.toml": EVERY})
    first = received(played)

    assert f"- project root: {played.repo}" in first
    assert "- branch: main" in first
    assert "- reports: plans/reports" in first
    assert "[Iterations] autoresearch/speed/results.tsv: 1 iteration, metric 0.81, best 0.81" in first
    assert "MARK-OF-THE-ROW" in first


@pytest.mark.parametrize("host", HOSTS)
def test_without_experiments_nothing_is_said_of_them(host: str, run: Callable[..., Played]) -> None:
    played = run(host, say("done"), home={".config/hookline/hookline.toml": EVERY})

    assert "[Session]" in received(played)
    assert "[Iterations]" not in received(played)


@pytest.mark.parametrize("host", HOSTS)
def test_a_helper_reads_it_too(host: str, run: Callable[..., Played]) -> None:
    played = run(host, HELPERS[host], *(say("hi"),) * 4, first=experiments)
    told = [turn for turn in range(len(played.turns)) if "[Experiments]" in received(played, turn)]

    assert told
    assert "- journal: autoresearch/speed/results.tsv" in received(played, told[0])
    assert "- latest metric: 0.81" in received(played, told[0])
    assert "say hi" in received(played, told[0])


def test_the_end_of_a_run_of_claude_code_is_told_once(run: Callable[..., Played]) -> None:
    played = run("claude-code", say("done"), env={"TMPDIR": "/tmp"})
    shown = [
        one.event for one in played.hooks if "]777;notify;hookline;" in one.stdout.replace("\\u001b", "")
    ]

    assert shown == ["Stop"]


SUMMARY = {"summary": "restore failed: no access", "redacted": True}


@pytest.mark.parametrize(
    "host", ["claude-code", "codex", "copilot-cli", "gemini-cli", "opencode", "qwen-code"]
)
def test_an_object_of_a_hook_replaces_the_output_for_the_model(host: str, run: Callable[..., Played]) -> None:
    hooks = user_hooks(PostToolUse=[{"command": printing(action="modify", modifiedOutput=SUMMARY)}])
    played = run(host, load(host).shell("echo RAW-$((3 * 9))"), say("done"), home=hooks)
    body = json.loads(received(played, 1))

    assert SUMMARY["summary"] in json.dumps(body)
    assert "RAW-27" not in json.dumps(body)
