"""Test the limits of a run: they hold during agent, guard, metric and judgement, and after a crash."""

import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from tests.engine.conftest import TARGET
from tests.engine.test_crashes import ended, killed

from hookline.engine import experiment, workplace
from hookline.engine.parallel import run_parallel
from hookline.engine.target import Limits
from hookline.engine.usage import SessionUsage
from hookline.engine.watchdog import Watchdog

LESS = 'echo $(( $(cat src/n) - 1 )) > src/n; echo "one less"'
SLOW = 'test "$(cat src/n)" = 10 || sleep 60'
NOISY = TARGET.replace('kind = "deterministic"', 'kind = "noisy"')


def timed(project, **changes):
    project.target(**changes)
    began = time.monotonic()
    done = project.hookline("run", check=0)
    assert time.monotonic() - began < 20
    return done


@pytest.mark.parametrize("slow", ["metric", "guard"])
def test_a_measurement_ends_with_the_run(project, slow):
    if slow == "metric":
        (project.root / "bench.sh").write_text(f"{SLOW}; cat src/n\n")
        project.git("commit", "-qm", "slow", "bench.sh", "--only")
    project.script(LESS)
    guard = "[guard]\ncommand = '''test \"$(cat src/n)\" = 10 || sleep 60'''\n" if slow == "guard" else ""
    done = timed(project, text=TARGET + guard, experiments=5, limits='time = "2s"')

    assert project.statuses == ["baseline", "budget"]
    assert project.rows[1].description == "one less; the time of the run was over; not measured"
    assert project.git("show", f"refs/hookline/{project.run.id}/1:src/n") == "9"
    assert "time: the time limit of 2s is reached" in done.stdout


def test_a_judgement_ends_with_the_run(project):
    (project.root / "bench.sh").write_text('test "$(cat src/n)" = 10 || sleep 0.6; cat src/n\n')
    project.git("commit", "-qm", "slow", "bench.sh", "--only")
    project.script(LESS)
    timed(project, text=NOISY, experiments=5, limits='time = "2s"')

    assert project.statuses == ["baseline", "budget"]


def test_a_run_whose_time_ends_before_its_baseline_fails(project):
    project.target(limits='time = "1s"')
    (project.root / "bench.sh").write_text("sleep 60\n")
    project.git("commit", "-qm", "slow", "bench.sh", "--only")

    assert "was over before its baseline was measured" in project.hookline("run", check=1).stderr


def test_time_before_a_crash_counts(project):
    project.target(experiments=50, limits='time = "3s"')
    project.script("sleep 2.2; " + LESS)
    ended(killed(project, "before-commit"))
    began = time.monotonic()
    project.hookline("run", "--resume", check=0)

    assert time.monotonic() - began < 2.2
    assert project.statuses[1:] in (["keep"], ["keep", "budget"])


def test_a_resumed_run_keeps_the_options_of_the_first_call(project):
    project.target(experiments=50)
    project.script(LESS)
    ended(killed(project, "after-begun", "--experiments", "2", "--tokens", "70", "--cost", "2.5"))
    project.hookline("run", "--resume", check=0)

    assert project.statuses == ["baseline", "keep", "keep"]
    limits = project.run.target.limits
    assert (limits.experiments, limits.tokens, limits.cost) == (2, 70, 2.5)


@pytest.mark.parametrize(
    ("option", "value"), [("--time", "soon"), ("--cost", "-1"), ("--cost", "nan"), ("--tokens", "0")]
)
def test_an_invalid_limit_is_a_usage_error(project, option, value):
    assert option in project.hookline("run", option, value, check=2).stderr


@pytest.mark.parametrize("limit", [("--tokens", "100"), ("--cost", "0.5")])
def test_an_agent_that_uses_up_the_tokens_is_ended_at_work(project, monkeypatch, limit):
    began = time.monotonic()
    usage = SessionUsage(tokens_in=90, tokens_out=20, cost=0.6)
    monkeypatch.setattr(experiment, "USAGE_SECONDS", 0.1)
    monkeypatch.setattr(
        workplace, "_read_usage", lambda *_: {"s": usage} if (project.home / "works").exists() else {}
    )
    project.target(experiments=5)
    project.script(LESS, "touch $HOME/works; sleep 60")
    done = project.hookline("run", *limit, check=0)

    assert time.monotonic() - began < 15
    assert project.statuses == ["baseline", "keep"]
    assert f"{limit[0][2:]}: " in done.stdout


def test_parallel_experiments_share_the_remaining_tokens():
    work = SimpleNamespace(target=SimpleNamespace(limits=Limits(tokens=1000)))
    state = SimpleNamespace(works={"1": work}, rows=[], busy={}, allowances={}, max_parallel=4)
    for worker in "1234":
        state.allowances[worker] = run_parallel.reserve(state, worker)
        state.busy[worker] = None

    assert [share["tokens"] for share in state.allowances.values()] == [250] * 4


def test_agents_end_when_the_engine_is_killed(project):
    project.target()
    project.script("echo $$ > $HOME/pid; sleep 300")
    engine = subprocess.Popen([sys.executable, "-m", "hookline", "run"], cwd=project.root, env=project.env)
    pid = _read_pid(project.home / "pid")
    os.kill(engine.pid, signal.SIGKILL)
    engine.wait()
    until = time.monotonic() + 10
    while _is_alive(pid) and time.monotonic() < until:
        time.sleep(0.05)

    assert not _is_alive(pid)
    with Watchdog(project.run) as active:
        assert active.seconds > project.run.spent


def _read_pid(path):
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if path.exists() and (text := path.read_text().strip()):
            return int(text)
        time.sleep(0.02)
    raise AssertionError


def _is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
