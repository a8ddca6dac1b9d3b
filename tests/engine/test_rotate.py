"""Test that an agent with a nearly full context continues in a new session of the same experiment."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from tests.engine.conftest import TARGET

AGENT = Path(__file__).parents[1] / "rotation_programs.py"
FEWER = "echo $(($(cat src/n) - 1)) > src/n"


@pytest.fixture
def small(project):
    """Configure a model with a small context window."""
    folder = project.home / ".config" / "hookline"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "models.json").write_text(json.dumps({"claude-": {"window": 20_000, "reserve": 0}}))
    project.env["HOOKLINE_DAEMON"] = "off"
    project.target(TARGET.replace('budget = "20s"', 'budget = "40s"'))
    return project


def session(mode):
    return f'echo "do it" | {shlex.quote(sys.executable)} {shlex.quote(str(AGENT))} agent "$HOME" {mode}'


def begun(project):
    """Return what the agent's sessions received at their start."""
    lines = (project.home / "received.jsonl").read_text().splitlines()
    return [one for one in map(json.loads, lines) if one["event"] == "SessionStart"]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["usual", "stubborn"])
def test_it_goes_on_from_the_handoff_and_is_one_experiment(small, mode):
    small.script(FEWER, session(mode), 'cp "$AUTORESEARCH_INSTRUCTIONS" "$HOME/told"; echo done')
    small.hookline("run", check=0)

    first, second = begun(small)
    assert "[Handoff]" not in first["context"]
    assert "add a migration for old invoices" in second["context"]
    assert [(row.status, row.metric) for row in small.rows] == [("baseline", 10), ("keep", 8)]
    told = (small.home / "told").read_text()
    assert told.startswith("Continue the work of the previous session")
    assert "# Experiment 1: small" in told


@pytest.mark.slow
def test_all_sessions_have_one_budget(small):
    small.target(TARGET.replace('budget = "20s"', 'budget = "12s"'))
    once = 'if [ -e "$HOME/once" ]; then sleep 60; fi; touch "$HOME/once"'
    small.script(once, FEWER, session("usual"))
    small.hookline("run", check=0)

    row = small.rows[1]
    assert (row.status, row.metric, row.details["ended"]) == ("keep", 9, "timeout")
    assert "out of time" in row.description
    assert 12 <= row.seconds < 40


def test_a_session_that_asks_for_nothing_is_the_only_one(small):
    small.script(FEWER, 'echo "$HOOKLINE_ROTATION" > "$HOME/leg"')
    small.hookline("run", check=0)

    assert small.rows[1].metric == 9
    assert (small.home / "leg").read_text().strip().endswith(":1")
