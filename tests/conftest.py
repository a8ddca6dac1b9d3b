"""A user of their own for every test that needs one: home, project, and the installed command."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

HOOKLINE = Path(sys.executable).parent / "hookline"
CAPTURES = Path(__file__).parent / "captures"


@dataclass
class User:
    """A home and a project that nobody else uses."""

    home: Path
    project: Path
    env: dict[str, str] = field(default_factory=dict)

    def environment(self, **more):
        base = {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        return {**base, **self.env, **more}

    def run(self, *words, stdin="", **env):
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        return subprocess.run(
            [str(HOOKLINE), *words],
            input=data,
            capture_output=True,
            cwd=self.project,
            env=self.environment(**env),
            check=False,
            timeout=60,
        )

    def hook(self, payload, *words, **env):
        """What Claude Code would read back: (exit code, the reply as JSON, stderr)."""
        stdin = payload if isinstance(payload, bytes) else json.dumps(payload)
        ran = self.run("hook", "claude-code", *words, stdin=stdin, **env)
        return ran.returncode, json.loads(ran.stdout or b"{}"), ran.stderr.decode()

    def payload(self, stem, **changes):
        """A captured payload of Claude Code, as if sent from this project."""
        captured = json.loads((CAPTURES / "claude-code" / f"{stem}.json").read_text())
        return {**captured, "cwd": str(self.project), **changes}

    def shell(self, command):
        return self.payload("PreToolUse", tool_input={"command": command})

    def write(self, name, content):
        """A file of the project, or with ~/ of the home."""
        path = self.home / name[2:] if name.startswith("~/") else self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def log(self):
        ran = self.run("log", "--json")
        return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.fixture
def user(tmp_path):
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home, project / ".git"):
        folder.mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return User(home=home, project=project)
