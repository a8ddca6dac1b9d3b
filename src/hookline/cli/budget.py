"""Give a running session a time budget, or show what it may spend and has spent."""

import os
import time
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterator
from contextlib import closing
from operator import itemgetter
from typing import Any

from msgspec import to_builtins

from hookline.budget.ledger import ENDS, USAGE, Purse, ends_at
from hookline.cli import _require_person
from hookline.cli._command import Command
from hookline.cli._output import aligned, dump, visible
from hookline.core import durations
from hookline.core.events import Event
from hookline.core.store import Session, Store
from hookline.core.usage import Usage
from hookline.handoff import claim
from hookline.runtime import open_store
from hookline.runtime.setup import Setup, load
from hookline.system import paths, spool

LONGEST = 7 * 86_400
"""Seconds of a budget, and for which a session may say nothing."""
NONE = "none"


def give(args: Namespace) -> int:
    _require_person.needed("giving a session a budget", os.environ)
    seconds = _seconds(args.time)
    setup, store = _opened()
    with closing(store):
        session, now = chosen(store, setup, args.session), time.time()
        store.note(session.id, {ENDS: None if seconds is None else now + seconds})
    whose = f"{_named(session)}, last heard of {_span(now - session.seen)} ago"
    if seconds is None:
        print(f"{whose}, has no time budget of its own any more")
    else:
        print(f"{whose}, has until {_clock(now + seconds, now)}; an earlier end that it has still holds")
    return 0


def show(args: Namespace) -> int:
    setup, store = _opened()
    with closing(store):
        session, now = chosen(store, setup, args.session, ended=True), time.time()
        notes = store.notes(session.id)
        ends, usage = ends_at(notes), _usage(session, store, setup, notes)
    if args.json:
        dump(_whole(session, ends, usage))
        return 0
    print("\n".join(aligned([("session", _named(session)), *_rows(usage, ends, now)])))
    return 0


def known(store: Store, setup: Setup, name: str) -> dict[str, Any]:
    """All that is known of what a session may spend and has spent."""
    session = chosen(store, setup, name, ended=True)
    notes = store.notes(session.id)
    return _whole(session, ends_at(notes), _usage(session, store, setup, notes))


def _whole(session: Session, ends: float | None, usage: Usage) -> dict[str, Any]:
    told = {"session": session.id, "host": session.host, "cwd": session.cwd, "seen": session.seen}
    return {**told, "endsAt": ends, **to_builtins(usage), "percent": usage.percent}


def _rows(usage: Usage, ends: float | None, now: float) -> Iterator[tuple[str, str]]:
    left = None if ends is None else ends - now
    over = "no time budget" if left is None else "over" if left <= 0 else f"{_span(left)} left"
    yield "time", over if ends is None else f"{over}, until {_clock(ends, now)}"
    if usage.output is None:
        yield "tokens", "not known: its host has not told of any"
        return
    percent = "" if usage.percent is None else f" ({usage.percent:.1f} %)"
    of = f" of {usage.effective_limit:,}" if usage.effective_limit else ""
    yield "context", f"{_number(usage.used)}{of} tokens in use{percent}, {usage.model or 'model unknown'}"
    yield "read", f"{_number(usage.input)} new, {_number(usage.cache_read)} from the cache"
    yield "written", f"{_number(usage.output)}, in this turn {_number(usage.turn_output)}"
    yield "cached", _number(usage.cache_write)
    yield "cost", "not known" if usage.cost is None else f"${usage.cost:.4f}"


def _number(count: int | None) -> str:
    return "unknown" if count is None else f"{count:,}"


def _usage(session: Session, store: Store, setup: Setup, notes: Any) -> Usage:
    kept = notes.get(USAGE) or {}
    path = (kept.get("mark") or {}).get("path", "") if isinstance(kept, dict) else ""
    event = Event(session=session.id, host=session.host, cwd=session.cwd, transcript=path)
    return Purse(event, store, setup.places, setup.env, now=time.time()).usage


def _opened() -> tuple[Setup, Store]:
    setup = load(dict(os.environ), os.getcwd())
    setup.kept.close()
    store = open_store.open_store(setup)
    spool.drain(setup.places.spool, store)
    return setup, store


def chosen(store: Store, setup: Setup, name: str, *, ended: bool = False) -> Session:
    """The session that is called so, or begins so; without a name, the newest of this project.

    One that has *ended* comes last, and only where that is all the same.
    """
    root = setup.places.root
    fitting = [
        one
        for one, over in sorted(_heard(store), key=itemgetter(1))
        if (one.id.startswith(name) if name else paths.project_root(one.cwd) == root) and (ended or not over)
    ]
    exact = [one for one in fitting if one.id == name]
    if name and len(fitting) > 1 and not exact:
        raise LookupError(f"several sessions begin with {name!r}: {', '.join(one.id for one in fitting)}")
    if not fitting:
        whose = f"begins with {name!r}" if name else f"is one of {root}"
        raise LookupError(f"no session that {whose} is known or alive; `hookline log` shows what there was")
    return (exact or fitting)[0]


def _heard(store: Store) -> Iterator[tuple[Session, bool]]:
    """The sessions that are known, the latest first, and whether each is over, or its process gone."""
    for one in store.sessions(since=time.time() - LONGEST):
        if one.id and one.host:
            yield one, one.ended or claim.runs(store, one.id) is False


def _seconds(text: str) -> int | None:
    if text == NONE:
        return None
    wrong = f"{text!r} is no time from 1s to 7d; write it like 20m, or `none` for no budget"
    if text.isdecimal():  # minutes in a target's file, but who types it may mean seconds
        raise ValueError(wrong)
    try:
        seconds = durations.seconds(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= LONGEST:
        raise ValueError(wrong)
    return seconds


def _named(session: Session) -> str:
    return visible(f"{session.id[:8]} ({session.host} in {session.cwd})")


def _span(seconds: float) -> str:
    minutes, rest = divmod(max(int(seconds), 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes}m" if hours else f"{minutes}m{rest}s" if minutes else f"{rest}s"


def _clock(at: float, now: float) -> str:
    there, today = time.localtime(at), time.localtime(now)
    day = "" if there[:3] == today[:3] else "%Y-%m-%d "
    return time.strftime(f"{day}%H:%M:%S", there)


def run(args: Namespace) -> int:
    return int(args.carry_out(args))


def arguments(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(title="what to do", metavar="WHAT", required=True)
    _verb(verbs, "set", "Give a session so much time from now on, or `none`.", give).add_argument(
        "time", metavar="TIME", help="how long, such as 20m; at most 7d"
    )
    _verb(verbs, "show", "Show what a session may spend and has spent.", show).add_argument(
        "--json", action="store_true", help="one JSON object, with everything"
    )


def _verb(verbs: "_SubParsersAction[ArgumentParser]", name: str, about: str, work: Any) -> ArgumentParser:
    one = verbs.add_parser(name, help=about, description=about)
    one.set_defaults(carry_out=work)
    whose = "the session, or how its name begins; without it the newest of this project"
    one.add_argument("--session", default="", metavar="ID", help=whose)
    return one


COMMAND = Command(
    about="Give a running session a time budget, or show what it may spend and has spent.",
    examples="""
hookline budget set 20m                     the newest session of this project has 20 minutes from now
hookline budget set 1h --session 58eca2c0   this one an hour
hookline budget set none                    its own budget is taken away again
hookline budget show                        time left, tokens in use and spent, cost

Only a person can set one: it needs a terminal, and refuses inside an agent and inside a hook.
The nearest end holds: a budget can shorten the time that a session was started with, and not prolong it.
""",
    run=run,
    arguments=arguments,
    exits="0 when it is done, 1 where no person sits at a terminal, 2 when it was called wrongly",
)
