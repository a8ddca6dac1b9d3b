"""Test that agents die with their budget, whichever process of the engine is killed or stopped."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.engine.conftest import TARGET

from hookline.engine import watchdog

pytestmark = pytest.mark.slow

AGENT = (
    'echo $$ > "$HOME/pid.new"; mv "$HOME/pid.new" "$HOME/agent"',
    "cat > \"$HOME/far.sh\" <<'END'",
    'echo $$ > "$HOME/far.new"; mv "$HOME/far.new" "$HOME/far"; sleep 300',
    "END",
    'env -i PATH="$PATH" HOME="$HOME" setsid sh -c \'sh "$HOME/far.sh" & exit\' &',
    "sleep 300",
)
"""An agent that hangs, with a process that left its session, its parent and its environment."""
LESS = "echo $(( $(cat src/n) - 1 )) > src/n"


@pytest.fixture
def engine(project):
    """Start a run whose agent hangs."""
    project.target(TARGET.replace('budget = "20s"', 'budget = "200s"'), experiments=1)
    project.script(*AGENT)
    process = start(project)
    yield process
    for pid in (process.pid, *watchdog.find_watchdogs(project.run)):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


def start(project):
    process = subprocess.Popen([sys.executable, "-m", "hookline", "run"], cwd=project.root, env=project.env)
    wait_until(lambda: all((project.home / name).exists() for name in ("agent", "far")))
    wait_until(lambda: len(watchdog.find_watchdogs(project.run)) == watchdog.COUNT)
    return process


def wait_until(holds, seconds=60):
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


def pids(project):
    return [int((project.home / name).read_text()) for name in ("agent", "far")]


def is_alive(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def all_dead(project):
    return not any(map(is_alive, pids(project)))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize("which", [0, 1])
def test_agents_die_with_the_engine_although_a_watchdog_is_gone(project, engine, number, which):
    os.kill(watchdog.find_watchdogs(project.run)[which], number)
    engine.kill()

    wait_until(lambda: all_dead(project))
    project.script(LESS)
    project.hookline("run", "--resume", check=0)
    assert project.statuses == ["baseline", "keep"]
    wait_until(lambda: not watchdog.find_watchdogs(project.run))


def test_an_agent_dies_with_its_budget_although_the_engine_is_stopped(project):
    project.target(TARGET.replace('budget = "20s"', 'budget = "3s"'), experiments=1)
    project.script(LESS, *AGENT)
    engine = start(project)
    engine.send_signal(signal.SIGSTOP)

    wait_until(lambda: all_dead(project), seconds=90)
    engine.send_signal(signal.SIGCONT)
    assert engine.wait(60) == 0
    assert project.statuses == ["baseline", "keep"]


def test_an_agent_cannot_hide_its_deadline(project):
    """The agent deletes its progress file; the engine is stopped then."""
    project.target(TARGET.replace('budget = "20s"', 'budget = "3s"'), experiments=1)
    project.script(LESS, "sleep 2", f'rm "{project.root}"/autoresearch/*/step.json', *AGENT)
    engine = start(project)
    engine.send_signal(signal.SIGSTOP)

    wait_until(lambda: all_dead(project), seconds=90)
    engine.send_signal(signal.SIGCONT)
    assert engine.wait(60) == 0
    assert project.statuses == ["baseline", "keep"]
