"""What every store must do, as plain checks: `check_store(opener)` raises `AssertionError` at a failure.

Sessions and ids are new ones each time, so that the checks may run against a store that is in use.
"""

from collections.abc import Callable
from typing import Any

from hookline.core.store import Query, Record, Store
from hookline.core.values import replace
from hookline.testing import _errors, _knowledge, _memories, _sessions
from hookline.testing._checks import HOSTILE
from hookline.testing._checks import at_once as _at_once
from hookline.testing._checks import name as _name
from hookline.testing._checks import same as _same


def check_store(opened: Callable[[], Store]) -> None:
    """Run every check, each on a store of its own from *opened*."""
    for check in SUITE:
        store = opened()
        try:
            check(store)
        finally:
            store.close()


def begins_once(store: Store) -> None:
    session = _name()
    said = [store.begin(session, host="h", cwd="/", at=at) for at in (1.0, 1.0, 2.0)]

    _same(said, [True, False, False])


def stays_new_for_the_call_that_began_it(store: Store) -> None:
    session, calls = _name(), ("first", "first", "second", "", "first")
    said = [store.begin(session, host="h", cwd="/", at=1.0, call=call) for call in calls]

    _same(said, [True, True, False, False, True])


def begins_once_however_many_ask(store: Store) -> None:
    session = _name()
    said = _at_once(lambda: store.begin(session, host="h", cwd="/", at=1.0), times=40)

    _same(sorted(said), [False] * 39 + [True])


def sessions_are_apart(store: Store) -> None:
    one, other = _name(), _name()
    store.begin(one, host="h", cwd="/", at=1.0)
    store.count(one, "strikes")
    store.note(one, {"k": 1})
    store.keep(one, ["later"])
    store.record([_record(one, counts={"calls": 1})])

    _same(dict(store.counters(other)), {})
    _same(dict(store.notes(other)), {})
    _same(store.take(other), ())
    _same(list(store.records(Query(session=other))), [])
    _same(store.begin(other, host="h", cwd="/", at=1.0), wanted=True)


def newer_values_win_and_the_rest_stay(store: Store) -> None:
    session = _name()
    store.note(session, {"a": 1, "b": {"deep": [1, None, True]}})
    store.note(session, {"a": "two", "c": 1.5})
    store.note(session, {})

    _same(dict(store.notes(session)), {"a": "two", "b": {"deep": (1, None, True)}, "c": 1.5})


def notes_refuse_what_is_not_json(store: Store) -> None:
    session = _name()
    try:
        store.note(session, {"fine": 1, "not": object()})
    except TypeError:
        _same(dict(store.notes(session)), {})
    else:
        raise AssertionError("a note that is not JSON was taken without a word")


def counters_count(store: Store) -> None:
    session = _name()
    said = [store.count(session, "a"), store.count(session, "a", 5), store.count(session, "a", -2)]

    _same(said, [1, 6, 4])
    _same(dict(store.counters(session)), {"a": 4})


def counters_are_exact_across_threads(store: Store) -> None:
    session = _name()
    said = _at_once(lambda: store.count(session, "n"), times=200)

    _same(sorted(said), list(range(1, 201)))
    _same(dict(store.counters(session)), {"n": 200})


def reset_forgets_what_begins_so(store: Store) -> None:
    session, other = _name(), _name()
    for name in ("gate:a", "gate:b", "gate", "x%_", "xyz"):
        store.count(session, name)
    store.count(other, "gate:a")
    store.reset(session, "gate:")
    store.reset(session, "x%")

    _same(dict(store.counters(session)), {"gate": 1, "xyz": 1})
    _same(dict(store.counters(other)), {"gate:a": 1})


def reset_of_nothing_forgets_all(store: Store) -> None:
    session = _name()
    store.count(session, "a")
    store.reset(session, "")

    _same(dict(store.counters(session)), {})


def records_come_back_equal_and_in_order(store: Store) -> None:
    session = _name()
    records = [_full(session, number) for number in range(7)]
    store.record(records[:3])
    store.record([])
    store.record(records[3:])
    found = list(store.records(Query(session=session)))

    _same([record for _, record in found], records)
    _same([position for position, _ in found], sorted({position for position, _ in found}))


def many_records_come_back_in_order(store: Store) -> None:
    session = _name()
    store.record([_record(session, at=float(number)) for number in range(1203)])

    _same([record.at for _, record in store.records(Query(session=session))], list(range(1203)))
    _same(
        [record.at for _, record in store.records(Query(session=session, last=702))], list(range(501, 1203))
    )


def recording_twice_keeps_one_and_counts_once(store: Store) -> None:
    session = _name()
    record = _record(session, counts={"calls": 2, "blocks": 1})
    store.record([record, record])
    store.record([record, _record(session, counts={"calls": 1})])

    _same(dict(store.counters(session)), {"calls": 3, "blocks": 1})
    _same(len(list(store.records(Query(session=session)))), 2)


def recording_is_all_or_nothing(store: Store) -> None:
    session = _name()
    bad = _record(session, trail=({"not": object()},))
    try:
        store.record([_record(session, counts={"calls": 1}), bad])
    except TypeError:
        _same(list(store.records(Query(session=session))), [])
        _same(dict(store.counters(session)), {})
    else:
        raise AssertionError("a record that is not JSON was taken without a word")


def recording_is_exact_across_threads(store: Store) -> None:
    session = _name()
    batch = [_record(session, counts={"calls": 1}) for _ in range(5)]
    _at_once(lambda: store.record([*batch, _record(session, counts={"calls": 1})]), times=40)

    _same(dict(store.counters(session)), {"calls": 45})
    _same(len(list(store.records(Query(session=session)))), 45)


def queries_restrict(store: Store) -> None:
    session = _name()
    records = [
        _record(session, at=1.0, event="Stop"),
        _record(session, at=2.0, event="PreToolUse", action="block", rules=("git-push", "rm")),
        _record(session, at=3.0, event="PreToolUse", rules=("rm",)),
        _record(session, at=4.0, event="PreToolUse", action="block", rules=("rm-all",)),
    ]
    store.record(records)

    def found(**terms: Any) -> list[int]:
        wanted = Query(session=session, **terms)
        return [records.index(record) for _, record in store.records(wanted)]

    _same(found(), [0, 1, 2, 3])
    _same(found(event="PreToolUse"), [1, 2, 3])
    _same(found(event="pretooluse"), [])
    _same(found(action="block"), [1, 3])
    _same(found(rule="rm"), [1, 2])
    _same(found(rule="git-push"), [1])
    _same(found(since=2.0), [1, 2, 3])
    _same(found(since=4.5), [])
    _same(found(last=2), [2, 3])
    _same(found(last=0), [])
    _same(found(last=9), [0, 1, 2, 3])
    _same(found(action="block", last=1), [3])
    _same(found(event="PreToolUse", action="block", rule="rm", since=1.5), [1])


def queries_go_on_behind_a_position(store: Store) -> None:
    session = _name()
    store.record([_record(session, at=float(number)) for number in range(4)])
    positions = [position for position, _ in store.records(Query(session=session))]

    def behind(place: int, **terms: Any) -> list[float]:
        wanted = Query(session=session, after=positions[place], **terms)
        return [record.at for _, record in store.records(wanted)]

    _same(behind(1), [2.0, 3.0])
    _same(behind(3), [])
    _same(behind(0, last=1), [3.0])
    _same(behind(2, last=3), [3.0])


def take_hands_out_once_and_in_order(store: Store) -> None:
    session = _name()
    store.keep(session, ["one", "two"])
    store.keep(session, [])
    store.keep(session, ["three", "one"])

    _same(store.take(session), ("one", "two", "three", "one"))
    _same(store.take(session), ())


def look_tells_notes_and_whether_something_is_held(store: Store) -> None:
    session = _name()
    _same(store.look(session), ({}, False))
    store.note(session, {"b": [1, None], "a": {"c": "ü"}})
    _same(store.look(session), ({"a": {"c": "ü"}, "b": (1, None)}, False))
    store.keep(session, ["one", "two"])
    _same(store.look(session), ({"a": {"c": "ü"}, "b": (1, None)}, True))
    _same(list(store.look(session)[0]), ["a", "b"])
    _same(store.look(_name()), ({}, False))
    store.take(session)
    _same(store.look(session), (store.notes(session), False))


def take_hands_out_once_however_many_ask(store: Store) -> None:
    session = _name()
    store.keep(session, [str(number) for number in range(50)])
    said = _at_once(lambda: store.take(session), times=40)

    _same(sorted(len(texts) for texts in said), [0] * 39 + [50])


def hostile_texts_come_back_equal(store: Store) -> None:
    for text in HOSTILE.values():
        session = _name() + text[:100]
        record = replace(
            _full(session, 1),
            id=_name() + text[:100],
            summary=text,
            rules=(text,),
            warnings=(text,),
            cwd=text[:99],
        )
        store.record([replace(record, trail=({"why": text},), counts={text[:99]: 3})])
        store.note(session, {text[:99]: [text]})
        store.keep(session, [text])
        found = [kept for _, kept in store.records(Query(session=session, rule=text))]

        _same([kept.summary for kept in found], [text])
        _same(found, [replace(record, trail=({"why": text},), counts={text[:99]: 3})])
        _same(dict(store.counters(session)), {text[:99]: 3})
        _same(dict(store.notes(session)), {text[:99]: (text,)})
        _same(store.take(session), (text,))
        _same(store.begin(session, host=text[:99], cwd=text[:99], at=1.0), wanted=True)
        store.reset(session, text[:50])
        _same(dict(store.counters(session)), {})


SUITE: tuple[Callable[[Store], None], ...] = (
    begins_once,
    stays_new_for_the_call_that_began_it,
    begins_once_however_many_ask,
    sessions_are_apart,
    newer_values_win_and_the_rest_stay,
    notes_refuse_what_is_not_json,
    counters_count,
    counters_are_exact_across_threads,
    reset_forgets_what_begins_so,
    reset_of_nothing_forgets_all,
    records_come_back_equal_and_in_order,
    many_records_come_back_in_order,
    recording_twice_keeps_one_and_counts_once,
    recording_is_all_or_nothing,
    recording_is_exact_across_threads,
    queries_restrict,
    queries_go_on_behind_a_position,
    take_hands_out_once_and_in_order,
    take_hands_out_once_however_many_ask,
    hostile_texts_come_back_equal,
    *_errors.SUITE,
    *_knowledge.SUITE,
    *_memories.SUITE,
    *_sessions.SUITE,
)


def _record(session: str, **fields: Any) -> Record:
    usual: dict[str, Any] = {"id": _name(), "at": 1.0, "session": session, "host": "h", "event": "Stop"}
    return Record(**(usual | fields))


def _full(session: str, number: int) -> Record:
    return _record(
        session,
        at=1_700_000_000.123456 + number,
        cwd="/home/someone",
        tool="shell",
        summary=f"git push number {number}",
        action="block",
        rules=("git-push-force",),
        reason="rewrites what others have",
        warnings=("one", "two"),
        trail=({"hook": "dangerous-command", "ms": 0.25, "before": {"a": (1, None)}},),
        ms=0.1 + number,
        counts={"calls": 1},
    )
