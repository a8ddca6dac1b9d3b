"""Test that each store returns any text unchanged."""

import uuid

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookline import stores
from hookline.core.records import Experiment, Handoff, Memory, split_words
from hookline.core.store import Query, Record

pytestmark = pytest.mark.xdist_group("stores")  # all of them share one server

CHARACTERS = st.characters() | st.sampled_from(
    "\x00\ud800\udfff\ufdd0\ufdef\uffff\ufeff\u2400'\"\\%:?_*\U0010ffff"
)
TEXTS = st.text(CHARACTERS, max_size=60)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
QUICK = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None
)


@pytest.fixture(params=stores.names())
def store(request, opened):
    return opened(request.param)


@pytest.mark.slow
@QUICK
@given(text=TEXTS, other=TEXTS, value=VALUES)
def test_a_session(store, text, other, value):
    session = uuid.uuid4().hex + text
    record = Record(
        id=session, at=1.0, session=session, host=text, event=other, rules=(text,), trail=({other: value},)
    )
    store.record([record])
    store.set_notes(session, {text: value})
    store.hold_context(session, [text, other])

    assert [one for _, one in store.records(Query(session=session, rule=text))] == [record]
    assert dict(store.notes(session)) == {text: value}
    assert store.take_held_context(session) == (text, other)


@pytest.mark.slow
@QUICK
@given(text=TEXTS, other=TEXTS, value=st.dictionaries(TEXTS, VALUES, max_size=2))
def test_what_was_learnt(store, text, other, value):
    key = uuid.uuid4().hex + text
    memory = Memory(id=key, at=1.0, text=f"{text} {other}", kind=other, tags=(text,), project=key)
    handoff = Handoff(id=key, at=1.0, session=other, text=text, project=key, details=value)
    row = Experiment(run=key, number=1, at=1.0, status=text, description=other, details=value)
    store.remember(memory)
    store.add_handoff(handoff)
    store.add_experiment(row)

    found = (
        list(store.recall(f"{text} {other}", project=key)) if split_words(text + " " + other) else [memory]
    )
    assert found == [memory]
    assert list(store.handoffs(project=key)) == [handoff]
    assert list(store.experiments(key)) == [row]
    assert store.count_error(key, text=text, at=1.0, project=other).text == text
