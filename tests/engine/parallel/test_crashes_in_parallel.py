"""Test parallel experiments: interrupts and crashes lose nothing."""

import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from tests.engine.conftest import stop_at

from hookline.engine import journal

pytestmark = pytest.mark.slow

TOGETHER = 'n=$(echo "$HOOKLINE_RUN" | cut -d: -f2); touch "$HOME/at$n"'
BOTH = f"{TOGETHER}; until test -e $HOME/at1 -a -e $HOME/at2; do sleep 0.02; done"
OWN = 'echo $n > "src/e$n"; echo "add $n"'


@pytest.fixture
def counted(project):
    """Create a project in which more files are better, so that parallel experiments can all win."""
    (project.root / "bench.sh").write_text("ls src | wc -l | sed s/^/-/\n")
    project.git("commit", "-qm", "count", "bench.sh", "--only")
    return project


def right(project, before):
    """Check the properties that every parallel run must have."""
    rows, run = project.rows, project.run
    kept = [row for row in rows if row.kept]
    table = Path(run.journal.table).read_text()
    assert sorted(row.iteration for row in rows) == list(range(len(rows)))
    assert table == journal.format_header(run.target.metric) + "".join(map(journal.format_row, rows))
    assert project.tip == kept[-1].commit
    for row in rows:
        if row.commit:
            assert project.git("rev-parse", f"refs/hookline/{run.id}/{row.iteration}") == row.commit
    for old, new in pairwise(kept):
        assert new.base == old.commit
        assert new.best == new.metric
        project.git("merge-base", "--is-ancestor", old.commit, new.commit)
    assert all(row.worker and row.base for row in rows[1:])
    assert project.standing() == before
    assert not list(Path(run.folder).glob("workers/*/step.json"))
    assert project.git("for-each-ref", f"refs/heads/{run.branch}-*") == ""


def test_so_many_at_once_are_refused(project):
    for many in ("0", "65"):
        done = project.hookline("run", "--parallel", many, check=2)

        assert done.stderr == f"hookline: invalid --parallel {many}: expected 1 to 64\n"


def test_a_run_goes_on_with_more_or_fewer_at_once(counted):
    counted.script(TOGETHER, OWN)
    before = counted.standing()
    for many, experiments in (("1", 1), ("3", 4), ("1", 6)):
        counted.target(experiments=experiments)
        go_on = ["--resume"] if (counted.root / "autoresearch").exists() else []
        counted.hookline("run", *go_on, "--parallel", many, check=0)

    assert counted.statuses == ["baseline", *["keep"] * 6]
    assert counted.rows[1].worker == ""
    assert counted.standing() == before


def started(project, *words, **env):
    return subprocess.Popen(
        [sys.executable, "-m", "hookline", "run", *words],
        cwd=project.root,
        env={**project.env, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def until(path):
    end = time.monotonic() + 180
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.02)


def alone(project):
    """Return whether no process of the run is left, because the file that its children write is unchanged."""
    path = project.home / "alive"
    seen = path.read_text()
    time.sleep(0.3)
    return path.read_text() == seen


ALIVE = "setsid sh -c 'while :; do date +%s%N > \"$HOME/alive\"; sleep 0.05; done' &"


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_leaves_a_journal_that_is_right(counted, times):
    counted.target(experiments=2)
    before = counted.standing()
    counted.script(ALIVE, BOTH, OWN, "sleep 1.5")
    process = started(counted, "--parallel", "2")
    until(counted.home / "at1")
    until(counted.home / "at2")
    for _ in range(times):
        time.sleep(0.4)
        process.send_signal(signal.SIGINT)
    told, _ = process.communicate(timeout=60)

    assert process.returncode == {1: 0, 2: 130}[times], told.decode()
    assert alone(counted)
    assert counted.statuses == (["baseline", "keep", "keep"] if times == 1 else ["baseline"])
    if times == 2:
        counted.hookline("run", "--resume", check=0)
        assert counted.statuses == ["baseline", "keep", "keep"]
    right(counted, before)


OURS = [
    *("before-begun:1", "after-begun:1", "before-begun:2", "after-begun:2", "before-row:2", "after-row:1"),
    *("after-recorded:1", "after-branch:1", "after-reset:1", "after-settled:1", "after-rebase:1"),
    *("after-moved-ref:1", "after-moved:1", "after-row:2", "after-branch:2", "after-settled:3"),
]
THEIRS = [
    *("after-put:1", "before-install:1", "before-spawn:1", "after-agent:1", "after-remove:1", "after-left:1"),
    *("before-commit:1", "after-commit:1", "after-committed:1", "before-metric:1", "after-metric:1"),
    *("after-decided:1",),
]


def whole(tests):
    return tests if os.environ.get("HOOKLINE_LONG") else tests[:: max(1, len(tests) // 3)]


@pytest.mark.parametrize(
    ("point", "how"),
    [
        *((point, "kill") for point in whole(OURS)),
        *((point, "all") for point in whole(THEIRS)),
        *((point, "worker") for point in whole(THEIRS)),
    ],
)
def test_it_is_killed(counted, point, how):
    counted.target(experiments=4)
    before = counted.standing()
    counted.script(ALIVE, BOTH, OWN)
    stop = stop_at(counted.home, point, "kill" if how == "worker" else how)
    process = started(counted, "--parallel", "2", **stop)
    told, _ = process.communicate(timeout=100)
    assert process.returncode == (0 if how == "worker" else -signal.SIGKILL), told.decode()
    if how != "worker":
        counted.hookline("run", "--resume", check=0)

    right(counted, before)
    assert counted.statuses == ["baseline", *["keep"] * 4]
    assert counted.rows[-1].metric == -6.0
    assert alone(counted)


def test_an_experiment_whose_worker_is_lost_again_and_again_has_crashed(counted):
    counted.target(experiments=2)
    before = counted.standing()
    lethal = "kill -9 $(ps -o ppid= $$)"
    counted.script(TOGETHER, OWN, f'if test "$n" = 1; then {lethal}; sleep 5; fi')
    counted.hookline("run", "--parallel", "2", check=0)
    rows = {row.iteration: row for row in counted.rows}

    assert rows[2].status == "keep"
    assert rows[1].status in ("keep", "crash")
    assert counted.git("show", f"refs/hookline/{counted.run.id}/1:src/e1") == "1"
    right(counted, before)


def test_status_names_all_that_are_at_work(counted):
    counted.target(experiments=2)
    counted.script(BOTH, "until test -e $HOME/go; do sleep 0.02; done", OWN)
    process = started(counted, "--parallel", "2")
    until(counted.home / "at1")
    until(counted.home / "at2")
    told = counted.hookline("status", check=0).stdout
    (counted.home / "go").touch()
    process.communicate(timeout=60)

    assert f"run {counted.run.id} is running; experiments 1, 2, best metric: -2" in told


CLOCK = """
import os, time
real, jump = time.time, os.path.expanduser("~/jump")
time.time = lambda: real() + 7200 * os.path.exists(jump)
"""


def test_a_machine_that_slept_leaves_an_experiment_the_time_that_the_run_has(counted):
    """The wall clock advances during sleep, but the clock that limits the run does not."""
    counted.target(experiments=3, limits='time = "1h"')
    counted.script(BOTH, "test $n = 3 && sleep 2; touch $HOME/jump", OWN)
    (counted.home / "sitecustomize.py").write_text(CLOCK)
    process = started(counted, "--parallel", "2", PYTHONPATH=str(counted.home))
    told, _ = process.communicate(timeout=100)

    assert process.returncode == 0, told.decode()
    assert counted.statuses == ["baseline", *["keep"] * 3]
