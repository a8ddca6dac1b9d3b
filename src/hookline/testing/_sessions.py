"""Conformance checks of a store's sessions; part of the suite in `hookline.testing.stores`."""

from collections.abc import Callable
from typing import Any

from hookline.core.store import Record, Session, Store, SubagentActivity
from hookline.testing._checks import HOSTILE
from hookline.testing._checks import check_equal as _check_equal
from hookline.testing._checks import unique_name as _unique_name

LATE_TIME = 9_000_000_000.0
"""A time later than any record of a store in use, in seconds."""


def sessions_are_listed_since_a_time(store: Store) -> None:
    old, young, inactive = _unique_name(), _unique_name(), _unique_name()
    store.begin_session(old, host="h", cwd="/old", at=1.0)
    store.begin_session(inactive, host="h", cwd="/silent", at=2.0)
    store.begin_session(young, host="h", cwd="/young", at=LATE_TIME + 1)
    store.record([_record(old, at=LATE_TIME + 5), _record(inactive, at=3.0)])

    found = [
        (session.id, session.host, session.cwd, session.began, session.seen)
        for session in _list_sessions(store, LATE_TIME, old, young, inactive)
    ]
    _check_equal(
        found, [(old, "h", "/old", 1.0, LATE_TIME + 5), (young, "h", "/young", LATE_TIME + 1, LATE_TIME + 1)]
    )
    _check_equal(
        [session.id for session in _list_sessions(store, LATE_TIME + 5, old, young, inactive)], [old]
    )
    _check_equal(_list_sessions(store, LATE_TIME + 6, old, young, inactive), [])


def values_of_all_sessions_are_read_at_once(store: Store) -> None:
    first, second, old = _unique_name(), _unique_name(), _unique_name()
    name, prefix = _unique_name(), f"{_unique_name()}%"
    for session, at in ((second, 2.0), (first, 1.0), (old, 0.5)):
        store.begin_session(session, host="h", cwd="/", at=LATE_TIME + at)
        store.set_notes(session, {name: {"of": session}, "other": 1})
        store.count(session, f"{prefix}:a", 2)
    store.count(first, f"{prefix}:b", 3)
    store.count(first, prefix[:-1], 9)

    notes = store.session_notes(name, since=LATE_TIME + 1)
    _check_equal(
        [(item.id, item.began, value) for item, value in notes],
        [
            (first, LATE_TIME + 1, {"of": first}),
            (second, LATE_TIME + 2, {"of": second}),
        ],
    )
    counters = store.session_counters(prefix, since=LATE_TIME + 1)
    _check_equal(
        [(item.id, dict(values)) for item, values in counters],
        [
            (first, {f"{prefix}:a": 2, f"{prefix}:b": 3}),
            (second, {f"{prefix}:a": 2}),
        ],
    )


def subagents_are_listed_by_their_activity(store: Store) -> None:
    session, other, hostile = _unique_name(), _unique_name(), "".join(text[:30] for text in HOSTILE.values())
    first, second = f"{hostile}1", "2"
    records = [
        _record(session, at=1.0, event="SubagentStart", subagent=first, subagent_type="Explore"),
        _record(session, at=2.0, subagent=second),
        _record(session, at=3.0),
        _record(other, at=3.5, subagent=second),
        _record(session, at=4.0, event="SubagentStop", subagent=second, subagent_type=hostile),
        _record(session, at=5.0, event="SubagentStop", action="block", subagent=first),
    ]
    store.record(records)
    expected = [
        SubagentActivity(id=first, type="Explore", began=1.0, last=records[5]),
        SubagentActivity(id=second, type=hostile, began=2.0, last=records[4]),
    ]

    _check_equal(store.subagents(session, limit=5), expected)
    _check_equal([item.ended for item in expected], [False, True])
    _check_equal(store.subagents(session, limit=1), expected[:1])
    _check_equal(store.subagents(_unique_name(), limit=5), [])


def durations_are_those_of_the_last_records(store: Store) -> None:
    session, host = _unique_name(), _unique_name()
    store.record([_record(session, host=host, ms=ms, at=1.0) for ms in (1.0, 2.0, 3.0)])

    _check_equal([*store.durations(last=2)[host]], [3.0, 2.0])


def sessions_have_their_last_record_and_decision(store: Store) -> None:
    session, plain = _unique_name(), _unique_name()
    records = [
        _record(session, at=LATE_TIME + 1, action="block", rules=("r",)),
        _record(session, at=LATE_TIME + 2, action="ask"),
        _record(session, at=LATE_TIME + 3),
        _record(plain, at=LATE_TIME + 2),
    ]
    store.record(records)
    expected = [
        Session(id=session, began=LATE_TIME + 3, host="h", cwd="/", last=records[2], decided=records[1]),
        Session(id=plain, began=LATE_TIME + 2, host="h", cwd="/", last=records[3]),
    ]

    _check_equal(_list_sessions(store, LATE_TIME, session, plain), expected)


def sessions_end_until_they_continue(store: Store) -> None:
    session = _unique_name()
    store.record([_record(session, at=LATE_TIME + 1, event="SessionEnd")])
    _check_equal([found.ended for found in _list_sessions(store, LATE_TIME, session)], [True])

    store.record([_record(session, at=LATE_TIME + 2, event="SessionStart")])
    _check_equal([found.ended for found in _list_sessions(store, LATE_TIME, session)], [False])


def events_without_a_session_create_none(store: Store) -> None:
    store.record([_record("", at=LATE_TIME + 1), _record("", at=LATE_TIME + 2, action="block")])

    _check_equal(_list_sessions(store, LATE_TIME, ""), [])


def sessions_of_hostile_names_come_back_equal(store: Store) -> None:
    names = {_unique_name() + text[:100] for text in HOSTILE.values()}
    for name in names:
        store.begin_session(name, host=name, cwd=name, at=LATE_TIME)
        store.record([_record(name, at=LATE_TIME + 1)])

    found = _list_sessions(store, LATE_TIME, *names)
    _check_equal(
        {(session.id, session.host, session.cwd) for session in found}, {(name, name, name) for name in names}
    )


def _list_sessions(store: Store, since: float, *names: str) -> list[Session]:
    return [session for session in store.sessions(since=since) if session.id in names]


def _record(session: str, **fields: Any) -> Record:
    defaults = {"id": _unique_name(), "session": session, "host": "h", "event": "PreToolUse", "cwd": "/"}
    return Record(**(defaults | fields))


SUITE: tuple[Callable[[Store], None], ...] = (
    sessions_are_listed_since_a_time,
    subagents_are_listed_by_their_activity,
    values_of_all_sessions_are_read_at_once,
    durations_are_those_of_the_last_records,
    sessions_have_their_last_record_and_decision,
    sessions_end_until_they_continue,
    events_without_a_session_create_none,
    sessions_of_hostile_names_come_back_equal,
)
