"""Fixtures for the engine: a scratch repository with a target, in which the real command runs."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from tests.engine import executors, ray_nodes
from tests.engine.executors import Way
from tests.stores import postgres_server

from hookline.cli import main
from hookline.engine import runs
from hookline.engine.journal import Row

TARGET = """
goal = "A smaller number."
[scope]
mutable = ["src/**"]
immutable = ["src/fixed"]
[metric]
command = "sh bench.sh"
direction = "lower"
timeout = "20s"
[agent]
host = "command"
command = "sh \\"$AGENT\\""
budget = "20s"
grace = "1s"
[limits]
experiments = {experiments}
failures = 1000
[escalation]
halt = 1000
[noise]
kind = "deterministic"
"""


@contextmanager
def here(root: Path, env: dict[str, str]) -> Iterator[None]:
    """Run the block in the folder *root* with the environment *env*."""
    before, folder = dict(os.environ), os.getcwd()
    os.environ.clear()
    os.environ.update(env)
    os.chdir(root)
    try:
        yield
    finally:
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(before)


def within(words: tuple[str, ...], root: Path, env: dict[str, str]) -> tuple[int, str, str]:
    """Run the command in this process, and return its exit code, stdout and stderr.

    Starting another process takes longer than most commands.
    """
    out, err = StringIO(), StringIO()
    with here(root, env), redirect_stdout(out), redirect_stderr(err):
        try:
            code = main([*words])
        except SystemExit as leaves:
            code = int(leaves.code or 0)
    return code, out.getvalue(), err.getvalue()


def stop_at(home: Path, point: str, how: str = "kill") -> dict[str, str]:
    """Return the environment of an engine that stops at a logged *point*; see `stop_at/sitecustomize.py`."""
    folder = Path(__file__).parent / "stop_at"
    mark = home / f"stopped {time.monotonic_ns()}"
    return {"PYTHONPATH": str(folder), "STOP_AT": point, "STOP_HOW": how, "STOP_MARK": str(mark)}


class Project:
    """A user's repository and home."""

    def __init__(self, root: Path, home: Path, way: Way | None = None) -> None:
        self.root, self.home = root, home
        self.way = way or Way("local")
        self.agent = home / "agent.sh"
        self.env = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            "AGENT": str(self.agent),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        self.way.settle(home, self.env)

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.root, env=self.env, capture_output=True, check=True, text=True
        )
        return done.stdout.strip()

    def target(self, text: str = "", *, experiments: int = 1, **changes: str) -> None:
        told = (text or TARGET).format(experiments=experiments)
        for old, new in changes.items():
            told = told.replace(f"[{old}]\n", f"[{old}]\n{new}\n")
        folder = self.root / ".hookline" / "targets"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "small.toml").write_text(self.way.target(told, self.env))

    def script(self, *lines: str) -> None:
        self.agent.write_text("\n".join(lines) + "\n")

    def hookline(self, *words: str, check: int | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        env = {**self.env, **env}
        if words[0] == "run" and "--resume" not in words:
            words = (*words, *self.way.words())
        run = self.way.run if words[0] == "run" and self.way.nodes else within
        done = subprocess.CompletedProcess(words, *run(words, self.root, env))
        if check is not None:
            assert done.returncode == check, done.stdout + done.stderr
        return done

    @property
    def run(self) -> runs.Run:
        return runs.list_runs(str(self.root))[-1]

    @property
    def rows(self) -> list[Row]:
        return self.run.journal.rows()

    @property
    def statuses(self) -> list[str]:
        return [row.status for row in self.rows]

    @property
    def tip(self) -> str:
        return self.git("rev-parse", self.run.branch)

    def files(self) -> dict[str, bytes]:
        """Return the files of the user's checkout, except those that the engine writes."""
        found = (path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink())
        names = ((str(path.relative_to(self.root)), path) for path in found)
        ours = ("autoresearch/", ".git/", ".hookline/")
        return {name: path.read_bytes() for name, path in names if not name.startswith(ours)}

    def standing(self) -> tuple[object, ...]:
        """Return the parts of the user's repository that no run may change."""
        return (
            self.files(),
            self.git("status", "--porcelain"),
            self.git("diff"),
            self.git("diff", "--cached"),
            self.git("stash", "list"),
            self.git("symbolic-ref", "HEAD"),
            self.git("rev-parse", "HEAD"),
            (self.root / ".git" / "config").read_bytes(),
        )


@pytest.fixture(scope="session")
def server() -> Iterator[postgres_server.Server]:
    with postgres_server.running() as one:
        yield one


@pytest.fixture(scope="session")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ray_nodes.Nodes]:
    """Start the nodes of a cluster, with their own settings, for all tests."""
    home = tmp_path_factory.mktemp("machines")
    executors.shared(home)
    with ray_nodes.running(home, {"PATH": os.environ["PATH"]}) as two:
        yield two


@pytest.fixture
def way(request: pytest.FixtureRequest) -> Way:
    name = getattr(request, "param", "local")
    if name != "cluster":
        return Way(name)
    nodes, server = request.getfixturevalue("nodes"), request.getfixturevalue("server")
    return Way(name, nodes.address, server.database(), nodes)


@pytest.fixture
def project(tmp_path: Path, way: Way) -> Project:
    return scratch(tmp_path, way)


def scratch(tmp_path: Path, way: Way | None = None) -> Project:
    """Create a project with spaces in its path, uncommitted changes, and a stash."""
    root, home = tmp_path / "a project", tmp_path / "home"
    (root / "src").mkdir(parents=True)
    home.mkdir()
    one = Project(root, home, way)
    (root / "src" / "n").write_text("10\n")
    (root / "src" / "fixed").write_text("0\n")
    (root / "bench.sh").write_text("cat src/n\n")
    (root / "notes").write_text("mine\n")
    (root / ".gitignore").write_text("*.log\n")
    one.git("init", "-q", "-b", "main")
    one.git("config", "user.name", "A Person")
    one.git("config", "user.email", "person@example.org")
    one.git("add", ".")
    one.git("commit", "-q", "-m", "begin")
    (root / "notes").write_text("stashed\n")
    one.git("stash", "-q")
    (root / "notes").write_text("staged\n")
    one.git("add", "notes")
    (root / "notes").write_text("changed\n")
    (root / "new file").write_text("untracked\n")
    one.target()
    return one
