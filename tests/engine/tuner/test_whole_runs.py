"""Test the tuner in whole runs of the real command, with the example targets."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hookline.engine import runs

TARGETS = Path(__file__).parents[3] / "examples" / "targets"
NAMES = sorted(path.name for path in TARGETS.iterdir())
LONG = bool(os.environ.get("HOOKLINE_LONG"))


def beaten(name, seed, folder):
    root, home = folder / name, folder / "home"
    shutil.copytree(TARGETS / name, root, ignore=shutil.ignore_patterns("__pycache__"))
    home.mkdir()
    path = root / ".hookline" / "targets" / f"{name}.toml"
    path.write_text(path.read_text().replace("[agent]\n", f'[agent]\nargs = ["--seed={seed}"]\n'))
    env = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "begin"]):
        subprocess.run(["git", *words], cwd=root, env=env, check=True, timeout=60)
    ran = subprocess.run(
        [sys.executable, "-m", "hookline", "run"], cwd=root, env=env, check=False, timeout=200
    )
    assert ran.returncode == 0
    rows = runs.list_runs(str(root))[-1].journal.rows()
    assert len(rows) == 13
    return rows[-1].best < rows[0].metric


@pytest.mark.slow
def test_a_run_of_twelve_experiments_beats_the_baseline(tmp_path):
    assert beaten("sort", 1, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_nine_runs_in_ten_beat_the_baseline(name, tmp_path):
    won = 0
    for seed in range(1, 11 if LONG else 3):
        (tmp_path / str(seed)).mkdir()
        won += beaten(name, seed, tmp_path / str(seed))

    assert won >= (9 if LONG else 2)
