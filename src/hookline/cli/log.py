"""Read the audit trail: what happened in which session, and what hooks made of it."""

import os
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import datetime

from msgspec import to_builtins

from hookline.cli._command import Command
from hookline.cli._output import dump, visible
from hookline.core.events import EVENTS
from hookline.core.store import Query, Record, Store
from hookline.core.values import replace
from hookline.runtime import open_store
from hookline.runtime.setup import load
from hookline.system import spool

ACTIONS = ("pass", "ask", "block", "modify")
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
POLL = 0.5
"""Seconds between two looks of `--follow`."""
BEFORE = 10
"""Records that `--follow` begins with, unless told."""
Found = tuple[int, Record]


def run(args: Namespace) -> int:
    folder, store = _opened()
    with closing(store):
        spool.drain(folder, store)
        query = _query(args)
        position = _shown(_records(store, query, args.session), args)
        while args.follow:
            time.sleep(POLL)
            spool.drain(folder, store)
            position = _follow(store, position, query, args)
    return 0


def _opened() -> tuple[str, Store]:
    setup = load(dict(os.environ), os.getcwd())
    setup.kept.close()
    for trouble in filter(None, (*setup.complaints, spool.problem(setup.places.spool))):
        print(f"hookline: {visible(trouble)}", file=sys.stderr)
    return setup.places.spool, open_store.open_store(setup)


def _query(args: Namespace) -> Query:
    last = BEFORE if args.follow and args.last is None else args.last
    return Query(
        event=args.event or "", action=args.action or "", rule=args.rule, since=args.since, last=last
    )


def _records(store: Store, query: Query, session: str) -> Iterator[Found]:
    """The records of *query*; of sessions whose name begins so, because that is how they are shown."""
    if not session or any(store.records(replace(query, session=session, last=1))):
        yield from store.records(replace(query, session=session))
        return
    found = (one for one in store.records(replace(query, last=None)) if one[1].session.startswith(session))
    yield from found if query.last is None else deque(found, maxlen=query.last)


def _follow(store: Store, position: int, query: Query, args: Namespace) -> int:
    """Show what came since *position*; the one that was reached, so that nothing is looked at twice."""
    reached = position
    for at, record in store.records(Query(after=position)):
        reached = at
        if _fits(record, query, args.session):
            _print(record, as_json=args.json)
    return reached


def _shown(found: Iterable[Found], args: Namespace) -> int:
    """Print the records; the position of the last."""
    reached = 0
    for position, record in found:
        _print(record, as_json=args.json)
        reached = position
    return reached


def _fits(record: Record, query: Query, session: str) -> bool:
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
    print(visible("  ".join(_columns(record))), flush=True)
    for told in (record.reason, *record.warnings, *_notes(record)):
        for line in told.splitlines():
            print(f"    {visible(line)}", flush=True)


def _notes(record: Record) -> list[str]:
    """What hooks noted besides, such as a rule that was excepted and why; not what is said above already."""
    said = "\n".join((record.reason, *record.warnings))
    noted = [step for step in record.trail if step.get("note") and step.get("said") != "skipped"]
    return [f"{step['hook']}: {step['note']}" for step in noted if step["note"] not in said]


def _columns(record: Record) -> list[str]:
    when = datetime.fromtimestamp(record.at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    what = (when, record.session[:8] or "-", record.event, record.tool, record.action, *record.rules)
    return [part for part in (*what, record.summary) if part]


def event_name(text: str) -> str:
    if text not in EVENTS:
        raise ArgumentTypeError(f"no event is called {text!r}; there are: {', '.join(EVENTS)}")
    return text


def action_name(text: str) -> str:
    if text not in ACTIONS:
        raise ArgumentTypeError(f"no action is called {text!r}; there are: {', '.join(ACTIONS)}")
    return text


def moment(text: str) -> float:
    """Unix seconds of what a person calls a time: so long ago, or a date."""
    number, unit = text[:-1], text[-1:]
    try:
        if unit in UNITS and number.isascii() and number.replace(".", "", 1).isdecimal():
            return time.time() - float(number) * UNITS[unit]
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise ArgumentTypeError(
            f"{text!r} is no time; say how long ago (30s, 10m, 2h, 7d) or when (2026-01-31, 2026-01-31T12:00)"
        ) from None


def count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"{text!r} is no number of records; say 1 or more")
    return int(text)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--session", default="", metavar="S", help="only this session, or how its name begins"
    )
    parser.add_argument("--event", type=event_name, metavar="E", help="only this event")
    parser.add_argument("--action", type=action_name, metavar="A", help=", ".join(ACTIONS))
    parser.add_argument("--rule", default="", metavar="R", help="only where this rule spoke")
    parser.add_argument("--since", type=moment, metavar="WHEN", help="30s, 10m, 2h or 7d ago, or a date")
    parser.add_argument("-n", dest="last", type=count, metavar="N", help="only the newest N")
    parser.add_argument("--follow", action="store_true", help="go on as more comes, until stopped")
    parser.add_argument("--json", action="store_true", help="a JSON object a line, with everything")


COMMAND = Command(
    about="Read the audit trail: what happened in which session, and what hooks made of it.",
    examples="""
hookline log -n 20
hookline log --action block --since 2h
hookline log --rule dangerous-command:git-push-force --json | jq -r .summary
hookline log --session 58eca2c0 --follow

A line says: time, session, event, tool, action, rules, what it was about; below it the reason, warnings,
and what hooks noted, such as a rule that you excepted.
""",
    run=run,
    arguments=arguments,
    exits="0; 1 when the store cannot be read; 2 when it was called wrongly; 130 when it was interrupted",
)
