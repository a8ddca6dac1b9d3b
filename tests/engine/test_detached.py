"""Test runs without a terminal: closed, detached, watched and stopped."""

import os
import pty
import signal
import subprocess
import sys
import time

from tests.engine.test_crashes import wait_for

LESS = 'echo $(( $(cat src/n) - 1 )) > src/n; echo "one less"'
HOOKLINE = [sys.executable, "-m", "hookline"]
GO = "touch $HOME/works; until test -e $HOME/go; do sleep 0.05; done; "


def wait_for_end(project):
    until = time.monotonic() + 30
    while not project.run.stopped:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_run_continues_when_its_terminal_is_closed(project):
    project.target(experiments=2)
    project.script(GO + LESS)
    ours, theirs = pty.openpty()
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    engine = subprocess.Popen(
        [*HOOKLINE, "run"], cwd=project.root, env=project.env, start_new_session=True, **streams
    )
    os.close(theirs)
    wait_for(project.home / "works")
    os.close(ours)
    engine.send_signal(signal.SIGHUP)
    (project.home / "go").touch()

    assert engine.wait(30) == 0
    assert project.statuses == ["baseline", "keep", "keep"]
    assert project.run.stopped == "experiment-limit"


def test_a_detached_run_is_shown_and_stopped(project):
    project.target(experiments=50)
    project.script(GO + LESS, "rm $HOME/go")
    done = project.hookline("run", "--detach", "--experiments", "40", check=0)
    assert f"hookline attach {project.run.id}" in done.stdout
    wait_for(project.home / "works")
    watching = subprocess.Popen(
        [*HOOKLINE, "attach"], cwd=project.root, env=project.env, stdout=subprocess.PIPE, text=True
    )
    line = watching.stdout.readline()
    (project.home / "go").touch()
    shown = [watching.stdout.readline() for _ in range(3)]
    stopped = project.hookline("stop", "small", check=0)
    rest, _ = watching.communicate(timeout=30)

    assert project.run.id in line
    assert any("keep" in text for text in shown), shown
    assert "ended; continue with" in stopped.stdout
    assert watching.returncode == 0
    assert "interrupted" in rest.splitlines()[-1]
    assert project.statuses[:2] == ["baseline", "keep"]
    assert project.run.target.limits.experiments == 40
    assert "is not running" in project.hookline("stop", "small", check=2).stderr
    assert "is not running" in project.hookline("attach", check=2).stderr


def test_a_detached_run_that_cannot_begin_says_why(project):
    (project.root / "bench.sh").write_text("exit 4\n")
    project.git("commit", "-qm", "broken", "bench.sh", "--only")

    assert "the metric fails on the commit" in project.hookline("run", "--detach", check=1).stderr


def test_a_stopped_run_may_finish_its_experiment(project):
    project.target(experiments=50)
    project.script(GO + LESS)
    project.hookline("run", "--detach", check=0)
    wait_for(project.home / "works")
    project.hookline("stop", "small", "--finish", check=0)
    (project.home / "go").touch()
    wait_for_end(project)

    assert project.run.stopped == "cancelled"
    assert project.statuses == ["baseline", "keep"]
