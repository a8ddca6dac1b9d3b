"""Test known failures of other engines, each in a whole run."""

import json
import shlex
import sys
import time
from pathlib import Path

import pytest
from tests.engine.conftest import TARGET

ASK = f"{shlex.quote(sys.executable)} -m hookline hook claude-code"
USERS = """{
    "permissions": {"allow": ["Bash(ls)"],   "deny": []},
    "hooks": {
        "PreToolUse": [ {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo 'mine'"}]} ]
    },
    "unknown": [1, 2,  3]
}
"""
CLAUDE = """#!/bin/sh
cat > /dev/null
cp .claude/settings.local.json "$HOME/settings"
echo 9 > src/n
"""


def only(project):
    _, row = project.rows
    return row


def change(project, *pairs):
    path = project.root / ".hookline/targets/small.toml"
    text = path.read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)


def test_rows_are_not_wiped_by_the_next_reset(project):
    """Other engines keep the journal in the tree that they reset, and lose it."""
    project.target(experiments=4)
    project.script("echo 11 > src/n; git add -A; git commit -qm worse; git clean -fdxq")
    project.hookline("run", check=0)
    table = Path(project.run.journal.table).read_text().splitlines()

    assert project.statuses == ["baseline", *["discard"] * 4]
    assert sorted(row.iteration for row in project.rows) == [0, 1, 2, 3, 4]
    assert len(table) == 2 + 5


def test_an_agent_that_changes_nothing_is_seen(project):
    """Other engines measure the incumbent again and record a discard."""
    project.script("echo 9 > src/n; git commit -qam tried; git reset -q --hard HEAD~1; echo nothing to do")
    project.hookline("run", check=0)
    row = only(project)

    assert (row.status, row.commit, row.metric) == ("no_change", "", None)


def test_discarded_work_of_several_commits_does_not_leak(project):
    """Other engines reset only the last commit, and earlier commits leak into the next experiment."""
    project.target(experiments=2)
    project.script(
        'ls src > "$HOME/found$(wc -l < "$AUTORESEARCH_JOURNAL")"',
        "for i in 1 2 3; do echo $i > src/extra$i; git add -A; git commit -qm part$i; done",
        "echo 12 > src/n",
        "echo part of it",
    )
    project.hookline("run", check=0)

    assert project.statuses == ["baseline", "discard", "discard"]
    assert project.tip == project.git("rev-parse", "HEAD")
    assert (project.home / "found4").read_text().split() == ["fixed", "n"]
    assert project.git("log", "--format=%s", f"main..refs/hookline/{project.run.id}/2").splitlines() == [
        "part of it",
        "part3",
        "part2",
        "part1",
    ]


def test_hooks_of_the_user_are_not_destroyed_by_a_shallow_merge(project):
    """Other engines replace the user's hooks with their own, and leave them there."""
    folder = project.home / "bin"
    folder.mkdir()
    (folder / "claude").write_text(CLAUDE)
    (folder / "claude").chmod(0o755)
    project.env |= {"PATH": f"{folder}:{project.env['PATH']}", "HOOKLINE_DAEMON": "off"}
    place = project.root / ".claude" / "settings.local.json"
    place.parent.mkdir()
    place.write_text(USERS)
    project.git("add", "-f", ".claude")
    project.git("commit", "-qm", "settings", "--only", ".claude")
    project.target(TARGET.replace('\ncommand = "sh \\"$AGENT\\""', "").replace('"command"', '"claude-code"'))
    before = project.standing()
    project.hookline("run", check=0)
    during = json.loads((project.home / "settings").read_text())
    first, *ours = during["hooks"]["PreToolUse"]

    assert only(project).status == "keep"
    assert first == json.loads(USERS)["hooks"]["PreToolUse"][0]
    assert "hook claude-code" in ours[0]["hooks"][0]["command"]
    assert {name: during[name] for name in ("permissions", "unknown")} == {
        "permissions": {"allow": ["Bash(ls)"], "deny": []},
        "unknown": [1, 2, 3],
    }
    assert (Path(project.run.scratch) / "agent/.claude/settings.local.json").read_text() == USERS
    assert project.git("diff", "--name-only", "main", project.tip) == "src/n"
    assert project.standing() == before


def test_children_do_not_survive_a_timeout(project):
    """Other engines kill one process, and its children continue."""
    marker = project.home / "alive"
    change(project, ('budget = "20s"', 'budget = "1s"'), ('grace = "1s"', "grace = 0"))
    project.script(f"setsid sh -c 'while :; do date +%s%N > {marker}; sleep 0.1; done' & sleep 100")
    project.hookline("run", check=0)
    seen = marker.read_text()
    time.sleep(0.5)

    assert only(project).status == "timeout"
    assert marker.read_text() == seen


def test_the_countdown_is_wired_for_the_default_profile(project):
    """Other engines install it only for profiles that request it, and their default profile does not."""
    project.env["HOOKLINE_DAEMON"] = "off"
    called = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    payload = {
        **called,
        "tool_response": {"stdout": ""},
        "session_id": "s",
        "transcript_path": "",
        "cwd": "HERE",
    }
    project.script(
        f"""printf '%s' {shlex.quote(json.dumps(payload))} | sed "s|HERE|$PWD|" | {ASK} > "$HOME/told" """,
        "echo 9 > src/n",
    )
    project.hookline("run", check=0)

    assert project.run.target.agent.profile == "default"
    assert "BUDGET: 0m" in (project.home / "told").read_text()


def test_the_metric_is_measured_again_after_rework(project):
    """Other engines keep the metric from before the rework."""
    path = project.root / ".hookline/targets/small.toml"
    path.write_text(path.read_text() + '[guard]\ncommand = "test ! -e src/bad"\n')
    project.script(
        "if grep -q 'guard failed' \"$AUTORESEARCH_INSTRUCTIONS\"",
        "then rm src/bad; echo 5 > src/n; echo mended",
        "else echo 2 > src/n; touch src/bad; echo first; fi",
    )
    project.hookline("run", check=0)
    row = only(project)

    assert (row.status, row.metric, row.guard, row.description) == ("keep_reworked", 5.0, "pass", "mended")


@pytest.mark.parametrize("mended", [10, 11])
def test_rework_that_costs_what_was_gained_is_not_kept(project, mended):
    path = project.root / ".hookline/targets/small.toml"
    path.write_text(path.read_text() + '[guard]\ncommand = "test ! -e src/bad"\n')
    project.script(
        f"if test -e src/bad; then rm src/bad; echo {mended} > src/n; echo x > src/x; echo mended",
        "else echo 2 > src/n; touch src/bad; fi",
    )
    project.hookline("run", check=0)
    row = only(project)

    assert (row.status, row.metric, row.guard) == ("discard", float(mended), "pass")
    assert project.tip == project.git("rev-parse", "HEAD")
