"""Test that an ended session calls no more tools until its user writes again."""

import json

import pytest

from hookline import State, hosts
from hookline.core.response import End, find_end_reason, remember
from hookline.hooks.end_session import ENDED_NOTE, end_session
from hookline.runtime.runtime import Runtime
from hookline.testing import pre_tool_use, user_prompt_submit

ENDED = State(now=1.0, memory={ENDED_NOTE: True})


def test_a_session_that_nobody_ended():
    assert end_session(pre_tool_use(), State(now=1.0)) is None
    assert end_session(user_prompt_submit(), State(now=1.0)) is None


def test_the_next_call_is_blocked_and_the_run_ended():
    response = end_session(pre_tool_use(), ENDED)

    assert (response.verdict, response.rule) == ("block", "ended")
    assert any(isinstance(effect, End) for effect in response.effects)
    assert "continues" in find_end_reason(response.effects)


def test_the_users_next_prompt_continues():
    assert end_session(user_prompt_submit(), ENDED) == remember(**{ENDED_NOTE: False})


@pytest.mark.parametrize("name", [name for name in hosts.names() if hosts.load(name).run_ending_events])
def test_each_host_that_can_end_a_run_ends_it(user, name):
    host = hosts.load(name)
    runtime = Runtime.load(str(user.project), user.environment(), host=host)
    event = pre_tool_use(host=name)
    moment = next(key for key, row in host.moments.items() if row.event is type(event))
    runtime.store.set_notes(event.session, {ENDED_NOTE: True})
    reply = runtime.answer(host, moment, event).stdout
    runtime.close()

    assert "A person ended this session" in reply
    assert json.loads(reply).get("continue") is False or "end" in json.loads(reply)
