"""Now: the questions that wait for a person, the sessions by urgency, and the running experiments."""

import time
from collections.abc import Iterable
from contextlib import closing

from msgspec import Struct

from hookline import hosts
from hookline.budget.time_budget import parse_time, set_time_budget
from hookline.core.approval import CHOICES, Decision
from hookline.core.events import PreToolUse
from hookline.core.store import Session
from hookline.hooks.end_session import ENDED_NOTE
from hookline.runtime.live_sessions import Row
from hookline.runtime.rotation import hand_over_session
from hookline.runtime.runtime import Runtime
from hookline.system import git_facts, paths
from hookline.web.dashboard import Dashboard, Page, Params, Snapshot, Update, View

LOOP_HOOK = "loop-breaker:"
IDLE_EVENTS = ("Stop", "TurnEnd", "SessionStart")


class Card(Struct, frozen=True, kw_only=True):
    """A session as the page shows it."""

    row: Row
    need: str
    """The reason why it needs a person; empty if it does not."""
    rank: int
    """Its place: the most urgent need first."""
    project: str
    branch: str
    can_end: bool
    """True if a reply to a hook call can end the session."""
    time_percent: float | None = None
    time_left: float | None = None


def query(dashboard: Dashboard, params: Params) -> View:
    return View(template="now.html", values=_values(dashboard.take_snapshot()))


def show_updates(update: Update, params: Params) -> Iterable[tuple[str, View]]:
    values = _values(update.snapshot)
    for part in ("questions", "sessions", "runs"):
        yield part, View(template=f"now_{part}.html", values=values)


def _values(snapshot: Snapshot) -> dict[str, object]:
    asking = {question.session for question in snapshot.questions}
    cards = [_build_card(row, snapshot.at, waits=row.session in asking) for row in snapshot.sessions]
    return {
        "snapshot": snapshot,
        "questions": snapshot.questions,
        "cards": sorted(cards, key=lambda card: (card.rank, -card.row.seen)),
        "now": snapshot.at,
    }


def _build_card(row: Row, now: float, *, waits: bool) -> Card:
    root = paths.project_root(row.cwd)
    needs = _list_needs(row, now, waits=waits)
    rank = next((index for index, need in enumerate(needs) if need), len(needs))
    left = None if row.ends_at is None else max(row.ends_at - now, 0.0)
    whole = None if row.ends_at is None else max(row.ends_at - row.began, 1.0)
    return Card(
        row=row,
        need=needs[rank] if rank < len(needs) else "",
        rank=rank,
        project=root,
        branch=git_facts.find_branch(root),
        can_end=_can_end(row.host),
        time_left=left,
        time_percent=None if left is None or whole is None else min(100 * (1 - left / whole), 100.0),
    )


def _list_needs(row: Row, now: float, *, waits: bool) -> tuple[str, ...]:
    """Return the needs of a session, the most urgent first; an empty text if it does not have one."""
    last = row.last
    asked = last is not None and (last.event == "PermissionRequest" or last.action == "ask")
    looping = last is not None and any(rule.startswith(LOOP_HOOK) for rule in last.rules)
    expired = row.ends_at is not None and row.ends_at <= now
    full = row.percent is not None and row.percent >= 100  # noqa: PLR2004 -- percent
    idle = last is not None and last.event in IDLE_EVENTS
    notified = last is not None and last.event == "Notification"
    return (
        "waits for your answer" if waits else "",
        "asks for permission" if asked else "",
        "notified you" if notified else "",
        "repeats itself" if looping else "",
        "is over its budget" if expired or full else "",
        "waits for a prompt" if idle else "",
    )


def decide(dashboard: Dashboard, form: Params) -> str:
    choice = form.get("choice", "")
    decision = next((name for name in CHOICES if name == choice), None)
    if decision is None:
        raise ValueError(f"no choice named {choice!r}")
    message = form.get("message", "").strip()
    refused = dashboard.approvals.decide(Decision(id=form.get("id", ""), choice=decision, message=message))
    return f"Not done: {refused}" if refused else ANSWERS[choice]


def set_budget(dashboard: Dashboard, form: Params) -> str:
    row, seconds = _find_session(dashboard, form), parse_time(form.get("time", "").strip())
    set_time_budget(dashboard.store, row.session, seconds, now=time.time())
    return "Time budget removed." if seconds is None else "Time budget set; an earlier end still applies."


def end(dashboard: Dashboard, form: Params) -> str:
    row = _find_session(dashboard, form)
    if not _can_end(row.host):
        raise ValueError(f"{row.host} cannot be ended by a hook")
    dashboard.store.set_notes(row.session, {ENDED_NOTE: True})
    return "The session ends at its next tool call. A new prompt in it continues it."


def hand_over(dashboard: Dashboard, form: Params) -> str:
    row = _find_session(dashboard, form)
    runtime = Runtime.load(row.cwd, dashboard.setup.env, store=lambda setup: dashboard.store)
    with closing(runtime.setup.resources):
        session = Session(id=row.session, began=row.began, host=row.host, cwd=row.cwd)
        handoff = hand_over_session(runtime, session)
    return f"Saved as handoff {handoff.id}. End the session, and start a new one in {row.cwd} to continue."


def _find_session(dashboard: Dashboard, form: Params) -> Row:
    name = form.get("session", "")
    row = next((row for row in dashboard.take_snapshot().sessions if row.session == name), None)
    if row is None:
        raise LookupError(f"session {name[:8]!r} is not active")
    return row


def _can_end(host: str) -> bool:
    return host in hosts.names() and PreToolUse in hosts.load(host).run_ending_events


ANSWERS = {
    "once": "Allowed once.",
    "session": "Allowed for the rest of the session.",
    "deny": "Denied; the agent gets your message.",
}

PAGE = Page(
    title="Now",
    order=1,
    query=query,
    actions={"decide": decide, "budget": set_budget, "end": end, "hand-over": hand_over},
    live=show_updates,
)
