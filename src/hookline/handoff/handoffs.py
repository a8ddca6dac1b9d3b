"""Make, keep and find again what a session leaves: from its host's recording, else from our own trail.

Whoever starts next gets it by one of four ways, each with its own rule: after a compaction the session
itself, all of it; a session that resumes has its conversation, and is told only what changed under it; one
that goes on after a rotation gets all of it, and its first answer is held against it; one that just begins
where another ended with work left over is told of that in a few lines, once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from hookline.core.conversation import Back, Entry, Use, Words
from hookline.core.derive import abilities
from hookline.core.events import INJECT, Event, PostCompact, PreCompact
from hookline.core.frozen import plain
from hookline.core.outcome import Outcome
from hookline.core.records import Handoff
from hookline.core.response import HandOver
from hookline.core.store import Limits, Query, Store
from hookline.core.todos import closed_ones, open_ones
from hookline.handoff.claim import SILENT, awaited, begun, over, runs, takes
from hookline.handoff.content import Around, Handed, Left, as_details, enriched, from_details, left, markdown
from hookline.memory.learn import entries, issue_of, of_host, talk_of
from hookline.redact import redact, redact_json
from hookline.system import git_facts
from hookline.system.git_facts import origin
from hookline.system.paths import Places
from hookline.system.tail import both_ends
from hookline.system.user_folder import own

LEG, GIVEN = "HOOKLINE_ROTATION", "HOOKLINE_HANDOFF"
"""Variables of a run that rotates: which of its sessions this one is, and the handoff it goes on from."""
FROM, WANTED = "handoff.from", "handoff.rotate"
"""Notes of a session: what it went on from, that it is to rotate."""
FRESH = 86_400.0
"""Seconds in which a handoff is still of use to somebody who was not sent for it."""
LOOKED_AT = 8
AMONG = 50
"""Handoffs among which one's own is looked for, where others share the store."""
WHOSE = "whose"
"""Under this name a handoff says who left it."""
TRAIL = 400
"""Records of the trail that are looked at, where a host records nothing that we can read."""
WORDS = 4_000
AT_ONCE, LINES = 4 * 1024 * 1024, 1_000
"""Bytes and lines of each end of a recording: however long that is, a host waits for the answer."""


class Asked(Struct, frozen=True, kw_only=True):
    """What is known where a hook asks."""

    event: Event
    store: Store
    root: str
    now: float
    env: Mapping[str, str]
    state: str = ""
    """The folder of whoever keeps things here."""


def keep(said: Outcome, store: Store, places: Places, now: float) -> None:
    """Have the store know what the answer hands over."""
    wanted = [one for one in said.effects if isinstance(one, HandOver)]
    for one in wanted:
        if one.why:
            more = [other.details for other in wanted if not other.why]
            store.hand_over(_kept(_with(one, more) if more else one, said.event, places, now))


def _with(one: HandOver, more: list[Mapping[str, Any]]) -> HandOver:
    """The handoff with what hooks of the user's own add to it."""
    whole = from_details(one.details)
    for details in more:
        whole = enriched(whole, from_details(details), redact)
    return HandOver(why=one.why, text=markdown(whole), details=as_details(whole))


def _kept(one: HandOver, event: Event, places: Places, now: float) -> Handoff:
    text = redact(one.text)
    name = hashlib.sha256(f"{event.session}\0{one.why}\0{text}".encode("utf-8", "replace")).hexdigest()
    details = {**redact_json(plain(one.details)), "why": one.why, "host": event.host}
    details |= {WHOSE: whose} if (whose := own(places.state)) else {}
    return Handoff(
        id=name[:16], at=now, session=event.session, text=text, project=places.root, details=details
    )


def ours(one: Handoff, state: str) -> bool:
    """Whether it is of whoever keeps things in the folder *state*: a store may be shared with others."""
    whose = str(one.details.get(WHOSE) or "")
    return not whose or whose == (own(state) or whose)


def leaves(event: Event, store: Store, root: str) -> Left | None:
    """What the session of *event* would leave now; None where nothing is known of it."""
    notes, branch = store.notes(event.session), git_facts.branch(root)
    before = _by_id(store, str(notes.get(FROM) or ""), root)
    around = Around(
        root=root,
        branch=branch,
        issue=issue_of(branch),
        todos=open_ones(notes),
        done=tuple(one.text for one in closed_ones(notes)),
        blockers=_blockers(store, root, branch),
        before=from_details(before.details) if before else None,
        last_text=str(notes.get("handoff.last") or ""),
    )
    return left(_entries(event, store), around, redact)


def _blockers(store: Store, root: str, branch: str) -> tuple[str, ...]:
    """What stands in the way on this branch, as memory has it."""
    if not branch:
        return ()
    found = store.recall("", project=origin(root), branch=branch, limit=LOOKED_AT)
    return tuple(one.text for one in found if one.kind == "blocker" and one.branch == branch)


def _entries(event: Event, store: Store) -> Iterator[Entry]:
    """What the host's recording tells; where there is none that we read, what our own trail does."""
    host = of_host(event.host)
    talk = talk_of(host)
    if host and talk and event.transcript:
        lines = both_ends(event.transcript, talk.marks, AT_ONCE)
        if lines:
            ends = lines if len(lines) <= 2 * LINES else lines[:LINES] + lines[-LINES:]
            return entries(host, talk, ends)
    return _of_trail(event, store)


def _of_trail(event: Event, store: Store) -> Iterator[Entry]:
    host = of_host(event.host)
    tools = host.tools if host else {}
    for position, one in store.records(Query(session=event.session, last=TRAIL)):
        if one.event == "UserPromptSubmit" and one.summary:
            yield Words(by="person", text=one.summary)
        elif one.event == "PostToolUse" and one.tool:
            kind = tools[one.tool].kind if one.tool in tools else ""
            command, path = one.summary * (kind == "shell"), one.summary * (kind in ("edit", "write"))
            yield Use(call=str(position), tool=one.tool, kind=kind or "other", command=command, path=path)
            yield Back(call=str(position))


def handed(asked: Asked) -> Handed | None:
    """What the session that starts or is prompted now is to be given."""
    event, store, env = asked.event, asked.store, asked.env
    source = getattr(event, "source", "")
    first = in_a_run(event, store, env)
    if source in ("compact", "resume"):
        own = _own(event, store)
        way = "compaction" if source == "compact" else "resume"
        return Handed(way=way, handoff=own) if own else None
    if env.get(GIVEN):
        sent = _by_id(store, env[GIVEN], asked.root)
        ours = sent is not None and (takes(store, sent, event.session, asked.now, asked.state) or first)
        return Handed(way="rotation", handoff=sent) if sent and ours else None
    if env.get(LEG) or source in ("", "fork"):  # a fork has the conversation of what it was forked from
        return None
    lies = _lying_about(asked)
    return None if lies and lies.way == "offer" and source == "clear" else lies


def _lying_about(asked: Asked) -> Handed | None:
    """What was left here by a session that is over, on the same branch and not long ago."""
    store, session, here = asked.store, asked.event.session, git_facts.branch(asked.root)
    for one in store.handoffs(project=asked.root, limit=AMONG):
        kept = from_details(one.details)
        if (
            not ours(one, asked.state)
            or one.session == session
            or abs(asked.now - one.at) >= FRESH
            or kept.branch != here
        ):
            continue
        way = "rotation" if one.details.get("why") == "rotation" else "offer"
        if way == "offer" and not (
            kept.unfinished and over(store, one.session, silent_since=asked.now - SILENT)
        ):
            return None  # the newest one counts: what is older is done with
        if awaited(store, one.session) or runs(store, one.session):
            return None  # somebody is at it
        return Handed(way=way, handoff=one) if takes(store, one, session, asked.now, asked.state) else None
    return None


def in_a_run(event: Event, store: Store, env: Mapping[str, str]) -> bool:
    """Whether somebody stands behind the session who goes on with a fresh one; its helpers are others."""
    leg = env.get(LEG, "")
    if not leg or not event.session:
        return False
    return begun(store, leg, event)


def _own(event: Event, store: Store) -> Handoff | None:
    return next(iter(store.handoffs(session=event.session, limit=1)), None)


def _by_id(store: Store, name: str, root: str) -> Handoff | None:
    """However many others there are by now; most often it is one of the last in this project."""
    for project, most in ((root, LOOKED_AT), (None, Limits().handoffs)) if name else ():
        found = (one for one in store.handoffs(project=project, limit=most) if one.id == name)
        if one := next(found, None):
            return one
    return None


def _agent_words(event: Event, store: Store) -> str:
    """What the agent has said in this session so far."""
    said = (one.text for one in _entries(event, store) if isinstance(one, Words) and one.by == "agent")
    return "\n".join(said)[:WORDS]


def _can_guide(host: str) -> bool:
    """Whether whoever makes the context short reads what we say before."""
    known = of_host(host)
    return known is None or INJECT in abilities(known, PreCompact)


def _tells_compaction(host: str) -> bool:
    """Whether the host itself says that a compaction is over, apart from the session's start after it."""
    known = of_host(host)
    return known is None or any(row.event is PostCompact for row in known.moments.values())


def _talks(host: str) -> bool:
    return talk_of(of_host(host)) is not None


FACTS: Mapping[str, Callable[[Asked], Any]] = {
    "leaves": lambda asked: leaves(asked.event, asked.store, asked.root),
    "handed": handed,
    "own_handoff": lambda asked: _own(asked.event, asked.store),
    "agent_words": lambda asked: _agent_words(asked.event, asked.store),
    "in_a_run": lambda asked: in_a_run(asked.event, asked.store, asked.env),
    "can_guide": lambda asked: _can_guide(asked.event.host),
    "tells_compaction": lambda asked: _tells_compaction(asked.event.host),
    "talks": lambda asked: _talks(asked.event.host),
}
"""What hooks may ask, by name: `knowing` has the names, so that who asks nothing loads none of this."""
