"""Test that the daemon stores and logs none of the planted secrets."""

import json

import pytest
from tests.test_planted_secrets import PLANTS, files_of, leaks, outputs_of, some_calls

pytestmark = pytest.mark.slow


def test_a_daemon_stores_and_logs_no_planted_secret(house):
    house.ask_until_served()
    replies = []
    for number, one in enumerate(PLANTS):
        stem, put = some_calls(number)[0]
        payload = house.user.payload(stem, tool_use_id=f"t{number}", **put(one.text))
        replies.extend(outputs_of(stem, house.ask(payload)))
    broken = json.dumps(house.user.payload("PreToolUse"))[:-1] + PLANTS[0].text
    replies.extend(outputs_of("broken", house.ask(broken.encode())))
    assert house.calls() >= len(PLANTS)
    house.run("daemon", "stop")
    house.until(lambda: not house.running())
    files = list(files_of(house.user.home, house.folder))

    assert {"hookline.db", "log"} <= {name for name, _ in files}
    assert leaks([*replies, *files]) == {}
