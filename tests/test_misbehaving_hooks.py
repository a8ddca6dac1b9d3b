"""Test hooks that loop, fork, flood, ignore signals or die, from the configuration to the reply."""

import time
from pathlib import Path
from uuid import uuid4

import pytest

from hookline.hosts import load as host
from hookline.runtime.runtime import Runtime
from hookline.testing import pre_tool_use

LIMIT, OVER, SLACK = 0.6, 0.5, 0.6
CLAUDE = host("claude-code")
COMMANDS = {
    "loops": "while :; do :; done",
    "sleeps": "sleep 60",
    "sleeps-beside": "sleep 60 & sleep 60",
    "gets-away": "setsid sleep 60 & sleep 60",
    "gets-away-twice": "(setsid sh -c 'sleep 60 & sleep 60' &) ; sleep 60",
    "ignores-signals": "trap '' TERM INT HUP; sleep 60; sleep 60",
    "floods": "yes",
    "floods-errors": "yes >&2",
    "forks": "for i in 1 2 3 4 5 6 7 8; do (sleep 60 &) ; done; sleep 60",
    "stops-itself": "kill -STOP $$",
    "never-reads": "exec <&-; sleep 60",
}
DYING = {
    "exits-7": ("exit 7", "exited with status 7"),
    "is-killed": ("kill -KILL $$", "killed by signal 9"),
    "segfaults": ("kill -SEGV $$", "killed by signal 11"),
    "is-missing": ("/no/such/program", "status 127"),
    "prints-nonsense": ("echo '{nonsense'", "not an answer"),
    "leaves-a-child": ("sleep 60 &", "left 1 processes running"),
}
PYTHON = {
    "python-loops": ("while True: pass", "timed out after"),
    "python-exits": ("__import__('os')._exit(3)", "ended its worker process"),
    "python-raises": ("1 / 0", "ZeroDivisionError"),
    "python-kills-itself": ("__import__('os').abort()", "ended its worker process"),
}
HOOK = """
from hookline import PreToolUse, State, hook

@hook(timeout=1.5)
def bad(event: PreToolUse, state: State):
    {body}
"""


def left(mark):
    """Return the ids of processes with the mark in their command line or environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:
            continue
        if mark.encode() in words:
            found.append(process.name)
    return found


def answered(user, mark):
    runtime = Runtime.load(str(user.project), user.environment(MARK=mark), host=CLAUDE)
    began = time.monotonic()
    runtime.answer(CLAUDE, "PreToolUse", pre_tool_use("echo hi"))
    took = time.monotonic() - began
    runtime.run_deferred_work()
    (_, record) = list(runtime.store.records(query()))[-1]
    runtime.close()
    return took, record


def query():
    from hookline.core.store import Query

    return Query(event="PreToolUse")


def declare(user, command):
    entry = {"command": f"MARK=$MARK; {command}", "name": "bad", "timeout": LIMIT}
    user.write("~/.config/hookline/hooks.json", {"hooks": {"PreToolUse": [entry]}})


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_hook_that_would_not_end_is_ended(user, name):
    declare(user, COMMANDS[name])
    mark = uuid4().hex
    took, record = answered(user, mark)

    assert took < LIMIT + OVER + SLACK
    assert left(mark) == []
    assert any("'bad' timed out after 0.6 s" in warning for warning in record.warnings)
    assert record.action == "pass"


@pytest.mark.parametrize("name", DYING)
def test_a_hook_that_dies_is_named(user, name):
    command, said = DYING[name]
    declare(user, command)
    mark = uuid4().hex
    took, record = answered(user, mark)

    assert took < LIMIT + OVER + SLACK
    assert left(mark) == []
    assert any("'bad'" in warning and said in warning for warning in record.warnings), record.warnings


@pytest.mark.slow
@pytest.mark.parametrize("name", PYTHON)
def test_a_hook_in_python_is_survived_and_its_worker_replaced(user, name):
    body, said = PYTHON[name]
    user.write("~/.config/hookline/hooks/bad.py", HOOK.format(body=body))
    mark = uuid4().hex
    took, record = answered(user, mark)

    assert took < 1.5 + OVER + SLACK
    assert left(mark) == []
    assert any("'bad'" in warning and said in warning for warning in record.warnings), record.warnings


def test_a_guard_that_must_not_fail_blocks_when_it_does(user):
    entry = {"command": "exit 7", "name": "strict", "on_failure": "block"}
    user.write("~/.config/hookline/hooks.json", {"hooks": {"PreToolUse": [entry]}})
    _, reply, _ = user.hook(user.payload("PreToolUse"))

    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "'strict' exited with status 7" in reply["hookSpecificOutput"]["permissionDecisionReason"]
