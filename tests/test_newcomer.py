"""Test the README as a newcomer uses it: the wheel, an empty home, and no source tree.

The newcomer writes the files and types the commands of the README's own blocks, and reads the same output.
"""

# ruff: noqa: E402 -- docs/ is not a package, so sys.path must include it before the import

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))

import transcripts

TEN_MINUTES = 600
HIDDEN = 'mount -t tmpfs none "$0" && exec "$@"'
"""A shell script that runs a command while the folder $0 looks empty."""
STEPS = {
    "a blocked push": "block by dangerous-command:git-push-force",
    "an agent with hooks": "claude-code: hooks installed",
    "a custom hook": "wrote .hookline/hooks/",
    "its test": "3 passed in ",
    "its verdict": "reason: shutdown is not allowed here",
    "a memory": "remembered as ",
    "an experiment": "   1  keep ",
    "a branch of the kept experiments": "-merged: experiments 1, 2; guard passed",
}
"""Results that the README promises, by their output."""
MERGED = ["STEP = 1 * 10 * 10", "STEP = 1 * 10", "begin"]
WHERE = "import hookline; print(hookline.__file__)"


@dataclass(frozen=True, kw_only=True)
class Newcomer(transcripts.Scratch):
    """A user of an installed wheel, for whom the source tree does not exist."""

    @property
    def python(self):
        return self.home / ".venv" / "bin" / "python"

    @property
    def env(self):
        own = {"PATH": f"{self.python.parent}:/usr/bin:/bin"}
        return {name: text for name, text in super().env.items() if name != "PYTHONPATH"} | own

    def type(self, command):
        return self.run([sys.executable, str(self.home / "terminal.py"), command])

    def run(self, argv, stdin=""):
        """Return the output of a command; for the interpreter of the tests, that of the wheel runs."""
        words = [str(self.python) if word == sys.executable else word for word in argv]
        return super().run([*hide_sources(), *words], stdin)


@cache
def hide_sources():
    """Return the words before a command that hide the source tree; none if the system does not allow it."""
    words = ["unshare", "--map-root-user", "--mount", "sh", "-c", HIDDEN, str(ROOT)]
    possible = (
        shutil.which("unshare")
        and not subprocess.run(
            [*words, "test", "!", "-e", str(ROOT / "src")], check=False, capture_output=True, timeout=30
        ).returncode
    )
    return words if possible else []


@pytest.fixture
def newcomer(tmp_path):
    """Return a newcomer with an empty home and project; their daemon is stopped at the end."""
    home = tmp_path / "home"
    home.mkdir()
    user = Newcomer(home=home)
    for folder in (user.project, home / ".tmp"):
        folder.mkdir()
    shutil.copy(transcripts.TERMINAL, home)
    yield user
    user.run([sys.executable, "-m", "hookline", "daemon", "stop"])


def install(newcomer, wheels):
    """Build the wheel and install it with its dependencies in a new environment."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    venv = newcomer.python.parents[1]
    pip = [newcomer.python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    for argv, folder in ((build, ROOT), ([sys.executable, "-m", "venv", venv], wheels.parent)):
        subprocess.run(argv, cwd=folder, check=True, capture_output=True, timeout=TEN_MINUTES)
    (wheel,) = wheels.iterdir()
    subprocess.run([*pip, wheel], cwd=venv, check=True, capture_output=True, timeout=TEN_MINUTES)


@pytest.mark.slow
@pytest.mark.timeout(TEN_MINUTES)
def test_the_readme_leads_from_nothing_to_a_merged_experiment(newcomer, tmp_path, capsys):
    start, readme = time.monotonic(), (ROOT / "README.md").read_text(encoding="utf-8")
    install(newcomer, tmp_path / "dist")
    played = transcripts.play(readme, newcomer)
    seconds, used = time.monotonic() - start, os.times().children_user
    with capsys.disabled():
        hidden = "hidden" if hide_sources() else "not hidden"
        print(f"\nnewcomer: {seconds:.0f} s, {used:.0f} s of processor time, source tree {hidden}")

    assert transcripts.timeless(played) == transcripts.timeless(readme)
    assert [step for step, output in STEPS.items() if output not in played] == []
    assert newcomer.run(["git", "log", "--format=%s"]).splitlines() == MERGED
    assert newcomer.run([sys.executable, "-c", WHERE]).startswith("~/.venv/")


def test_the_source_tree_is_hidden():
    words = hide_sources()
    if not words:
        pytest.skip("requires a mount namespace")
    seen = subprocess.run(
        [*words, "ls", "-A", str(ROOT)], capture_output=True, text=True, check=True, timeout=30
    )

    assert seen.stdout == ""
