"""Fixtures for tests of real clients: the installed clients, and a fresh place for each scenario."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.clients.installed_files import wired

from .client import MACHINE, Client, load, names
from .driver import Played, Player, Scenario, play
from .opencode import SERVED
from .script import Reply


@pytest.fixture(autouse=True)
def only_pinned(request: pytest.FixtureRequest) -> None:
    """Skip tests of clients that are not pinned for this machine's processor."""
    params = getattr(request.node, "callspec", None)
    given = [*(params.params.values() if params else ()), *request.fixturenames]
    words = [word for one in given for word in (one if isinstance(one, tuple) else (one,))]
    for name in names():
        meant = (name, name.replace("-", "_"), f"{name}_served")
        if any(one in words for one in meant) and not load(name).pinned:
            pytest.skip(f"no build of {name} for {MACHINE} is pinned")


@pytest.fixture(scope="session")
def hookline() -> str:
    """Return the path of the `hookline` command in the test environment, so that hooks find it."""
    return str(Path(sys.executable).parent / "hookline")


@pytest.fixture(scope="module")
def claude_code(tmp_path_factory: pytest.TempPathFactory) -> Player:
    return _player(load("claude-code"), tmp_path_factory.mktemp("claude-code"))


@pytest.fixture(scope="module")
def copilot_cli(tmp_path_factory: pytest.TempPathFactory) -> Player:
    return _player(load("copilot-cli"), tmp_path_factory.mktemp("copilot-cli"))


@pytest.fixture(scope="module")
def gemini_cli(tmp_path_factory: pytest.TempPathFactory) -> Player:
    return _player(load("gemini-cli"), tmp_path_factory.mktemp("gemini-cli"))


@pytest.fixture(scope="module")
def qwen_code(tmp_path_factory: pytest.TempPathFactory) -> Player:
    return _player(load("qwen-code"), tmp_path_factory.mktemp("qwen-code"))


@pytest.fixture(scope="module")
def reasonix(tmp_path_factory: pytest.TempPathFactory) -> Player:
    return _player(load("reasonix"), tmp_path_factory.mktemp("reasonix"))


@pytest.fixture
def codex(tmp_path: Path) -> Player:
    return _player(load("codex"), tmp_path)


@pytest.fixture(scope="module")
def opencode(tmp_path_factory: pytest.TempPathFactory) -> Player:
    return _player(load("opencode"), tmp_path_factory.mktemp("opencode"))


@pytest.fixture(scope="module")
def opencode_served(tmp_path_factory: pytest.TempPathFactory) -> Player:
    return _player(SERVED, tmp_path_factory.mktemp("opencode-served"))


def require(client: Client) -> None:
    """Skip the test if *client* is not installed; fail if the clients were requested explicitly."""
    if not client.pinned:
        pytest.skip(f"no build of {client.name} for {MACHINE} is pinned")
    if not client.path.exists():
        refuse = pytest.fail if os.environ.get("HOOKLINE_CLIENTS") else pytest.skip
        refuse(f"{client.name} is not installed in .clients; run: make clients")


def _player(client: Client, folder: Path) -> Player:
    require(client)

    def start(name: str = "place", **told: Any) -> Played:
        (folder / name).mkdir()
        return play(client, Scenario(**told), folder / name)

    return start


@pytest.fixture
def run(request: pytest.FixtureRequest, hookline: str) -> Callable[..., Played]:
    """Return a function that plays a scenario with hookline installed for every moment of a host.

    The host `opencode-served` is OpenCode as a server.
    """

    def wired_play(host: str, replies: tuple[Reply, ...], **more: Any) -> Played:
        files, told = wired(host.removesuffix("-served"), hookline), more.pop("home", {})
        own = next((name for name in files if name.endswith("/settings.json")), "")
        settings = {"settings": files.pop(own)} if own else {}
        name = () if host == "codex" else (request.node.name,)
        player: Player = request.getfixturevalue(host.replace("-", "_"))
        return player(*name, **settings, home={**files, **told}, replies=replies, **more)

    return wired_play
