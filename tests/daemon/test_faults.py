"""Whatever becomes of the daemon, every call is answered rightly, and is in the log once."""

import json
import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from .conftest import CLIENTS

LONG = bool(os.environ.get("HOOKLINE_LONG"))
CALLS, AT_ONCE = (10_000, 16) if LONG else (60, 4)
FORCE = "git push --force"


@pytest.mark.parametrize("client", CLIENTS)
def test_killed_again_and_again_it_loses_no_answer_and_keeps_none_twice(house, client):
    house.client = CLIENTS[client]
    chance = random.Random(7)

    def ask(number):
        sent = house.user.shell(FORCE if number % 2 else "ls")
        return number, house.ask(json.dumps({**sent, "tool_use_id": f"call-{number}"}))

    killed = 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        asked = [pool.submit(ask, number) for number in range(CALLS)]
        while not all(one.done() for one in asked):
            time.sleep(chance.uniform(0.2, 0.5))
            for process in house.running():
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                    killed += 1
    told = dict(one.result() for one in asked)
    house.end()
    log = [one for one in house.user.log() if one["event"] == "PreToolUse"]

    assert [one for number, one in told.items() if (b"deny" in one.stdout) != bool(number % 2)] == []
    assert len(log) == len({one["id"] for one in log}) == CALLS
    assert sorted(one["action"] for one in log) == ["block"] * (CALLS // 2) + ["pass"] * (CALLS // 2)
    assert killed >= (100 if LONG else 1)
    assert house.running() == []
