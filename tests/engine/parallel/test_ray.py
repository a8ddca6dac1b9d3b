"""Test experiments on a real Ray cluster whose workers, nodes and engine are killed.

No experiment may be lost or repeated. Other modules test the general behaviour of runs on the same cluster.
"""

import os
import random
import signal
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.engine import ray_nodes
from tests.engine.conftest import TARGET, scratch, stop_at
from tests.engine.executors import KILLS, Way, kill_some, run_on, shared
from tests.engine.parallel.test_crashes_in_parallel import (
    ALIVE,
    BOTH,
    OURS,
    OWN,
    TOGETHER,
    alone,
    counted,
    right,
    started,
    until,
)

from hookline import stores
from hookline.engine import journal
from hookline.engine import rows as _rows

__all__ = ["counted"]
ON_THE_CLUSTER = run_on("cluster")


def begun(project, **env):
    """Start a run on the cluster in a separate process."""
    return started(project, *project.way.words(), **env)


def as_stored(project):
    with closing(stores.load("postgres")(project.env["HOOKLINE_STORE_ADDRESS"])) as store:
        kept = [journal.from_experiment(one) for one in store.experiments(_rows.store_key(project.run))]
    return list(map(journal.format_row, journal.sort_rows(kept)))


def whole(project, before, experiments):
    """Check the properties that a run must have whichever process was killed."""
    right(project, before)
    assert project.statuses == ["baseline", *["keep"] * experiments]
    assert project.rows[-1].metric == -2.0 - experiments
    assert as_stored(project) == list(map(journal.format_row, project.rows))
    assert project.git("for-each-ref", f"refs/hookline/{project.run.id}/start*") == ""
    for number in range(1, experiments + 1):
        assert f"add {number}" in (Path(project.run.folder) / "logs" / f"{number}.log").read_text()
    assert still(project)


def still(project):
    """Wait until no process writes any more; processes on another machine end when they notice the loss."""
    end = time.monotonic() + 60
    while not alone(project):
        assert time.monotonic() < end
    return True


@pytest.mark.long
@ON_THE_CLUSTER
def test_workers_are_killed_at_random(counted):
    before = counted.standing()
    counted.target(experiments=6)
    counted.script(ALIVE, TOGETHER, "sleep 0.7", OWN)
    process = begun(counted)
    killed = kill_some(process, counted.way.nodes, random.Random(7), KILLS)
    told = process.communicate(timeout=200)[0].decode()

    assert len(killed) == KILLS, told
    assert "experiment-limit: 6 of 6" in told, told
    assert "(raylet)" not in told
    whole(counted, before, 6)


@ON_THE_CLUSTER
def test_a_whole_node_is_lost(counted):
    before = counted.standing()
    counted.target(experiments=3)
    counted.script(ALIVE, BOTH, "test $n = 3 || sleep 2", OWN)
    process = begun(counted)
    until(counted.home / "at1")
    until(counted.home / "at2")
    os.kill(counted.way.nodes.second, signal.SIGKILL)
    try:
        told = process.communicate(timeout=200)[0].decode()
    finally:
        counted.way.nodes.again()

    assert process.returncode == 0, told
    assert "continues with another worker: its worker exited" in told
    whole(counted, before, 3)


@ON_THE_CLUSTER
def test_the_engine_is_killed_while_agents_work(counted):
    before = counted.standing()
    counted.target(experiments=2)
    counted.script(ALIVE, BOTH, "sleep 2", OWN)
    process = begun(counted)
    until(counted.home / "at1")
    until(counted.home / "at2")
    process.kill()
    process.communicate()
    assert still(counted)
    counted.way.kills = 0
    counted.hookline("run", "--resume", check=0)

    whole(counted, before, 2)


@pytest.mark.long
@ON_THE_CLUSTER
@pytest.mark.parametrize("point", OURS)
def test_the_engine_is_killed(counted, point):
    before = counted.standing()
    counted.target(experiments=4)
    counted.script(ALIVE, BOTH, OWN)
    process = begun(counted, **stop_at(counted.home, point))
    told = process.communicate(timeout=200)[0].decode()
    assert process.returncode == -signal.SIGKILL, told
    counted.hookline("run", "--resume", check=0)

    whole(counted, before, 4)


@pytest.mark.long
@ON_THE_CLUSTER
@pytest.mark.parametrize(
    ("signals", "code"),
    [
        ([signal.SIGINT], 2),
        ([signal.SIGINT] * 2, 130),
        ([signal.SIGTERM], 130),
    ],
)
def test_ctrl_c_leaves_a_journal_that_is_right(counted, signals, code):
    before = counted.standing()
    counted.target(experiments=2)
    counted.script(ALIVE, BOTH, "sleep 2", OWN)
    process = begun(counted)
    until(counted.home / "at1")
    until(counted.home / "at2")
    for number in signals:
        time.sleep(0.3)
        process.send_signal(number)
    told = process.communicate(timeout=100)[0].decode()

    assert process.returncode == code, told
    assert alone(counted)  # no waiting, because cancelled processes end before the engine
    if code != 2:
        assert counted.statuses == ["baseline"]
        counted.hookline("run", "--resume", check=0)
    whole(counted, before, 2)


LETHAL = (
    "p=$$; until grep -q engine.worker /proc/$p/cmdline; do p=$(ps -o ppid= $p | tr -d ' '); done; kill -9 $p"
)


@pytest.mark.long
@ON_THE_CLUSTER
def test_an_experiment_whose_worker_is_lost_again_and_again_has_crashed(counted):
    before = counted.standing()
    counted.target(experiments=2)
    counted.script(TOGETHER, OWN, f'if test "$n" = 1; then {LETHAL}; sleep 5; fi')
    told = begun(counted).communicate(timeout=200)[0].decode()
    rows = {row.iteration: row for row in counted.rows}

    assert (rows[1].status, rows[2].status) == ("crash", "keep"), told
    assert rows[1].details["verdict"] == "its worker was lost 3 times"
    right(counted, before)


@pytest.mark.long
@ON_THE_CLUSTER
def test_a_cluster_of_its_own_ends_with_the_run(counted, server):
    """The cluster also ends if the engine is killed."""
    before = counted.standing()
    counted.target(experiments=2)
    counted.script(ALIVE, BOTH, "sleep 1", OWN)
    words = ("--cluster", "local", "--parallel", "2")
    process = started(counted, *words)
    until(counted.home / "at1")
    until(counted.home / "at2")
    process.kill()
    process.communicate()
    assert still(counted)
    assert nobody(counted)
    counted.hookline("run", "--resume", check=0)

    whole(counted, before, 2)
    assert nobody(counted)


def nobody(project):
    """Wait until no process that uses the home of this project is left."""
    home, end = f"HOME={project.home}\0".encode(), time.monotonic() + 60
    while found := [path for path in Path("/proc").glob("[0-9]*") if home in environment(path)]:
        assert time.monotonic() < end, [(path / "cmdline").read_bytes() for path in found]
        time.sleep(0.2)
    return True


def environment(path):
    with suppress(OSError):
        return (path / "environ").read_bytes()
    return b""


@pytest.mark.long
@pytest.mark.xdist_group("cluster")
def test_that_the_head_is_lost_is_said(tmp_path, server):
    """Ray then terminates the engine, and the run can be resumed as after any other end."""
    machines = tmp_path / "machines"
    machines.mkdir()
    shared(machines)
    with ray_nodes.running(machines, {"PATH": os.environ["PATH"]}) as nodes:
        project = scratch(tmp_path, Way("cluster", nodes.address, server.database(), nodes))
        before = project.standing()
        project.target(TARGET.replace('budget = "20s"', 'budget = "200s"'), experiments=2)
        project.script(ALIVE, BOTH, 'test -e "$HOME/again" || sleep 150', "echo $n > src/e$n")
        process = begun(project)
        until(project.home / "at1")
        until(project.home / "at2")
        for pid in nodes.head():
            os.kill(pid, signal.SIGKILL)
        told = process.communicate(timeout=200)[0].decode()
    assert process.returncode == 1, told
    assert "the head of the cluster does not respond" in told
    assert still(project)
    (project.home / "again").touch()
    project.hookline("run", "--resume", "--cluster", "none", check=0)

    assert project.statuses == ["baseline", "discard", "discard"]
    assert project.standing() == before


UNEQUAL = 'case "$RAY_RAYLET_PID" in "") speed=50;; {second}) speed=7;; *) speed=1;; esac'
"""Shell line with the speed of a machine: the driver, the second node, the first node."""


@ON_THE_CLUSTER
def test_the_speed_of_a_machine_does_not_change_a_verdict(project):
    """Real gains on the slow node are kept, regressions on the fast one are not."""
    way = project.way
    way.kills = 0
    line = UNEQUAL.format(second=way.nodes.second)
    bench = f'{line}; echo "$speed" >> "{project.home}/speeds"; echo $(( $(cat src/n) * 100 * speed ))\n'
    (project.root / "bench.sh").write_text(bench)
    project.git("commit", "-qm", "bench", "bench.sh", "--only")
    project.target(TARGET.replace('kind = "deterministic"', 'kind = "auto"'), experiments=6)
    project.script(
        TOGETHER, BOTH, "test $n -gt 2 -o $n = 1 && d=-1 || d=1", "echo $(( $(cat src/n) + d )) > src/n"
    )
    project.hookline("run", check=0)
    rows = {row.iteration: row for row in project.rows}
    speeds = {*(project.home / "speeds").read_text().split()}

    assert speeds == {"1", "7"}
    assert rows[1].status == "keep"
    assert rows[2].status == "discard"
    assert all(row.status in ("keep", "superseded") for number, row in rows.items() if number > 2)
    kept = [row for row in project.rows if row.kept]
    scale = kept[0].metric / 10
    assert [row.metric for row in kept] == pytest.approx([scale * (10 - turn) for turn in range(len(kept))])


@ON_THE_CLUSTER
@pytest.mark.long
def test_tasks_request_their_gpus(project, tmp_path):
    project.target(experiments=3)
    path = project.root / ".hookline/targets/small.toml"
    path.write_text(f"{path.read_text()}[resources]\ngpu = 1\n")
    lines = f'echo "$CUDA_VISIBLE_DEVICES" >> "{tmp_path}/used"'
    (project.root / "bench.sh").write_text(f"{lines}; cat src/n\n")
    project.git("commit", "-qm", "bench", "bench.sh", "--only")
    project.script("expr $(cat src/n) - 1 > src/n")
    refused = project.hookline("run", check=1)
    project.way.address = "local"
    project.hookline("run", check=0, CUDA_VISIBLE_DEVICES="4,6")

    assert "requires 1 GPU (resources.gpu), but no machine" in refused.stderr
    assert {*(tmp_path / "used").read_text().split()} <= {"4", "6"}
    assert len(project.rows) == 4
