"""Test a daemon that is killed repeatedly: every call is answered correctly and recorded once."""

import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from tests.daemon.conftest import FORCE

CALLS, AT_ONCE = 30, 4  # bench/storm.py runs the full numbers


@pytest.mark.slow
def test_a_kill_storm_loses_no_answer_and_records_none_twice(each):
    chance = random.Random(7)
    killed = 0

    def ask(number):
        sent = {**each.user.shell(FORCE if number % 2 else "ls"), "tool_use_id": f"call-{number}"}
        return number, each.ask(sent)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        asked = [pool.submit(ask, number) for number in range(CALLS)]
        while not all(one.done() for one in asked):
            time.sleep(chance.uniform(0.2, 0.5))
            for process in each.running():
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                    killed += 1
    replies = dict(one.result() for one in asked)
    for process in each.running():
        os.kill(process, signal.SIGKILL)
    each.until(lambda: not each.running())
    log = [one for one in each.user.log() if one["event"] == "PreToolUse"]

    assert [one for number, one in replies.items() if (b'"deny"' in one.stdout) != bool(number % 2)] == []
    assert len(log) == len({one["id"] for one in log}) == CALLS
    assert sorted(one["action"] for one in log) == ["block"] * (CALLS // 2) + ["pass"] * (CALLS // 2)
    assert killed
