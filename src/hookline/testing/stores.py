"""Conformance suite of stores: `check_store(opened)` raises `AssertionError` at a failure.

Sessions and ids are new each time, so that the checks may run against a store in use.
"""

from collections.abc import Callable
from typing import Any

from hookline.core.store import Query, Record, Store
from hookline.core.values import replace
from hookline.testing import _errors, _knowledge, _memories, _sessions
from hookline.testing._checks import HOSTILE
from hookline.testing._checks import check_equal as _check_equal
from hookline.testing._checks import run_in_threads as _run_in_threads
from hookline.testing._checks import unique_name as _unique_name


def check_store(opened: Callable[[], Store]) -> None:
    """Run every check, each on a store newly returned by *opened*."""
    for check in SUITE:
        store = opened()
        try:
            check(store)
        finally:
            store.close()


def begins_once(store: Store) -> None:
    session = _unique_name()
    results = [store.begin_session(session, host="h", cwd="/", at=at) for at in (1.0, 1.0, 2.0)]

    _check_equal(results, [True, False, False])


def stays_new_for_its_first_call(store: Store) -> None:
    session, calls = _unique_name(), ("first", "first", "second", "", "first")
    results = [store.begin_session(session, host="h", cwd="/", at=1.0, call=call) for call in calls]

    _check_equal(results, [True, True, False, False, True])


def begins_once_across_threads(store: Store) -> None:
    session = _unique_name()
    results = _run_in_threads(lambda: store.begin_session(session, host="h", cwd="/", at=1.0), times=40)

    _check_equal(sorted(results), [False] * 39 + [True])


def sessions_are_apart(store: Store) -> None:
    session, other = _unique_name(), _unique_name()
    store.begin_session(session, host="h", cwd="/", at=1.0)
    store.count(session, "strikes")
    store.set_notes(session, {"k": 1})
    store.hold_context(session, ["later"])
    store.record([_record(session, counts={"calls": 1})])

    _check_equal(dict(store.counters(other)), {})
    _check_equal(dict(store.notes(other)), {})
    _check_equal(store.take_held_context(other), ())
    _check_equal(list(store.records(Query(session=other))), [])
    _check_equal(store.begin_session(other, host="h", cwd="/", at=1.0), expected=True)


def newer_values_win_and_the_rest_stay(store: Store) -> None:
    session = _unique_name()
    store.set_notes(session, {"a": 1, "b": {"deep": [1, None, True]}})
    store.set_notes(session, {"a": "two", "c": 1.5})
    store.set_notes(session, {})

    _check_equal(dict(store.notes(session)), {"a": "two", "b": {"deep": (1, None, True)}, "c": 1.5})


def notes_refuse_what_is_not_json(store: Store) -> None:
    session = _unique_name()
    try:
        store.set_notes(session, {"fine": 1, "not": object()})
    except TypeError:
        _check_equal(dict(store.notes(session)), {})
    else:
        raise AssertionError("a note that is not JSON was accepted")


def counters_count(store: Store) -> None:
    session = _unique_name()
    results = [store.count(session, "a"), store.count(session, "a", 5), store.count(session, "a", -2)]

    _check_equal(results, [1, 6, 4])
    _check_equal(dict(store.counters(session)), {"a": 4})


def counters_are_exact_across_threads(store: Store) -> None:
    session = _unique_name()
    results = _run_in_threads(lambda: store.count(session, "n"), times=200)

    _check_equal(sorted(results), list(range(1, 201)))
    _check_equal(dict(store.counters(session)), {"n": 200})


def reset_removes_a_prefix(store: Store) -> None:
    session, other = _unique_name(), _unique_name()
    for name in ("gate:a", "gate:b", "gate", "x%_", "xyz"):
        store.count(session, name)
    store.count(other, "gate:a")
    store.reset_counters(session, "gate:")
    store.reset_counters(session, "x%")

    _check_equal(dict(store.counters(session)), {"gate": 1, "xyz": 1})
    _check_equal(dict(store.counters(other)), {"gate:a": 1})


def an_empty_prefix_resets_all(store: Store) -> None:
    session = _unique_name()
    store.count(session, "a")
    store.reset_counters(session, "")

    _check_equal(dict(store.counters(session)), {})


def records_come_back_equal_and_in_order(store: Store) -> None:
    session = _unique_name()
    records = [_full_record(session, number) for number in range(7)]
    store.record(records[:3])
    store.record([])
    store.record(records[3:])
    found = list(store.records(Query(session=session)))

    _check_equal([record for _, record in found], records)
    _check_equal([position for position, _ in found], sorted({position for position, _ in found}))


def many_records_come_back_in_order(store: Store) -> None:
    session = _unique_name()
    store.record([_record(session, at=float(number)) for number in range(1203)])

    _check_equal([record.at for _, record in store.records(Query(session=session))], list(range(1203)))
    _check_equal(
        [record.at for _, record in store.records(Query(session=session, last=702))], list(range(501, 1203))
    )


def recording_twice_keeps_one_and_counts_once(store: Store) -> None:
    session = _unique_name()
    record = _record(session, counts={"calls": 2, "blocks": 1})
    store.record([record, record])
    store.record([record, _record(session, counts={"calls": 1})])

    _check_equal(dict(store.counters(session)), {"calls": 3, "blocks": 1})
    _check_equal(len(list(store.records(Query(session=session)))), 2)


def recording_is_all_or_nothing(store: Store) -> None:
    session = _unique_name()
    bad = _record(session, trail=({"not": object()},))
    try:
        store.record([_record(session, counts={"calls": 1}), bad])
    except TypeError:
        _check_equal(list(store.records(Query(session=session))), [])
        _check_equal(dict(store.counters(session)), {})
    else:
        raise AssertionError("a record that is not JSON was accepted")


def recording_is_exact_across_threads(store: Store) -> None:
    session = _unique_name()
    batch = [_record(session, counts={"calls": 1}) for _ in range(5)]
    _run_in_threads(lambda: store.record([*batch, _record(session, counts={"calls": 1})]), times=40)

    _check_equal(dict(store.counters(session)), {"calls": 45})
    _check_equal(len(list(store.records(Query(session=session)))), 45)


def queries_restrict(store: Store) -> None:
    session = _unique_name()
    records = [
        _record(session, at=1.0, event="Stop"),
        _record(session, at=2.0, event="PreToolUse", action="block", rules=("git-push", "rm")),
        _record(session, at=3.0, event="PreToolUse", rules=("rm",)),
        _record(session, at=4.0, event="PreToolUse", action="block", rules=("rm-all",)),
    ]
    store.record(records)

    def matches(**terms: Any) -> list[int]:
        query = Query(session=session, **terms)
        return [records.index(record) for _, record in store.records(query)]

    _check_equal(matches(), [0, 1, 2, 3])
    _check_equal(matches(event="PreToolUse"), [1, 2, 3])
    _check_equal(matches(event="pretooluse"), [])
    _check_equal(matches(action="block"), [1, 3])
    _check_equal(matches(rule="rm"), [1, 2])
    _check_equal(matches(rule="git-push"), [1])
    _check_equal(matches(since=2.0), [1, 2, 3])
    _check_equal(matches(since=4.5), [])
    _check_equal(matches(last=2), [2, 3])
    _check_equal(matches(last=0), [])
    _check_equal(matches(last=9), [0, 1, 2, 3])
    _check_equal(matches(action="block", last=1), [3])
    _check_equal(matches(event="PreToolUse", action="block", rule="rm", since=1.5), [1])


def queries_find_decisions(store: Store) -> None:
    session = _unique_name()
    rule = {"action": "block", "rules": ("guard:rm",)}
    records = [
        _record(session, host="a", cwd="/p/q", summary="Rm 100%", **rule),
        _record(session, host="b", cwd="/p", summary="rm 1009", reason="Ärger_1", **rule),
        _record(session, cwd="/pq", warnings=("w",), rules=("other:guard:x",)),
        _record(session, cwd="", action="modify", reason=r"a\b"),
        _record(session, cwd="/p/"),
    ]
    store.record(records)
    positions = [position for position, _ in store.records(Query(session=session))]

    def find(**terms: Any) -> list[int]:
        found = store.records(Query(session=session, **terms))
        return [records.index(record) for _, record in found]

    _check_equal(find(host="a"), [0])
    _check_equal(find(decided=True), [0, 1, 2, 3])
    _check_equal(find(decided=True, last=2), [2, 3])
    _check_equal(find(decided=True, before=positions[2], last=1), [1])
    _check_equal(find(hook="guard"), [0, 1])
    _check_equal(find(hook="gu%"), [])
    _check_equal(find(folder="/p"), [0, 1, 4])
    _check_equal(find(folder="/p/q/"), [0])
    _check_equal(find(text="RM 100%"), [0])
    _check_equal(find(text="r_1"), [1])
    _check_equal(find(text="Är"), [1])
    _check_equal(find(text="\\"), [3])
    _check_equal([find(text=record.reason or "rm", decided=True) for record in records[:2]], [[0, 1], [1]])


def queries_continue_after_a_position(store: Store) -> None:
    session = _unique_name()
    store.record([_record(session, at=float(number)) for number in range(4)])
    positions = [position for position, _ in store.records(Query(session=session))]

    def list_after(index: int, **terms: Any) -> list[float]:
        query = Query(session=session, after=positions[index], **terms)
        return [record.at for _, record in store.records(query)]

    _check_equal(list_after(1), [2.0, 3.0])
    _check_equal(list_after(3), [])
    _check_equal(list_after(0, last=1), [3.0])
    _check_equal(list_after(2, last=3), [3.0])


def take_returns_texts_once_and_in_order(store: Store) -> None:
    session = _unique_name()
    store.hold_context(session, ["one", "two"])
    store.hold_context(session, [])
    store.hold_context(session, ["three", "one"])

    _check_equal(store.take_held_context(session), ("one", "two", "three", "one"))
    _check_equal(store.take_held_context(session), ())


def look_returns_notes_and_whether_texts_are_held(store: Store) -> None:
    session = _unique_name()
    _check_equal(store.load_notes(session), ({}, False))
    store.set_notes(session, {"b": [1, None], "a": {"c": "ü"}})
    _check_equal(store.load_notes(session), ({"a": {"c": "ü"}, "b": (1, None)}, False))
    store.hold_context(session, ["one", "two"])
    _check_equal(store.load_notes(session), ({"a": {"c": "ü"}, "b": (1, None)}, True))
    _check_equal(store.load_notes(_unique_name()), ({}, False))
    store.take_held_context(session)
    _check_equal(store.load_notes(session), (store.notes(session), False))


def take_returns_texts_once_across_threads(store: Store) -> None:
    session = _unique_name()
    store.hold_context(session, [str(number) for number in range(50)])
    results = _run_in_threads(lambda: store.take_held_context(session), times=40)

    _check_equal(sorted(len(texts) for texts in results), [0] * 39 + [50])


def hostile_texts_come_back_equal(store: Store) -> None:
    for text in HOSTILE.values():
        session = _unique_name() + text[:100]
        record = replace(
            _full_record(session, 1),
            id=_unique_name() + text[:100],
            summary=text,
            rules=(text,),
            warnings=(text,),
            cwd=text[:99],
        )
        store.record([replace(record, trail=({"why": text},), counts={text[:99]: 3})])
        store.set_notes(session, {text[:99]: [text]})
        store.hold_context(session, [text])
        found = [stored for _, stored in store.records(Query(session=session, rule=text))]

        _check_equal([stored.summary for stored in found], [text])
        _check_equal(found, [replace(record, trail=({"why": text},), counts={text[:99]: 3})])
        _check_equal(dict(store.counters(session)), {text[:99]: 3})
        _check_equal(dict(store.notes(session)), {text[:99]: (text,)})
        _check_equal(store.take_held_context(session), (text,))
        _check_equal(store.begin_session(session, host=text[:99], cwd=text[:99], at=1.0), expected=True)
        store.reset_counters(session, text[:50])
        _check_equal(dict(store.counters(session)), {})


SUITE: tuple[Callable[[Store], None], ...] = (
    begins_once,
    stays_new_for_its_first_call,
    begins_once_across_threads,
    sessions_are_apart,
    newer_values_win_and_the_rest_stay,
    notes_refuse_what_is_not_json,
    counters_count,
    counters_are_exact_across_threads,
    reset_removes_a_prefix,
    an_empty_prefix_resets_all,
    records_come_back_equal_and_in_order,
    many_records_come_back_in_order,
    recording_twice_keeps_one_and_counts_once,
    recording_is_all_or_nothing,
    recording_is_exact_across_threads,
    queries_restrict,
    queries_find_decisions,
    queries_continue_after_a_position,
    take_returns_texts_once_and_in_order,
    look_returns_notes_and_whether_texts_are_held,
    take_returns_texts_once_across_threads,
    hostile_texts_come_back_equal,
    *_errors.SUITE,
    *_knowledge.SUITE,
    *_memories.SUITE,
    *_sessions.SUITE,
)


def _record(session: str, **fields: Any) -> Record:
    defaults: dict[str, Any] = {
        "id": _unique_name(),
        "at": 1.0,
        "session": session,
        "host": "h",
        "event": "Stop",
    }
    return Record(**(defaults | fields))


def _full_record(session: str, number: int) -> Record:
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
