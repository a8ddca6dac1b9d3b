"""Test real clients as the engine runs them: with the host's headless command, and hooks in the worktree."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hookline import hosts
from hookline.engine.agents.host_agent import permission_args
from hookline.engine.host_setup import install, restore_files
from hookline.engine.host_setup import installing_arguments as words_of
from hookline.engine.profiles import load as profile

from .client import Client, load
from .driver import Place, Played, Scenario, play
from .opencode import PLUGIN_PACKAGE
from .script import say

pytestmark = pytest.mark.clients
NAMES = ("claude-code", "codex", "gemini-cli", "qwen-code", "copilot-cli", "opencode")
PROMPT = "please do it"
FETCHED = {
    "package.json": json.dumps(PLUGIN_PACKAGE),
    "package-lock.json": json.dumps({"lockfileVersion": 3, "packages": {"": PLUGIN_PACKAGE}}),
    "node_modules/.keep": "",
}


def unattended(client: Client) -> Callable[[str], list[str]]:
    """Return a function for the client's command line that uses the engine's arguments."""

    def command(program: str) -> list[str]:
        host = hosts.load(client.name)
        usual = client.command(program)
        at = host.headless.index(host.program)
        words = [*host.headless[at + 1 :], *permission_args(host, profile("default", "/nowhere"))]
        before = [*host.headless[:at], *usual[: usual.index(program) + 1]]
        told = [word.replace("{prompt}", PROMPT) for word in words if "{model}" not in word]
        env = {"PATH": str(Path(sys.executable).parent), "HOOKLINE_DAEMON": "off"}
        return [*before, *told, *words_of(host, "/nowhere", env)]

    return command


def _linked(place: Place) -> None:
    """Replace the repository by a linked worktree as the engine uses; some hosts treat it differently."""
    main = place.home.parent / "main"
    place.repo.rename(main)
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for words in (
        [*who, "commit", "-q", "--allow-empty", "-m", "begin"],
        ["worktree", "add", "-q", str(place.repo)],
    ):
        subprocess.run(["git", *words], cwd=main, env=dict(place.env), check=True, timeout=30)


@pytest.fixture(params=NAMES)
def worked(request: pytest.FixtureRequest, tmp_path: Path, hookline: str) -> Played:
    client = load(request.param)
    if not client.path.exists():
        pytest.skip(f"{client.name} is not installed in .clients; run: make clients")

    def first(place: Place) -> None:
        _linked(place)
        if client.name == "opencode":  # otherwise it waits while it tries to download its plugin package
            for name, content in FETCHED.items():
                path = place.repo / ".opencode" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)
        found = {**place.env, "PATH": f"{Path(hookline).parent}:{place.env['PATH']}"}
        assert install(client.name, str(place.repo), str(tmp_path / "undo"), found) == ()

    told: dict[str, Any] = {
        "replies": (client.shell("git push --force"), client.shell("echo hi"), say("Made it shorter.")),
        "env": {"AUTORESEARCH_BUDGET_END": f"{time.time() + 900:.0f}", "HOOKLINE_RUN": "r:1:/j"},
    }
    folder = tmp_path / "place"
    folder.mkdir()
    played = play(
        replace(client, command=unattended(client)), Scenario(prompt=PROMPT, first=first, **told), folder
    )
    assert played.exit == 0, played.stderr[-2000:]
    return played


def test_a_host_that_is_wired_in_its_worktree_is_guarded_and_sees_the_clock(
    worked: Played, tmp_path: Path
) -> None:
    heard = "".join(str(request.body) for request in worked.turns)

    assert "dangerous-command:git-push-force" in heard
    assert "BUDGET: 14m remaining" in heard
    assert restore_files(str(tmp_path / "undo")) == ()
    left = [path for path in worked.repo.rglob("*") if ".git" not in path.parts and path.is_file()]
    assert not [path for path in left if b"hookline" in path.read_bytes()]
