"""A scene for an agent: a temporary home with hookline's hooks, and a project whose remote can lose work."""

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec import Struct

from hookline.cli._demo._client import Client, Reply
from hookline.cli._demo._model import serve
from hookline.core.host import Host
from hookline.core.kind import ProcessResult
from hookline.daemon.control import SWITCH
from hookline.install import install_hooks, settings_files
from hookline.install.inspect import FORBIDDEN_COMMAND
from hookline.system.git_command import build_argv
from hookline.system.own_command import client_command
from hookline.system.paths import create_private, find_places
from hookline.system.process import run_command

PROMPT = "Publish my work."
ENDING = "My push was refused, because the remote has a commit that I do not have. I will rebase first."
THEIRS = "Fix the login"
"""Subject of the commit that a forced push would remove."""
SCRIPT = (Reply(command=FORBIDDEN_COMMAND), Reply(text=ENDING))
TIME_LIMIT = 90.0
"""Seconds for the agent; a cold start on a slow machine takes some of them."""
GIT_SECONDS = 30.0
IDENTITY = "[user]\nname = demo\nemail = demo@example.org\n"


class Played(Struct, frozen=True, kw_only=True):
    """The end of a scene."""

    process: ProcessResult
    result: str
    """The result of the push, as the agent reported it to its model."""
    before: str
    after: str
    """The newest commit of the remote."""


class Scene(Struct, frozen=True, kw_only=True):
    """A temporary folder with a home, a project and its remote."""

    folder: str
    path: str
    """The variable PATH, the only one that programs in the scene share with the user."""

    @property
    def home(self) -> str:
        return os.path.join(self.folder, "home")

    @property
    def project(self) -> str:
        return os.path.join(self.folder, "project")

    @property
    def env(self) -> dict[str, str]:
        return {
            "HOME": self.home,
            "TMPDIR": os.path.join(self.folder, "tmp"),
            "PATH": self.path,
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            SWITCH: "off",  # a daemon would outlive the scene
        }

    def write(self, name: str, text: str) -> None:
        with open(os.path.join(self.home, name), "w", encoding="utf-8") as file:
            file.write(text)

    def git(self, *words: str, git_dir: str = "") -> str:
        """Return the output of git in the project; raise `OSError` if it fails."""
        process = self.run(build_argv(words, git_dir), GIT_SECONDS)
        if process.code != 0:
            raise OSError(f"git {words[0]} failed: {process.problem or process.stderr.strip()}")
        return process.stdout.strip()

    def run(
        self, argv: Sequence[str], seconds: float, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> ProcessResult:
        env = {**self.env, **(env or {})}
        return run_command.run(argv, stdin=stdin.encode(), cwd=self.project, env=env, timeout=seconds)


def play(client: Client, host: Host, program: str, path: str) -> Played:
    """Let the agent *program* push by force, as its scripted model requests."""
    with _open_scene(path) as scene, serve(client.protocol, SCRIPT) as model:
        _install(client, host, scene)
        before = _read_remote(scene)
        env = {**client.env(model.url), **_refuse_traffic(model.url)}
        process = scene.run((program, *client.arguments), TIME_LIMIT, PROMPT, env)
        return Played(process=process, result=model.result, before=before, after=_read_remote(scene))


@contextmanager
def _open_scene(path: str) -> Iterator[Scene]:
    with tempfile.TemporaryDirectory(prefix="hookline-demo-", ignore_cleanup_errors=True) as name:
        scene = Scene(folder=os.path.realpath(name), path=path)
        for folder in (scene.home, scene.project, scene.env["TMPDIR"]):
            create_private(folder)
        scene.write(".gitconfig", IDENTITY)
        _create_repositories(scene)
        yield scene


def _create_repositories(scene: Scene) -> None:
    """Create a project whose newest commit the remote lacks, and the other way round."""
    scene.git("init", "-q", "--bare", "../remote.git")
    scene.git("init", "-q", "-b", "main")
    scene.git("remote", "add", "origin", "../remote.git")
    scene.git("commit", "-q", "--allow-empty", "-m", "Begin")
    scene.git("commit", "-q", "--allow-empty", "-m", THEIRS)
    scene.git("push", "-q", "-u", "origin", "main")
    scene.git("commit", "-q", "--allow-empty", "--amend", "-m", "My work")


def _read_remote(scene: Scene) -> str:
    return scene.git("log", "-1", "--format=%h %s", "main", git_dir="../remote.git")


def _install(client: Client, host: Host, scene: Scene) -> None:
    """Install hookline's hooks, and the agent's own files, in the home of the scene."""
    for name, content in client.files(scene.project).items():
        scene.write(name, json.dumps(content))
    places, command = find_places(scene.env, scene.project), client_command(scene.env)
    with settings_files.lock_records(places.state):
        for plan in install_hooks.plan_host(host, "user", places, scene.env, command):
            install_hooks.apply_plan(plan, places, command)


def _refuse_traffic(url: str) -> dict[str, str]:
    """Return variables that send all other requests to the model's server, which refuses them."""
    proxies = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    names = (*proxies, *(name.lower() for name in proxies))
    return {**dict.fromkeys(names, url), **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost")}
