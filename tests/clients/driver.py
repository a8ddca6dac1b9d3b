"""Play one scenario: a real client against the scripted model, offline, in a fresh home and repository."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .client import ROOT, Client, HookRun
from .model import URL
from .script import Reply, say

PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """The folders and the environment of a scenario."""

    home: Path
    repo: Path
    env: Mapping[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scenario:
    prompt: str = "please do it"
    replies: tuple[Reply, ...] = (say("done"),)
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The client's own settings, including hooks."""
    home: Mapping[str, Any] = field(default_factory=dict)
    """Further files of the home: text, or a value to write as JSON."""
    env: Mapping[str, str] = field(default_factory=dict)
    first: Callable[[Place], object] = id
    """Prepares the place before the client starts."""
    timeout: float = 90.0
    network: tuple[str, ...] = ("unshare", "-rn")
    """The program that starts the client in a network of its own; empty if the test has done that."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """One request from the client to the model."""

    path: str
    body: Mapping[str, Any]
    aside: bool
    """True for a request outside the conversation, such as a request for a title or a summary."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Played(Place):
    exit: int | None
    """Exit code, or None if the client had to be stopped."""
    stdout: str
    stderr: str
    hooks: tuple[HookRun, ...]
    notices: tuple[str, ...]
    """Messages of hooks that the client showed its user."""
    requests: tuple[Request, ...]
    left: tuple[str, ...]
    """Command lines of processes that outlived the client; they were killed."""

    @property
    def turns(self) -> list[Request]:
        return [request for request in self.requests if not request.aside]


Player = Callable[..., Played]
"""Plays a scenario, given by its fields, with one client in a fresh place."""


def play(client: Client, scenario: Scenario, place: Path) -> Played:
    """Play *scenario* with *client* in *place*, an empty folder."""
    home, repo = place / "home", place / "repo"
    usual = {"HOME": str(home), "PATH": PATH, "LANG": "C.UTF-8", "HOOKLINE_DAEMON": "off"}
    env = {**usual, **client.env(URL), **scenario.env}
    _prepare(home, repo, {**client.files(repo, scenario.settings), **scenario.home}, env)
    scenario.first(Place(home=home, repo=repo, env=env))
    out, err = place / "stdout", place / "stderr"
    seen = _inside(
        scenario.network,
        dialect=client.dialect,
        argv=client.command(str(client.path)),
        cwd=str(repo),
        env=env,
        prompt=scenario.prompt,
        replies=[asdict(reply) for reply in scenario.replies],
        timeout=scenario.timeout,
        stdout=str(out),
        stderr=str(err),
    )
    stdout = out.read_text(errors="replace")
    return Played(
        exit=seen["exit"],
        stdout=stdout,
        stderr=err.read_text(errors="replace"),
        hooks=client.hooks(stdout),
        notices=client.notices(stdout),
        requests=tuple(Request(**request) for request in seen["requests"]),
        left=tuple(seen["left"]),
        home=home,
        repo=repo,
        env=env,
    )


def afterwards(place: Place, *argv: str) -> str:
    """Return the output of a command in the home, repository and environment of a finished scenario."""
    done = subprocess.run(
        argv, cwd=place.repo, env=place.env, timeout=60, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _prepare(home: Path, repo: Path, files: Mapping[str, Any], env: Mapping[str, str]) -> None:
    for name, content in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
    subprocess.run(["git", "init", "-q", "-b", "main", repo], check=True, env=env, timeout=30)


def _inside(network: tuple[str, ...], **told: Any) -> dict[str, Any]:
    argv = [*network, sys.executable, "-m", "tests.clients.inside"]
    done = subprocess.run(
        argv,
        cwd=ROOT,
        input=json.dumps(told),
        timeout=told["timeout"] + 15,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen
