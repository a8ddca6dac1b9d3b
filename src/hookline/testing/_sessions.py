"""What every store must know of its sessions, as plain checks."""

from collections.abc import Callable
from typing import Any

from hookline.core.store import Record, Session, Store
from hookline.testing._checks import HOSTILE
from hookline.testing._checks import name as _name
from hookline.testing._checks import same as _same

LATE = 9_000_000_000.0
"""Later than whatever a store that is in use may hold."""


def sessions_are_those_that_were_heard_of(store: Store) -> None:
    old, young, silent = _name(), _name(), _name()
    store.begin(old, host="h", cwd="/old", at=1.0)
    store.begin(silent, host="h", cwd="/silent", at=2.0)
    store.begin(young, host="h", cwd="/young", at=LATE + 1)
    store.record([_record(old, at=LATE + 5), _record(silent, at=3.0)])

    found = [
        (one.id, one.host, one.cwd, one.began, one.seen) for one in _heard(store, LATE, old, young, silent)
    ]
    _same(found, [(old, "h", "/old", 1.0, LATE + 5), (young, "h", "/young", LATE + 1, LATE + 1)])
    _same([one.id for one in _heard(store, LATE + 5, old, young, silent)], [old])
    _same(_heard(store, LATE + 6, old, young, silent), [])


def sessions_tell_their_last_record_and_the_last_that_decided(store: Store) -> None:
    session, plain = _name(), _name()
    records = [
        _record(session, at=LATE + 1, action="block", rules=("r",)),
        _record(session, at=LATE + 2, action="ask"),
        _record(session, at=LATE + 3),
        _record(plain, at=LATE + 2),
    ]
    store.record(records)
    wanted = [
        Session(id=session, began=LATE + 3, host="h", cwd="/", last=records[2], decided=records[1]),
        Session(id=plain, began=LATE + 2, host="h", cwd="/", last=records[3]),
    ]

    _same(_heard(store, LATE, session, plain), wanted)


def sessions_end_until_they_go_on(store: Store) -> None:
    session = _name()
    store.record([_record(session, at=LATE + 1, event="SessionEnd")])
    _same([one.ended for one in _heard(store, LATE, session)], [True])

    store.record([_record(session, at=LATE + 2, event="SessionStart")])
    _same([one.ended for one in _heard(store, LATE, session)], [False])


def events_of_no_session_make_none(store: Store) -> None:
    store.record([_record("", at=LATE + 1), _record("", at=LATE + 2, action="block")])

    _same(_heard(store, LATE, ""), [])


def sessions_of_hostile_names_come_back_equal(store: Store) -> None:
    names = {_name() + text[:100] for text in HOSTILE.values()}
    for name in names:
        store.begin(name, host=name, cwd=name, at=LATE)
        store.record([_record(name, at=LATE + 1)])

    found = _heard(store, LATE, *names)
    _same({(one.id, one.host, one.cwd) for one in found}, {(name, name, name) for name in names})


def _heard(store: Store, since: float, *names: str) -> list[Session]:
    return [one for one in store.sessions(since=since) if one.id in names]


def _record(session: str, **fields: Any) -> Record:
    usual = {"id": _name(), "session": session, "host": "h", "event": "PreToolUse", "cwd": "/"}
    return Record(**(usual | fields))


SUITE: tuple[Callable[[Store], None], ...] = (
    sessions_are_those_that_were_heard_of,
    sessions_tell_their_last_record_and_the_last_that_decided,
    sessions_end_until_they_go_on,
    events_of_no_session_make_none,
    sessions_of_hostile_names_come_back_equal,
)
