"""Test the usage of an experiment, which comes from recorded events and is never estimated."""

import json
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.engine.conftest import stop_at

from hookline.budget.ledger import USAGE_NOTE
from hookline.core.store import Record
from hookline.core.usage import TokenCounts
from hookline.engine.prices import price
from hookline.engine.usage import SessionUsage, add_usage, read_usage, sum_usage, to_json
from hookline.stores.memory import open_store
from hookline.system.paths import find_places


@pytest.fixture
def places(tmp_path):
    return find_places({"HOME": str(tmp_path)}, str(tmp_path))


def answer(number, *, model="claude-sonnet-4-5", again=False, **usage):
    told = {"input_tokens": 100, "output_tokens": 10, "cache_read_input_tokens": 1000, **usage}
    message = {"id": f"m{number}", "role": "assistant", "model": model, "usage": told, "content": []}
    line = {"type": "assistant", "requestId": f"r{number}", "message": message, "uuid": str(number)}
    return json.dumps(line) + "\n"


def session(store, name, worktree, recording, at):
    store.begin_session(name, host="claude-code", cwd=str(worktree), at=at)
    rows = [("PostToolUse", 1), ("PostToolUse", 2), ("Stop", 3)]
    store.record(
        [
            Record(
                id=f"{name}-{n}", at=at + n, session=name, host="claude-code", event=event, cwd=str(worktree)
            )
            for event, n in rows
        ]
    )
    store.set_notes(name, {USAGE_NOTE: {"mark": {"path": str(recording)}, "tally": None}})


def test_recordings_are_read_to_their_end_and_each_answer_counts_once(tmp_path, places):
    store, now = open_store(""), time.time()
    recording = tmp_path / "s.jsonl"
    recording.write_text(answer(1) + answer(1) + answer(2))
    session(store, "s", tmp_path / "w", recording, now)
    session(store, "other", tmp_path / "elsewhere", recording, now)

    found = read_usage(store, str(tmp_path / "w"), places, {}, since=now - 9, now=now)

    assert list(found) == ["s"]
    assert (found["s"].tokens_in, found["s"].tokens_out, found["s"].tool_calls) == (2200, 20, 2)
    assert found["s"].cost == pytest.approx((200 * 3 + 2000 * 0.3 + 20 * 15) / 1e6)


def test_a_host_that_tells_nothing_is_not_known_rather_than_nothing(tmp_path, places):
    store, now = open_store(""), time.time()
    session(store, "s", tmp_path / "w", tmp_path / "none", now)

    assert read_usage(store, str(tmp_path / "w"), places, {}, since=now - 9, now=now) == {
        "s": SessionUsage(tool_calls=2)
    }
    assert read_usage(store, str(tmp_path / "x"), places, {}, since=now - 9, now=now) == {}


ONE, MORE = (
    SessionUsage(tokens_in=5, tokens_out=1, cost=0.5, tool_calls=2),
    SessionUsage(tokens_in=9, tokens_out=3, cost=0.75),
)


@pytest.mark.parametrize(
    ("columns", "before", "after", "told"),
    [
        ({}, {}, {}, {}),
        ({}, {}, {"s": ONE}, {"tokens_in": 5, "tokens_out": 1, "cost": 0.5, "tool_calls": 2}),
        ({}, {"s": ONE}, {"s": MORE}, {"tokens_in": 4, "tokens_out": 2, "cost": 0.25}),
        ({"tokens_in": 1}, {"s": ONE}, {"s": ONE, "t": SessionUsage(tokens_in=2)}, {"tokens_in": 3}),
    ],
)
def test_a_session_that_goes_on_counts_with_what_it_spent_since(columns, before, after, told):
    assert add_usage(columns, to_json(before), after) == told


def test_what_no_session_told_is_not_known():
    assert sum_usage([]) == SessionUsage()
    assert sum_usage([ONE, SessionUsage(tokens_in=1)]) == SessionUsage(
        tokens_in=6, tokens_out=1, cost=0.5, tool_calls=2
    )


def test_prices_are_the_users_own_then_the_maintained_then_ours(places, tmp_path):
    spent = TokenCounts(input=1_000_000)
    (tmp_path / ".config" / "hookline").mkdir(parents=True)

    assert price(spent, "claude-sonnet-4-5", places) == pytest.approx(3.0)
    assert price(spent, "nobody-knows-it", places) is None
    (tmp_path / ".config" / "hookline" / "models.json").write_text('{"claude-sonnet-4-5": {"input": 7}}')
    assert price(spent, "claude-sonnet-4-5", places) == pytest.approx(7.0)


AGENT = Path(__file__).parents[1] / "rotation_programs.py"
SPENT = 33_000
"""Input tokens that a session of that agent reports."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "sessions"),
    [
        ("echo 9 > src/n", 1),
        ('test -e "$HOME/again" && echo 9 > src/n; touch "$HOME/again"', 2),
        ('echo 9 > src/n; rm "$(dirname "$AUTORESEARCH_JOURNAL")/step.json"', 1),
    ],
    ids=["and its work counts", "and it works once more", "and its note is gone"],
)
def test_an_experiment_whose_engine_was_killed_counts_all_that_it_spent(project, lines, sessions):
    project.env["HOOKLINE_DAEMON"] = "off"
    project.target()
    agent = f'{shlex.quote(sys.executable)} {shlex.quote(str(AGENT))} agent "$HOME" usual'
    project.script(f"echo 'do it' | {agent}", lines, "true")
    killed = subprocess.run(
        [sys.executable, "-m", "hookline", "run"],
        cwd=project.root,
        env={**project.env, **stop_at(project.home, "after-agent")},
        capture_output=True,
        check=False,
    )
    assert killed.returncode == -9, killed.stderr.decode()
    project.hookline("run", "--resume", check=0)
    _, row = project.rows

    assert row.status == "keep"
    assert (row.tokens_in, row.tokens_out, row.tool_calls) == (SPENT * sessions, 2 * sessions, sessions)


PRICES = '{"claude-test": {"input": 1000, "output": 500}}'
"""Prices in dollars per million tokens."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("tokens = 50000", "tokens: 66004 of 50000 tokens used"),
        ("cost = 50", "cost: 66.002 of 50 dollars used"),
    ],
)
def test_what_experiments_spent_ends_a_run_at_its_limit(project, limit, said):
    project.env["HOOKLINE_DAEMON"] = "off"
    path = project.home / ".config/hookline/models.json"
    path.parent.mkdir(parents=True)
    path.write_text(PRICES)
    project.target(experiments=5, limits=limit)
    agent = f'{shlex.quote(sys.executable)} {shlex.quote(str(AGENT))} agent "$HOME" usual'
    project.script(f"echo 'do it' | {agent}", "echo $(( $(cat src/n) - 1 )) > src/n")
    done = project.hookline("run", check=0)

    assert said in done.stdout
    assert project.statuses[:2] == ["baseline", "keep"]
    assert len(project.statuses) == 3  # the second is ended at the limit, before or after its change
