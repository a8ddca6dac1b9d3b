"""Test the removal of files and processes that killed experiments leave on a machine of a cluster."""

import os
import subprocess
import sys
import time
from pathlib import Path

from hookline.engine.parallel import leftovers

DIES = """
import subprocess, sys, time
from hookline.engine.parallel import leftovers
with leftovers.experiment_folder(sys.argv[1]) as (path, mark):
    subprocess.Popen(["sh", "-c", "while :; do date +%s%N > $HOME/alive; sleep 0.05; done"],
                     env={"HOME": sys.argv[2], "HOOKLINE_MARK": mark}, start_new_session=True)
    print(path, flush=True)
    time.sleep(100)
"""


def test_whoever_comes_next_tidies_up_for_who_was_killed(tmp_path):
    place = tmp_path / "runs" / "this"
    place.mkdir(parents=True)
    command = [sys.executable, "-c", DIES, place, tmp_path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as dies:
        path = Path(dies.stdout.readline().strip())
        while not (tmp_path / "alive").exists():
            time.sleep(0.02)
        with leftovers.experiment_folder(str(place)):
            assert path.exists()
        dies.kill()
    with leftovers.experiment_folder(str(place)) as (other, _):
        seen = (tmp_path / "alive").read_text()
        assert sorted(place.iterdir()) == sorted([Path(other), place / "lock"])
        time.sleep(0.3)

    assert (tmp_path / "alive").read_text() == seen
    assert list(place.iterdir()) == [place / "lock"]


def test_runs_that_are_long_over_are_forgotten(tmp_path):
    this, old, new = (tmp_path / name for name in ("this", "old", "new"))
    for place in (this, old, new):
        place.mkdir()
        (place / "lock").touch()
    os.utime(old / "lock", (0, 0))
    os.utime(this / "lock", (0, 0))
    leftovers.remove_old_runs(str(this))

    assert sorted(tmp_path.iterdir()) == [new, this]
