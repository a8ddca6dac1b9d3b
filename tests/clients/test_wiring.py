"""Every real client after `hookline init`, and its home after `hookline uninstall`."""

import json
import os
import pty
from pathlib import Path

import pytest

from hookline import hosts

from .client import INSTALLED, load, names
from .driver import Place, Played, Scenario, afterwards, play
from .install import LOCK
from .script import say

RULE = "dangerous-command:git-push-force"
OURS = ".local/state/hookline"
"""The trail and the notes of a person who used it: theirs, and kept."""


def content(home: Path) -> dict[str, bytes | str]:
    """Every file and link of the home by its name from there, but for our own trail."""
    found = (path for path in home.rglob("*") if path.is_symlink() or path.is_file())
    return {
        name: os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in found
        if not (name := str(path.relative_to(home))).startswith(OURS)
    }


def at_a_terminal(place: Place, *argv: str) -> str:
    child, terminal = pty.fork()
    if not child:
        os.chdir(place.repo)
        os.execve(argv[0], argv, place.env)
    seen = b"".join(iter(lambda: _read(terminal), b"")).decode()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, seen
    return seen


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


@pytest.mark.clients
@pytest.mark.parametrize("name", names())
def test_init_guards_the_agent_and_uninstall_leaves_the_home_as_it_was(
    name: str, hookline: str, tmp_path: Path
) -> None:
    client, seen = load(name), dict[str, dict[str, bytes | str]]()
    assert client.path.exists(), f"{name} is not installed in .clients; run: make clients"

    def init(place: Place) -> None:
        seen["before"] = content(place.home)
        afterwards(place, hookline, "init", "--user", "--yes", "--host", name)
        seen["wired"] = content(place.home)

    played = play(
        client,
        Scenario(first=init, replies=(client.shell("touch ran; git push --force"), say("done")), timeout=90),
        tmp_path,
    )
    seen["ran"] = content(played.home)
    at_a_terminal(played, hookline, "uninstall", "--user", "--yes")
    left = content(played.home)

    assert RULE in told(played)
    assert not (played.repo / "ran").exists()
    assert RULE in afterwards(played, hookline, "log", "--json")
    of_the_client = {path for path in seen["ran"] if seen["ran"][path] != seen["wired"].get(path)}
    expected = {path: seen["before"][path] for path in seen["before"] if path not in of_the_client}
    assert {path: left[path] for path in left if path not in of_the_client} == expected
    rewritten = of_the_client & seen["wired"].keys()
    assert not [path for path in rewritten if _calls_us(left.get(path, b""), hookline, name)]


def told(played: Played) -> str:
    return json.dumps([turn.body for turn in played.turns])


def _calls_us(text: bytes | str, hookline: str, name: str) -> bool:
    return isinstance(text, bytes) and f"{hookline} hook {name}".encode() in text


@pytest.mark.parametrize("name", [name for name in hosts.names() if hosts.load(name).proved])
def test_the_release_that_proved_a_host_is_the_one_that_is_pinned(name: str) -> None:
    program = load(name).path.relative_to(INSTALLED)
    locked = json.loads(LOCK.read_text())["packages"]
    version = next(locked[str(folder)]["version"] for folder in program.parents if str(folder) in locked)

    assert version.split("-")[0] == hosts.load(name).proved
