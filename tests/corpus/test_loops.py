"""Test loop-breaker with sequences of calls: polling, retries and fixes pass, and loops are stopped.

Each line of `loops.jsonl` is a sequence of steps. A step is a finished call: `run` (a command line), `edit`
or `read` (a file), or `tool`. `says` is its output, `fails` states whether it failed, `after` is the time in
seconds since the previous step, and `changed` states whether it changed the workspace.
"""

import json
from pathlib import Path

import pytest

from hookline import State
from hookline.core.events import PostToolUse, PreToolUse
from hookline.core.frozen import Frozen
from hookline.hooks.loop_breaker import loop_breaker

ROWS = [json.loads(line) for line in (Path(__file__).parent / "loops.jsonl").read_text().splitlines()]
BENIGN = [row for row in ROWS if row["expect"] == "quiet"]
LOOPS = [row for row in ROWS if row["expect"] == "stopped"]


class Session:
    """A simulated session with the state that the host, the store and the machine provide."""

    def __init__(self):
        self.now, self.memory, self.version, self.files = 1_800_000_000.0, {}, 0, {}

    def state(self):
        facts = {"workspace": str(self.version), "hash_file": lambda path: self.files.get(path, "")}
        return State(now=self.now, memory=self.memory, facts=facts)

    def judged(self, event):
        said = loop_breaker(event, self.state())
        self.memory = json.loads(json.dumps({**self.memory, **(said.memory if said else {})}, default=list))
        return said.rule if said else ""

    def play(self, step):
        """Run one step, and return the rules that responded before and after it."""
        call = called(step)
        before = self.judged(PreToolUse(**call))
        self.now += step["after"]
        fails = step.get("fails", False)
        if step.get("changed") or ("edit" in step and not fails):
            self.version += 1
            self.files[step.get("edit", "")] = step.get("content", "")
        output = {"stdout": "" if fails else step.get("says", "")}
        error = step.get("says", "") if fails else ""
        after = self.judged(PostToolUse(**call, output=Frozen(output), success=not fails, error=error))
        return [rule for rule in (before, after) if rule]


def called(step):
    if "run" in step:
        given, kind, tool = {"command": step["run"]}, "shell", "Bash"
    elif "tool" in step:
        given, kind, tool = step.get("input", {}), "other", step["tool"]
    else:
        kind = "edit" if "edit" in step else "read"
        given, tool = {"path": step[kind], "content": step.get("content", "")}, kind.title()
    return {
        "session": "s",
        "host": "claude-code",
        "cwd": "/repo",
        "tool": tool,
        "kind": kind,
        "input": Frozen(given),
    }


def test_there_are_enough():
    assert len(BENIGN) >= 40
    assert {row["kind"] for row in BENIGN} == {"polling", "retrying", "test-fixing"}
    assert len({row["id"] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", BENIGN, ids=lambda row: row["id"])
def test_what_waits_retries_or_mends_is_not_stopped(row):
    session = Session()

    assert [rule for step in row["steps"] for rule in session.play(step)] == []


@pytest.mark.parametrize("row", LOOPS, ids=lambda row: row["id"])
def test_what_goes_round_is_told_at_its_last_step_and_stopped_from_there(row):
    session = Session()
    *before, last = row["steps"]

    assert [rule for step in before for rule in session.play(step)] == []
    assert session.play(last) == [row["kind"]]
    stops = "" if "sleep" in last.get("run", "") else row["kind"]  # a call that waits is not blocked
    assert session.judged(PreToolUse(**called(last))) == stops
