"""Test that the tuner beats the baseline of real targets, with several seeds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hookline.engine.judge import better
from hookline.engine.measure import last_number
from hookline.engine.target import parse_target
from hookline.engine.tuner.study import Trial, propose
from hookline.engine.tuner.tunable_values import find_marks, replace_values

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
    """Return whether one of twelve experiments is better than the original code."""
    for path in (TARGETS / name).glob("*.py"):
        (folder / path.name).write_text(path.read_text())
    target = parse_target((TARGETS / name / ".hookline" / "targets" / f"{name}.toml").read_text(), name)
    files = {path: (folder / path).read_text() for path in target.scope.mutable}
    best = start = measured(folder)
    tried = [Trial(values={mark.name: mark.value for mark in find_marks(files)}, metric=start)]
    for number in range(EXPERIMENTS):
        values = propose(
            find_marks(files), tried, direction=target.metric.direction, seed=1000 * seed + number
        )
        after = {**files, **replace_values(files, find_marks(files), values)}
        for path, text in after.items():
            (folder / path).write_text(text)
        metric = measured(folder)
        tried.append(Trial(values=values, metric=metric))
        if metric is not None and better(metric, best, target.metric):
            best, files = metric, after
    return better(best, start, target.metric)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_twelve_experiments_beat_the_baseline(name, tmp_path):
    won = 0
    for seed in range(SEEDS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        won += beaten(name, seed, folder)

    assert won >= ENOUGH
