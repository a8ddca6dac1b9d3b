"""Test loops with real clients: the model is warned, and then the repeated call is blocked."""

import json
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from tests.clients.installed_files import wired

from .client import load
from .driver import Place, Played, Player
from .script import Reply, call, say
from .test_budgets import SHELLS

pytestmark = pytest.mark.clients

FAILS = "echo once >> ../runs.txt; echo 'error: widget 7 is missing' >&2; exit 1"
"""A failing command that counts its runs outside the project, because the workspace must not change."""


@pytest.fixture
def run(request: pytest.FixtureRequest, hookline: str) -> Callable[..., Played]:
    def play(host: str, replies: tuple[Reply, ...], **more: Any) -> Played:
        files = wired(host, hookline)
        own = next((name for name in files if name.endswith("/settings.json")), "")
        settings = {"settings": files.pop(own)} if own else {}
        name = () if host == "codex" else (request.node.name,)
        player: Player = request.getfixturevalue(host.replace("-", "_"))
        return player(*name, **settings, home=files, replies=replies, **more)

    return play


@pytest.mark.parametrize("host", SHELLS)
def test_the_third_failure_is_told_and_the_fourth_call_stopped(host: str, run: Callable[..., Played]) -> None:
    played = run(host, (*(SHELLS[host](FAILS) for _ in range(4)), say("done")))
    bodies = [json.dumps(turn.body, ensure_ascii=False) for turn in played.turns]

    assert "LOOP" not in bodies[2]
    assert "failed with the same error at least three times" in bodies[3]
    assert "[loop-breaker:repeated-failure]" in bodies[4]
    assert bodies[4].count("widget 7 is missing") >= bodies[3].count("widget 7 is missing")


NEEDS = "test -f ready || { echo 'error: widget 7 is not ready' >&2; exit 1; }"
MENDS = "touch ready"


def cloned(place: Place) -> None:
    """Add a remote, so that knowledge about one clone is used in another clone of the same repository."""
    address = "https://git.example/team/app.git"
    subprocess.run(["git", "remote", "add", "origin", address], cwd=place.repo, env=place.env, check=True)


@pytest.mark.parametrize("host", SHELLS)
def test_the_next_session_reads_what_helped(host: str, run: Callable[..., Played]) -> None:
    shell = SHELLS[host]
    before = run(host, (shell(NEEDS), shell(MENDS), shell(NEEDS), say("done")), first=cloned)
    old = before.home.parent.rename(f"{before.home.parent}-before")

    def later(place: Place) -> None:
        cloned(place)
        shutil.copytree(old / "home" / ".local", place.home / ".local", dirs_exist_ok=True)

    played = run(host, (shell(NEEDS), say("done")), first=later)
    body = json.dumps(played.turns[1].body, ensure_ascii=False)

    assert f"the command passed after `{MENDS}`" in body


def again(host: str, times: int) -> list[Reply]:
    """Return the same call several times; descriptions vary for clients that detect loops themselves."""
    ways = {"gemini-cli": "run_shell_command", "qwen-code": "run_shell_command"}
    name = ways.get(host)
    if name is None:
        return [load(host).shell(FAILS)] * times
    return [call(name, command=FAILS, description=f"try {n}", is_background=False) for n in range(times)]


ENDING = ("claude-code", "gemini-cli", "opencode")
"""Hosts in which a hook can end a run."""


@pytest.mark.parametrize("host", ENDING)
def test_a_run_that_does_not_let_go_is_ended(host: str, run: Callable[..., Played]) -> None:
    played = run(host, (*again(host, 12), say("done")))
    ran = (played.home.parent / "runs.txt").read_text().count("once")

    assert (ran, len(played.turns)) == (3, 6)
    assert "loop-breaker:ended" in said(played)


@pytest.mark.parametrize("host", ["codex", "qwen-code"])
def test_where_a_run_cannot_be_ended_every_call_is_stopped_aloud(
    host: str, run: Callable[..., Played]
) -> None:
    other = load(host).shell("echo other > ../other.txt")
    played = run(host, (*again(host, 6), other, say("done")))

    assert (played.home.parent / "runs.txt").read_text().count("once") == 3
    assert not (played.home.parent / "other.txt").exists()
    assert "[loop-breaker:ended]" in json.dumps(played.turns[-1].body)
    assert f"{host} cannot end the run here; further calls are blocked instead" in said(played)


def said(played: Played) -> str:
    """Return the records of hookline's audit log."""
    from hookline.core.store import Query
    from hookline.stores.sqlite import open_store

    store = open_store(str(played.home / ".local/state/hookline/hookline.db"))
    try:
        return "\n".join(str(one) for _, one in store.records(Query()))
    finally:
        store.close()
