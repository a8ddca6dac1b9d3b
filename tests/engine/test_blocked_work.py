"""Test that the journal reports an agent without results as blocked, with the guard that blocked it."""

import json
import shlex
import sys
import time

import pytest

from hookline.core.store import Record
from hookline.engine.blocked_work import find_blocked_work
from hookline.stores.memory import open_store

PUSH = {"tool_name": "Bash", "tool_input": {"command": "git push --force"}}
LOOK = {"tool_name": "Bash", "tool_input": {"command": "cat src/n"}, "tool_response": {"stdout": "10"}}
EDIT = {"tool_name": "Bash", "tool_input": {"command": "echo 9 > src/n"}, "tool_response": {"stdout": ""}}
BY = "dangerous-command:git-push-force at git push --force"


def asked(event, told):
    """Return a script line that asks the guards about a call as a host does, and fails if they block it."""
    payload = {"session_id": "s", "transcript_path": "", "hook_event_name": event, **told}
    text = shlex.quote(json.dumps({**payload, "cwd": "HERE"}))
    call = f"{shlex.quote(sys.executable)} -m hookline hook claude-code"
    return f"""! printf '%s' {text} | sed "s|HERE|$PWD|" | {call} | grep -q '"deny"'"""


@pytest.fixture
def guarded(project):
    project.env["HOOKLINE_DAEMON"] = "off"
    return project


def only(project):
    _, row = project.rows
    return row


@pytest.mark.slow
def test_nothing_came_of_what_a_guard_stopped(guarded):
    guarded.script(
        asked("PreToolUse", PUSH) + " && git push --force && echo 9 > src/n",
        asked("PostToolUse", LOOK),
        "echo 'I cannot push.'",
    )
    guarded.hookline("run", check=0)
    row = only(guarded)

    assert (row.status, row.commit, row.metric) == ("hook_blocked", "", None)
    assert row.description == f"I cannot push.; blocked by {BY}"


def test_an_agent_that_gave_up_was_stopped_and_did_not_crash(guarded):
    guarded.script(asked("PreToolUse", PUSH) + " || exit 3")
    guarded.hookline("run", check=0)

    assert only(guarded).status == "hook_blocked"


@pytest.mark.slow
def test_who_is_always_stopped_ends_the_run(guarded):
    guarded.target(experiments=50)
    path = guarded.root / ".hookline/targets/small.toml"
    path.write_text(path.read_text().replace("failures = 1000", "failures = 2"))
    guarded.script(asked("PreToolUse", PUSH))
    done = guarded.hookline("run", check=1)

    assert guarded.statuses == ["baseline", "hook_blocked", "hook_blocked"]
    assert "failures: 2 experiments in a row failed completely" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (["echo 9 > src/n"], "keep"),
        ([asked("PostToolUse", EDIT)], "no_change"),
        (["echo x > notes"], "scope_violation"),
    ],
    ids=["it left something", "it went on to other work", "it left something elsewhere"],
)
def test_what_an_agent_does_besides_counts_for_more(guarded, lines, status):
    guarded.script(asked("PreToolUse", PUSH), *lines, "true")
    guarded.hookline("run", check=0)

    assert only(guarded).status == status


def heard(*records):
    """Return the blocked work found in *records*, which are pairs of an event and further fields."""
    store, now = open_store(""), time.time()
    store.begin_session("s", host="claude-code", cwd="/w/deep", at=now)
    kept = [
        Record(id=str(n), at=now + n, session="s", host="claude-code", event=event, cwd="/w/deep", **told)
        for n, (event, told) in enumerate(records)
    ]
    store.record(kept)
    return find_blocked_work(store, "/w", since=now, until=now + 10)


STOP = ("PreToolUse", {"action": "block", "rules": ("guard:rule",), "tool": "Bash", "summary": "x"})
RAN = "PostToolUse"


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ([], ""),
        ([STOP], "guard:rule at x"),
        ([("PreToolUse", {"action": "ask", "tool": "Write"})], "a hook at Write"),
        ([("UserPromptSubmit", {"action": "block"})], "a hook at UserPromptSubmit"),
        ([STOP, (RAN, {"tool": "Read"}), (RAN, {"tool": "Bash", "summary": "git diff"})], "guard:rule at x"),
        ([STOP, (RAN, {"tool": "Edit"})], ""),
        ([STOP, (RAN, {"tool": "Bash", "summary": "make"})], ""),
        ([STOP, (RAN, {"tool": "mcp__files__write"})], ""),
        ([STOP, (RAN, {"tool": "SomethingNew"})], ""),
        ([STOP, (RAN, {"tool": "Edit"}), STOP], "guard:rule at x"),
        ([(RAN, {"action": "block", "tool": "Bash"}), ("Stop", {"action": "block"})], ""),
        ([*[("PreToolUse", {})] * 10, STOP], ""),
    ],
    ids=lambda value: None if isinstance(value, str) else str(len(value)),
)
def test_it_is_the_last_that_could_have_changed_something(records, told):
    assert heard(*records) == told


def test_what_happens_elsewhere_is_not_looked_at():
    store, now = open_store(""), time.time()
    store.begin_session("s", host="claude-code", cwd="/wide", at=now)
    store.record(
        [Record(id="1", at=now, session="s", host="claude-code", event="PreToolUse", action="block")]
    )

    assert find_blocked_work(store, "/w", since=now, until=now + 9) == ""
