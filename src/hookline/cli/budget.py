"""Set the time budget of a session, or show its budget and usage."""

import os
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from operator import itemgetter
from typing import Any

from msgspec import to_builtins

from hookline.budget.ledger import USAGE_NOTE, Ledger, find_end
from hookline.budget.time_budget import MAX_SECONDS, parse_time, set_time_budget
from hookline.cli import _require_person
from hookline.cli._output import align, dump, sanitize
from hookline.core.events import Event
from hookline.core.store import Session, Store
from hookline.core.usage import Usage
from hookline.handoff import claim
from hookline.runtime import open_store
from hookline.runtime.setup import Setup, load_setup
from hookline.system import paths, spool


def set_budget(args: Namespace) -> int:
    _require_person.require_person("setting a budget", os.environ, consent="budget")
    seconds = parse_time(args.time)
    setup, store = _open_store()
    with closing(store):
        session, now = find_session(store, setup, args.session), time.time()
        set_time_budget(store, session.id, seconds, now=now)
    who = f"session {_format_session(session)}, last active {_format_span(now - session.seen)} ago"
    if seconds is None:
        print(f"{who}: time budget removed")
    else:
        print(f"{who}: time budget ends at {_format_time(now + seconds, now)}; an earlier end still applies")
    return 0


def show(args: Namespace) -> int:
    setup, store = _open_store()
    with closing(store):
        session, now = find_session(store, setup, args.session, ended=True), time.time()
        notes = store.notes(session.id)
        deadline, usage = find_end(notes), _load_usage(session, store, setup, notes)
    if args.json:
        dump(_budget_facts(session, deadline, usage))
        return 0
    print("\n".join(align([("session", _format_session(session)), *_format_rows(usage, deadline, now)])))
    return 0


def describe_budget(store: Store, setup: Setup, name: str) -> dict[str, Any]:
    """Return the budget and the usage of a session, for JSON output."""
    session = find_session(store, setup, name, ended=True)
    notes = store.notes(session.id)
    return _budget_facts(session, find_end(notes), _load_usage(session, store, setup, notes))


def _budget_facts(session: Session, deadline: float | None, usage: Usage) -> dict[str, Any]:
    facts = {"session": session.id, "host": session.host, "cwd": session.cwd, "seen": session.seen}
    return {**facts, "endsAt": deadline, **to_builtins(usage), "percent": usage.percent}


def _format_rows(usage: Usage, deadline: float | None, now: float) -> Iterator[tuple[str, str]]:
    left = None if deadline is None else deadline - now
    remaining = "no time budget" if left is None else "expired" if left <= 0 else f"{_format_span(left)} left"
    yield "time", remaining if deadline is None else f"{remaining}, ends at {_format_time(deadline, now)}"
    if usage.output is None:
        yield "tokens", "unknown: not reported by the host"
        return
    percent = "" if usage.percent is None else f" ({usage.percent:.1f} %)"
    of = f" of {usage.effective_limit:,}" if usage.effective_limit else ""
    yield (
        "context",
        f"{_format_count(usage.used)}{of} tokens in use{percent}, {usage.model or 'model unknown'}",
    )
    yield "input", f"{_format_count(usage.input)} new, {_format_count(usage.cache_read)} from the cache"
    yield "output", f"{_format_count(usage.output)}, of which {_format_count(usage.turn_output)} in this turn"
    yield "cache writes", _format_count(usage.cache_write)
    yield "cost", "unknown" if usage.cost is None else f"${usage.cost:.4f}"


def _format_count(count: int | None) -> str:
    return "unknown" if count is None else f"{count:,}"


def _load_usage(session: Session, store: Store, setup: Setup, notes: Any) -> Usage:
    saved = notes.get(USAGE_NOTE) or {}
    path = (saved.get("mark") or {}).get("path", "") if isinstance(saved, dict) else ""
    event = Event(session=session.id, host=session.host, cwd=session.cwd, transcript=path)
    return Ledger(event, store, setup.places, setup.env, now=time.time()).usage


def _open_store() -> tuple[Setup, Store]:
    setup = load_setup(dict(os.environ), os.getcwd())
    setup.resources.close()
    store = open_store.open_store(setup)
    spool.drain(setup.places.spool, store)
    return setup, store


def find_session(store: Store, setup: Setup, name: str, *, ended: bool = False) -> Session:
    """Return the session whose id starts with *name*; without a name, the newest of this project.

    With *ended*, ended sessions are considered too, after all others.
    """
    root = setup.places.root
    matches = [
        session
        for session, has_ended in sorted(_list_sessions(store), key=itemgetter(1))
        if (session.id.startswith(name) if name else paths.project_root(session.cwd) == root)
        and (ended or not has_ended)
    ]
    exact = [session for session in matches if session.id == name]
    if name and len(matches) > 1 and not exact:
        raise LookupError(f"ambiguous session id {name!r}: {', '.join(session.id for session in matches)}")
    if not matches:
        description = f"with id {name!r}" if name else f"in {root}"
        raise LookupError(f"no session {description} (hookline status)")
    return (exact or matches)[0]


def _list_sessions(store: Store) -> Iterator[tuple[Session, bool]]:
    """Yield the known sessions, newest first, and whether each has ended or lost its process."""
    for session in store.sessions(since=time.time() - MAX_SECONDS):
        if session.id and session.host:
            yield session, session.ended or claim.is_running(store, session.id) is False


def _format_session(session: Session) -> str:
    return sanitize(f"{session.id[:8]} ({session.host} in {session.cwd})")


def _format_span(seconds: float) -> str:
    minutes, rest = divmod(max(int(seconds), 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes}m" if hours else f"{minutes}m{rest}s" if minutes else f"{rest}s"


def _format_time(at: float, now: float) -> str:
    moment, today = time.localtime(at), time.localtime(now)
    day = "" if moment[:3] == today[:3] else "%Y-%m-%d "
    return time.strftime(f"{day}%H:%M:%S", moment)
