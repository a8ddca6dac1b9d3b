"""The tuner beats the baseline of real targets, seed by seed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hookline.engine.judge import better
from hookline.engine.measure import last_number
from hookline.engine.target import read
from hookline.engine.tuner.marks import changed, marks
from hookline.engine.tuner.study import Tried, propose

TARGETS = Path(__file__).parents[3] / "examples" / "targets"
NAMES = sorted(path.name for path in TARGETS.iterdir())
LONG = bool(os.environ.get("HOOKLINE_LONG"))
SEEDS, ENOUGH = (10, 9) if LONG else (3, 2)
EXPERIMENTS = 12


def measured(folder):
    ran = subprocess.run(
        [sys.executable, "-B", "bench.py"], cwd=folder, capture_output=True, text=True, check=False
    )
    return last_number(ran.stdout) if ran.returncode == 0 else None


def beaten(name, seed, folder):
    """Whether one of twelve experiments is better than what the code begins with."""
    for path in (TARGETS / name).glob("*.py"):
        (folder / path.name).write_text(path.read_text())
    target = read((TARGETS / name / ".hookline" / "targets" / f"{name}.toml").read_text(), name)
    files = {path: (folder / path).read_text() for path in target.scope.mutable}
    best = start = measured(folder)
    tried = [Tried(values={mark.name: mark.value for mark in marks(files)}, metric=start)]
    for number in range(EXPERIMENTS):
        values = propose(marks(files), tried, direction=target.metric.direction, seed=1000 * seed + number)
        after = {**files, **changed(files, marks(files), values)}
        for path, text in after.items():
            (folder / path).write_text(text)
        metric = measured(folder)
        tried.append(Tried(values=values, metric=metric))
        if metric is not None and better(metric, best, target.metric):
            best, files = metric, after
    return better(best, start, target.metric)


@pytest.mark.parametrize("name", NAMES)
def test_twelve_experiments_beat_the_baseline(name, tmp_path):
    won = 0
    for seed in range(SEEDS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        won += beaten(name, seed, folder)

    assert won >= ENOUGH
