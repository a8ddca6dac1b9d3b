"""Test that events and states are immutable."""

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.core.events import EVENTS, PermissionRequest, PreToolUse
from hookline.core.frozen import Frozen, freeze, thaw
from hookline.core.state import Facts, State
from hookline.testing import any_event

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(values)
def test_freezing_loses_nothing(value):
    assert thaw(freeze(value)) == value
    assert json.loads(json.dumps(freeze(value))) == value
    assert pickle.loads(pickle.dumps(freeze(value))) == freeze(value)


CHANGES = [
    lambda d: d.__setitem__("a", 1),
    lambda d: d.__delitem__("a"),
    lambda d: d.update(a=1),
    lambda d: d.pop("a"),
    lambda d: d.popitem(),
    lambda d: d.clear(),
    lambda d: d.setdefault("b", 1),
    lambda d: d.__ior__({"a": 1}),
]


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_changes_in_place(change):
    value = freeze({"a": {"b": [1]}})
    with pytest.raises(TypeError, match=r"return modify"):
        change(value)
    with pytest.raises(TypeError, match=r"return modify"):
        change(value["a"])
    assert value == {"a": Frozen({"b": (1,)})}


@pytest.mark.parametrize("kind", EVENTS.values(), ids=list(EVENTS))
def test_every_event_is_frozen_and_can_be_sent(kind):
    event = any_event(kind)
    with pytest.raises(AttributeError):
        event.session = "other"

    assert pickle.loads(pickle.dumps(event)) == event


def test_events_are_equal_whatever_payload_they_came_from():
    event = any_event(PreToolUse, native=Frozen(tool="Bash"), left_out=1)

    assert (event == any_event(PreToolUse), event == any_event(PermissionRequest)) == (True, False)
    assert event != any_event(PreToolUse, cwd="/other")
    assert "native" not in repr(event)


def test_there_are_eighteen_events_with_their_rights():
    table = {
        name: ("".join(sorted(can[0] for can in kind.abilities)), kind.timeout)
        for name, kind in EVENTS.items()
    }

    assert table == {
        "SessionStart": ("i", 10),
        "UserPromptSubmit": ("bi", 5),
        "TurnStart": ("bi", 5),
        "PreModelCall": ("bim", 10),
        "PostModelCall": ("im", 30),
        "PreToolUse": ("aabim", 5),
        "PermissionRequest": ("ab", 5),
        "PostToolUse": ("bim", 30),
        "OnError": ("i", 5),
        "PreCompact": ("i", 10),
        "PostCompact": ("i", 10),
        "SubagentStart": ("i", 5),
        "SubagentStop": ("b", 10),
        "Notification": ("", 5),
        "TurnEnd": ("bi", 10),
        "Stop": ("b", 30),
        "OnBudgetExceeded": ("bi", 5),
        "SessionEnd": ("", 10),
    }


def test_states_are_compared_without_looking_up_facts():
    def asked():
        raise AssertionError

    assert State(now=1.0, facts=Facts({"branch": asked})) == State(now=1.0, facts=Facts({"root": asked}))
