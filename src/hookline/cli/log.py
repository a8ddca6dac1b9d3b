"""Show the audit trail: the events of each session, and the answers of the hooks."""

import os
import sys
import time
from argparse import Namespace
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import datetime

from msgspec import to_builtins

from hookline.cli._output import colour, dump, sanitize
from hookline.core.events import EVENTS
from hookline.core.registry import describe_unknown
from hookline.core.store import Query, Record, Store
from hookline.core.values import replace
from hookline.runtime import open_store
from hookline.runtime.setup import load_setup
from hookline.system import spool

COLOURS = {"block": "31", "ask": "33", "modify": "36"}
POLL_SECONDS = 0.5
"""Seconds between two polls of `--follow`."""
FOLLOW_RECORDS = 10
"""Records that `--follow` starts with by default."""
PositionedRecord = tuple[int, Record]


def run(args: Namespace) -> int:
    if args.event and args.event not in EVENTS:
        raise LookupError(describe_unknown("event", args.event, EVENTS))
    folder, store = _open_store()
    with closing(store):
        spool.drain(folder, store)
        query = _build_query(args)
        position = _print_all(_find_records(store, query, args.session), args)
        if not (position or args.follow or args.json):
            filtered = any((args.session, args.event, args.action, args.rule, args.since))
            hint = "no records; `hookline doctor` tests the installed hooks"
            print("no record matches" if filtered else hint)
        while args.follow:
            time.sleep(POLL_SECONDS)
            spool.drain(folder, store)
            position = _follow(store, position, query, args)
    return 0


def _open_store() -> tuple[str, Store]:
    setup = load_setup(dict(os.environ), os.getcwd())
    setup.resources.close()
    for trouble in filter(None, (*setup.user_messages, spool.problem(setup.places.spool))):
        print(f"hookline: {sanitize(trouble)}", file=sys.stderr)
    return setup.places.spool, open_store.open_store(setup)


def _build_query(args: Namespace) -> Query:
    last = FOLLOW_RECORDS if args.follow and args.last is None else args.last
    return Query(event=args.event, action=args.action or "", rule=args.rule, since=args.since, last=last)


def _find_records(store: Store, query: Query, session: str) -> Iterator[PositionedRecord]:
    """Yield the records of *query*, with *session* as a prefix, because ids are shown shortened."""
    if not session or any(store.records(replace(query, session=session, last=1))):
        yield from store.records(replace(query, session=session))
        return
    matches = (
        item for item in store.records(replace(query, last=None)) if item[1].session.startswith(session)
    )
    yield from matches if query.last is None else deque(matches, maxlen=query.last)


def _follow(store: Store, position: int, query: Query, args: Namespace) -> int:
    """Print the records after *position*, and return the last position, so that none is read twice."""
    reached = position
    for record_position, record in store.records(Query(after=position)):
        reached = record_position
        if _matches(record, query, args.session):
            _print(record, as_json=args.json)
    return reached


def _print_all(records: Iterable[PositionedRecord], args: Namespace) -> int:
    """Print the records, and return the position of the last."""
    reached = 0
    for position, record in records:
        _print(record, as_json=args.json)
        reached = position
    return reached


def _matches(record: Record, query: Query, session: str) -> bool:
    return (
        record.session.startswith(session)
        and query.event in ("", record.event)
        and query.action in ("", record.action)
        and (not query.rule or query.rule in record.rules)
        and (query.since is None or record.at >= query.since)
    )


def _print(record: Record, *, as_json: bool) -> None:
    if as_json:
        dump(to_builtins(record))
        return
    columns = [sanitize(part) for part in _format_columns(record)]
    print("  ".join(colour(COLOURS.get(part, ""), part) for part in columns), flush=True)
    for text in (record.reason, *record.warnings, *_list_notes(record)):
        for line in text.splitlines():
            print(f"    {sanitize(line)}", flush=True)


def _list_notes(record: Record) -> list[str]:
    """Return notes of hooks, such as an exemption, that the reason and warnings do not contain."""
    shown = "\n".join((record.reason, *record.warnings))
    steps = [step for step in record.trail if step.get("note") and step.get("said") != "skipped"]
    return [f"{step['hook']}: {step['note']}" for step in steps if step["note"] not in shown]


def _format_columns(record: Record) -> list[str]:
    when = datetime.fromtimestamp(record.at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    columns = (when, record.session[:8] or "-", record.event, record.tool, record.action, *record.rules)
    return [part for part in (*columns, record.summary) if part]
