"""Test every real client after `hookline init`, and its home after `hookline uninstall`."""

import json
import os
import pty
from pathlib import Path
from typing import Any

import pytest

from hookline import hosts

from .client import INSTALLED, load, names
from .driver import Place, Played, Scenario, afterwards, play
from .install import LOCK
from .script import say

RULE = "dangerous-command:git-push-force"
OURS = "home/.local/state/hookline"
"""Folder of the user's audit log and memories, which uninstalling keeps."""
FOLDER = "a folder"
SCOPES = [
    *((name, "user") for name in names()),
    # OpenCode is missing because it would try for a minute to download its plugin package.
    *((name, "project") for name in ("claude-code", "copilot-cli")),
]
"""Clients and scopes; the other clients have no project files or require approval for project hooks."""
Content = dict[str, bytes | str]


def content(place: Place) -> Content:
    """Return all files, links and folders of the home and repository, except hookline's state and .git."""
    within = place.home.parent
    found = (path for folder in (place.home, place.repo) for path in folder.rglob("*"))
    named = {str(path.relative_to(within)): path for path in found}
    return {name: _holds(path) for name, path in named.items() if not _kept(name)}


def _kept(name: str) -> bool:
    return f"{name}/".startswith((f"{OURS}/", "repo/.git/")) or OURS.startswith(f"{name}/")


def _holds(path: Path) -> bytes | str:
    if path.is_symlink():
        return os.readlink(path)
    return FOLDER if path.is_dir() else path.read_bytes()


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
@pytest.mark.parametrize(("name", "scope"), SCOPES)
def test_init_guards_the_agent_and_uninstall_leaves_everything_as_it_was(
    name: str, scope: str, hookline: str, tmp_path: Path
) -> None:
    client, seen = load(name), dict[str, Content]()
    assert client.path.exists(), f"{name} is not installed in .clients; run: make clients"
    user = ["--user"] if scope == "user" else []

    def init(place: Place) -> None:
        seen["before"] = content(place)
        afterwards(place, hookline, "init", *user, "--yes", "--host", name)
        seen["wired"] = content(place)

    played = play(
        client,
        Scenario(first=init, replies=(client.shell("touch ran; git push --force"), say("done")), timeout=90),
        tmp_path,
    )
    seen["ran"] = content(played)
    at_a_terminal(played, hookline, "uninstall", *user, "--yes")
    left = content(played)

    assert seen["wired"] != seen["before"]
    assert RULE in told(played)
    assert not (played.repo / "ran").exists()
    assert RULE in afterwards(played, hookline, "log", "--json")
    wanted, rewritten = expected(seen), seen["wired"].keys() & seen["ran"].keys()
    assert {path: left.get(path) for path in wanted} == wanted
    assert left.keys() <= wanted.keys() | rewritten
    for path in rewritten - wanted.keys():
        assert json.loads(left[path]) == without(
            json.loads(seen["ran"][path]), f"{hookline}-client hook {name}"
        )


def expected(seen: dict[str, Content]) -> dict[str, bytes | str | None]:
    """Return the expected content after uninstalling.

    Paths that only hookline changed are as before. Paths that only the client changed are as after its run.
    """
    before, wired, ran = seen["before"], seen["wired"], seen["ran"]
    whole: dict[str, bytes | str | None] = {}
    for path in before.keys() | wired.keys() | ran.keys():
        if ran.get(path) == wired.get(path):
            whole[path] = before.get(path)
        elif wired.get(path) == before.get(path):
            whole[path] = ran.get(path)
    for path, held in list(whole.items()):
        if held is not None:  # a folder that hookline created remains if the client put files into it
            whole |= {str(folder): FOLDER for folder in Path(path).parents if str(folder) in wired}
    return whole


def without(value: Any, command: str) -> Any:
    """Return a client's settings without hookline's entries, and without containers that are then empty."""
    if isinstance(value, list):
        return [one for one in value if command not in json.dumps(one)]
    if not isinstance(value, dict) or command not in json.dumps(value):
        return value
    kept = {key: without(one, command) for key, one in value.items()}
    return {key: one for key, one in kept.items() if one or one == value[key]}


def told(played: Played) -> str:
    return json.dumps([turn.body for turn in played.turns])


@pytest.mark.parametrize("name", [name for name in hosts.names() if hosts.load(name).tested_version])
def test_the_release_that_proved_a_host_is_the_one_that_is_pinned(name: str) -> None:
    program = load(name).path.relative_to(INSTALLED)
    locked = json.loads(LOCK.read_text())["packages"]
    version = next(locked[str(folder)]["version"] for folder in program.parents if str(folder) in locked)

    assert version.split("-")[0] == hosts.load(name).tested_version
