"""Test that a run killed at any point can be resumed: nothing is lost, repeated or left behind."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.engine.conftest import TARGET, stop_at

from hookline.engine import journal

pytestmark = pytest.mark.slow

AGENT = """
echo $$ > "$HOME/pid"
setsid sh -c 'while :; do date +%s%N > "$HOME/alive"; sleep 0.05; done' &
case $(wc -l < "$AUTORESEARCH_JOURNAL") in
3) echo 9 > src/n; git add -A; git commit -qm "made nine"; echo part > src/part; echo "two commits";;
4) echo 12 > src/n; echo x > outside; echo worse;;
*) echo 7 > src/n; touch src/bad
   if grep -q 'guard failed' "$AUTORESEARCH_INSTRUCTIONS"; then rm src/bad; fi; echo better;;
esac
echo done >> "$HOME/worked"
"""
POINTS = [
    *("before-baseline", "before-row", "after-baseline"),
    *(
        "before-begun:1",
        "after-begun:1",
        "after-put:1",
        "before-install:1",
        "after-install:1",
        "before-spawn:1",
    ),
    *("after-agent:1", "after-remove:1", "after-left:1", "before-commit:1", "after-commit:1"),
    *("after-committed:1", "before-guard:1", "before-metric:1", "after-metric:1", "after-decided:1"),
    *(
        "before-row:2",
        "after-row:1",
        "after-recorded:1",
        "after-branch:1",
        "after-reset:1",
        "after-settled:1",
    ),
    *("after-put:2", "after-commit:2", "after-decided:2", "after-row:2", "after-branch:2", "after-reset:2"),
    *("before-spawn:3", "after-begun:4", "before-spawn:4", "after-commit:4", "after-metric:4", "after-row:3"),
]
EXPECTED = [
    ("baseline", 10.0),
    ("keep", 9.0),
    ("discard", 12.0),
    ("keep_reworked", 7.0),
]


@pytest.fixture
def world(project):
    project.target(experiments=3)
    path = project.root / ".hookline/targets/small.toml"
    path.write_text(path.read_text() + '[guard]\ncommand = "test ! -e src/bad"\n')
    project.script(AGENT)
    return project


def killed(project, point, *words):
    return subprocess.Popen(
        [sys.executable, "-m", "hookline", "run", *words],
        cwd=project.root,
        env={**project.env, **stop_at(project.home, point)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def ended(process):
    told, _ = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, told.decode()


def resume(project):
    if not (project.root / "autoresearch").exists():
        return project.hookline("run", check=0)
    return project.hookline("run", "--resume", check=0)


def right(project, before):
    """Check the properties that a run must have after a crash and a resume."""
    rows = project.rows
    kept = [row for row in rows if row.kept]
    table = Path(project.run.journal.table).read_text()
    assert [(row.status, row.metric) for row in rows] == EXPECTED
    assert [row.iteration for row in rows] == [0, 1, 2, 3]
    assert table == journal.format_header(project.run.target.metric) + "".join(map(journal.format_row, rows))
    assert project.tip == kept[-1].commit
    for row in rows:
        assert project.git("rev-parse", f"refs/hookline/{project.run.id}/{row.iteration}") == row.commit
    assert project.git("diff", "--name-only", "main", project.tip).splitlines() == ["src/n", "src/part"]
    assert project.git("show", f"{rows[2].commit}:src/n") == "12"
    assert project.standing() == before
    assert alone(project)
    assert not (project.root / "autoresearch" / project.run.id / "step.json").exists()
    worktree = project.git("worktree", "list").splitlines()
    assert len([line for line in worktree if project.run.branch in line]) == 1


def alone(project):
    """Return whether no process of the run is left, because the file that its child writes is unchanged."""
    path = project.home / "alive"
    seen = path.read_text()
    time.sleep(0.3)
    return path.read_text() == seen


def whole(tests):
    return tests if os.environ.get("HOOKLINE_LONG") else tests[:: max(1, len(tests) // 12)]


@pytest.mark.parametrize("point", whole(POINTS))
def test_the_engine_is_killed(world, point):
    before = world.standing()
    ended(killed(world, point))
    resume(world)

    right(world, before)


def test_nothing_is_killed(world):
    before = world.standing()
    world.hookline("run", check=0)

    right(world, before)


WITHIN = """
if ! test -e "$HOME/once"; then
touch "$HOME/once"
{moment}
fi
"""
MOMENTS = {
    "at its start": "{strike}",
    "after a change": "echo 8 > src/n; {strike}; sleep 0.2",
    "after a commit": "echo 8 > src/n; git commit -qam eight; echo 5 > src/n; {strike}",
    "while committing": "echo 8 > src/n; touch $(git rev-parse --git-dir)/index.lock; {strike}",
}
STRIKES = {
    "agent": "kill -9 $$",
    "engine": 'kill -9 $(cat "$HOME/engine")',
    "both": 'kill -9 $(cat "$HOME/engine") $$',
    "engine, and the agent goes on": 'kill -9 $(cat "$HOME/engine"); sleep 0.1; '
    "echo 6 > src/.n; mv src/.n src/n; exit",
}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("who", STRIKES)
def test_agent_or_engine_are_killed_at_work(project, who, moment):
    project.target(experiments=2)
    project.script(
        'until test -s "$HOME/engine"; do sleep 0.02; done',
        "setsid sh -c 'while :; do date +%s%N > \"$HOME/alive\"; sleep 0.05; done' &",
        "sleep 0.1",
        WITHIN.format(moment=MOMENTS[moment].format(strike=STRIKES[who])),
        "echo $(( $(cat src/n) - 1 )) > src/.n; mv src/.n src/n; echo one less",
    )
    before = project.standing()
    first = killed(project, "")
    (project.home / "engine").write_text(f"{first.pid}\n")
    told, _ = first.communicate(timeout=60)
    assert first.returncode == (0 if who == "agent" else -signal.SIGKILL), told.decode()
    if who != "agent":
        project.hookline("run", "--resume", check=0)
    rows = project.rows

    assert [row.iteration for row in rows] == [0, 1, 2]
    assert rows[2].status == "keep"
    assert project.tip == rows[2].commit
    assert alone(project)
    assert project.standing() == before
    if moment != "at its start":
        assert rows[1].metric in (8.0, 7.0, 6.0, 5.0, 4.0)
        assert project.git("rev-parse", f"refs/hookline/{project.run.id}/1") == rows[1].commit


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_leaves_a_journal_that_is_right(project, times):
    project.target(experiments=5)
    project.script("touch $HOME/works; sleep 1; echo 9 > src/n; sleep 1; echo nine; date > $HOME/alive")
    (project.home / "alive").write_text("")
    process = killed(project, "")
    wait_for(project.home / "works")
    for _ in range(times):
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
    told, _ = process.communicate(timeout=60)

    assert process.returncode == {1: 0, 2: 130}[times], told.decode()
    assert "the run stops after the running experiments; press Ctrl-C again to end them now" in told.decode()
    assert project.statuses == ["baseline", "keep"][: 3 - times]
    assert alone(project)
    if times == 2:
        project.hookline("run", "--resume", "--experiments", "1", check=0)
        assert project.statuses == ["baseline", "keep"]


def test_an_experiment_that_goes_on_has_no_more_time_than_the_run(project):
    project.target(experiments=3, limits='time = "3s"')
    project.script("sleep 12; echo 9 > src/n")
    ended(killed(project, "after-begun"))
    done = project.hookline("run", "--resume", check=0)

    assert project.statuses == ["baseline", "budget"]
    assert "time: the time limit of 3s is reached" in done.stdout


def wait_for(path):
    until = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < until
        time.sleep(0.02)


CLAUDE = """#!/bin/sh
grep -q "echo mine" .claude/settings.json || exit 9
grep -q "hook claude-code" .claude/settings.local.json || exit 8
grep -q '"note": 1' .claude/settings.local.json || exit 7
date > "$HOME/alive"
echo $(( $(cat src/n) - 1 )) > src/n
echo '{"type":"result","result":"One less."}'
"""
SHARED = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo mine"}]}]}}\n'
LOCAL = '{\n    "note": 1}\n'
WIRED = [
    *("after-first-install", "before-install:1", "after-install:1", "before-spawn:1", "after-agent:1"),
    *("after-remove:1", "after-install:2"),
]


@pytest.mark.parametrize("point", ["", *WIRED])
def test_the_users_hooks_and_settings_survive(project, point):
    """Other engines destroy them with a shallow merge, and leave their own hooks behind when killed."""
    folder = project.home / "bin"
    folder.mkdir()
    (folder / "claude").write_text(CLAUDE)
    (folder / "claude").chmod(0o755)
    project.env |= {"PATH": f"{folder}:{project.env['PATH']}", "HOOKLINE_DAEMON": "off"}
    (project.root / ".claude").mkdir()
    (project.root / ".claude" / "settings.json").write_text(SHARED)
    (project.root / ".claude" / "settings.local.json").write_text(LOCAL)
    project.git("add", "-f", ".claude")
    project.git("commit", "-qm", "settings", "--only", ".claude")
    project.target(
        TARGET.replace('\ncommand = "sh \\"$AGENT\\""', "").replace('"command"', '"claude-code"'),
        experiments=2,
    )
    before = project.standing()
    if point:
        ended(killed(project, point))
        project.hookline("run", "--resume", check=0)
    else:
        project.hookline("run", check=0)
    worktree = Path(project.run.scratch) / "agent" / ".claude"

    assert project.statuses == ["baseline", "keep", "keep"]
    assert project.git("diff", "--name-only", "main", project.tip) == "src/n"
    assert (worktree / "settings.json").read_text() == SHARED
    assert (worktree / "settings.local.json").read_text() == LOCAL
    assert project.standing() == before


ROTATING = Path(__file__).parents[1] / "rotation_programs.py"
SESSIONS = f"""#!/bin/sh
echo x >> "$HOME/sessions"
setsid sh -c 'while :; do date +%s%N > "$HOME/alive"; sleep 0.05; done' &
{{change}}
exec {shlex.quote(sys.executable)} {shlex.quote(str(ROTATING))} agent "$HOME" usual
"""
BETWEEN = [
    "after-session:1",
    "before-handover:1",
    "after-handover:1",
    "before-next-session:1",
    "after-session:2",
]
WORKS = "echo $(($(cat src/n) - 1)) > src/n"
LATE = f"if test $(wc -l < $HOME/sessions) -gt 2; then {WORKS}; fi"
BOTH = [(point, left) for left in (True, False) for point in BETWEEN]
FIRST, SECOND = 33_000, 9
"""Tokens read by the first session, and by a session that continues it."""


@pytest.mark.parametrize(("point", "left"), BOTH if os.environ.get("HOOKLINE_LONG") else BOTH[2::6])
def test_the_engine_is_killed_between_two_sessions_of_an_experiment(project, point, left):
    """Work that was *left* becomes the experiment; otherwise it restarts and its token count continues."""
    folder, settings = project.home / "bin", project.home / ".config" / "hookline"
    for one in (folder, settings):
        one.mkdir(parents=True)
    (settings / "models.json").write_text(json.dumps({"claude-": {"window": 20_000, "reserve": 0}}))
    (folder / "claude").write_text(SESSIONS.format(change=WORKS if left else LATE))
    (folder / "claude").chmod(0o755)
    project.env |= {"PATH": f"{folder}:{project.env['PATH']}", "HOOKLINE_DAEMON": "off"}
    project.target(TARGET.replace('\ncommand = "sh \\"$AGENT\\""', "").replace('"command"', '"claude-code"'))
    before = project.standing()
    ended(killed(project, point))
    project.hookline("run", "--resume", check=0)
    _, row = project.rows
    sessions, legs = len((project.home / "sessions").read_text().split()), int(point[-1])
    spent = FIRST + (legs - 1) * SECOND + (0 if left else FIRST + SECOND)
    inside = Path(project.run.scratch) / "agent" / ".claude"

    assert sessions == (legs if left else legs + 2)
    assert (row.iteration, row.status, row.metric) == (1, "keep", 10 - legs)
    assert row.tokens_in == spent
    assert project.tip == row.commit
    assert not inside.exists()
    assert not {"step.json", "undo"} & {path.name for path in Path(project.run.folder).iterdir()}
    assert alone(project)
    assert project.standing() == before
