"""Test that the subagents of a live session are found, from the payloads that real hosts sent."""

import json
import time
from pathlib import Path

import pytest

from hookline import hosts
from hookline.core.payload import decode
from hookline.runtime.live_sessions import find_live_sessions
from hookline.runtime.runtime import Runtime

CAPTURES = sorted(Path(__file__).parents[1].glob("captures/*/[sS]ubagentStart.json"))


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.parent.name)
def test_a_captured_start_shows_a_running_subagent(user, capture):
    host = hosts.load(capture.parent.name)
    moment, event = decode(host, json.loads(capture.read_text()))
    runtime = Runtime.load(str(user.project), user.environment(), host=host)
    runtime.answer(host, moment, event)
    runtime.run_deferred_work()
    sessions = runtime.store.sessions(since=time.time() - 60)
    (row,) = find_live_sessions(sessions, runtime.store, runtime.setup, since=0.0)
    runtime.close()

    assert [(item.id, item.type, item.ended) for item in row.subagents] == [
        (event.subagent.id, event.subagent.type, False)
    ]
