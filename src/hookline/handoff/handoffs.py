"""Create, store and find handoffs, from the host's transcript or else from our own audit records.

A session gets a handoff in one of four ways. After a compaction, it gets its own in full. When it resumes, it
still has its conversation, and only learns what has changed. After a rotation, it gets the handoff in full,
and its first answer is checked against it. When it starts where another ended with work left, it gets a few
lines once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from hookline.core.conversation import Message, ToolResult, ToolUse, TranscriptEntry
from hookline.core.derive import find_abilities
from hookline.core.events import INJECT, Event, PostCompact, PreCompact
from hookline.core.frozen import encode_mapping
from hookline.core.outcome import Outcome
from hookline.core.records import Handoff
from hookline.core.response import HandOver
from hookline.core.store import Limits, Query, Store
from hookline.core.todos import find_done, find_open
from hookline.handoff.claim import SILENT_SECONDS, claim, has_ended, has_runner, is_running, register_leg
from hookline.handoff.content import Content, Delivery, from_details, merge, to_details, to_markdown
from hookline.handoff.extract import SessionFacts, extract_content
from hookline.memory.read_transcript import find_conversation_reader, find_host, parse_entries
from hookline.redact import redact, redact_json
from hookline.system import git_facts
from hookline.system.git_diff import find_differing
from hookline.system.git_facts import find_origin, parse_issue
from hookline.system.paths import Places, user_id
from hookline.system.tail import read_both_ends

LEG_VARIABLE, HANDOFF_VARIABLE = "HOOKLINE_ROTATION", "HOOKLINE_HANDOFF"
"""Environment variables of a rotating run: the leg that this session is, and the handoff it continues."""
FROM_NOTE, ROTATE_NOTE = "handoff.from", "handoff.rotate"
"""Notes of a session: the handoff that it continued, and the request to rotate."""
MAX_OFFER_AGE = 86_400.0
"""Seconds for which a handoff is offered to a session that was not started for it."""
MAX_RECENT = 8
"""Recent handoffs or memories that are read."""
MAX_SEARCHED = 50
"""Handoffs that are searched for our own, as others may share the store."""
OWNER_KEY = "whose"
"""Key of the user who left a handoff, in its details."""
MAX_RECORDS = 400
"""Audit records that are read for a host without a transcript that we can read."""
MAX_AGENT_TEXT = 4_000
"""Characters of the agent's text that are returned."""
MAX_END_BYTES, MAX_END_LINES = 4 * 1024 * 1024, 1_000
"""Bytes and lines read from each end of a transcript, because the host waits for the reply."""


class HandoffContext(Struct, frozen=True, kw_only=True):
    """The event and the surroundings for which a fact about handoffs is looked up."""

    event: Event
    store: Store
    root: str
    now: float
    env: Mapping[str, str]
    state: str = ""
    """State folder of the current user."""


def store_handoffs(outcome: Outcome, store: Store, places: Places, now: float) -> None:
    """Store the handoffs among the effects of an outcome."""
    effects = [effect for effect in outcome.effects if isinstance(effect, HandOver)]
    for effect in effects:
        if effect.why:
            more = [other.details for other in effects if not other.why]
            store.add_handoff(
                _to_record(_with_additions(effect, more) if more else effect, outcome.event, places, now)
            )


def _with_additions(handoff: HandOver, more: list[Mapping[str, Any]]) -> HandOver:
    """Return the handoff with the details that the user's own hooks add to it."""
    content = from_details(handoff.details)
    for details in more:
        content = merge(content, from_details(details), redact)
    return HandOver(why=handoff.why, text=to_markdown(content), details=to_details(content))


def _to_record(handoff: HandOver, event: Event, places: Places, now: float) -> Handoff:
    text = redact(handoff.text)
    digest = hashlib.sha256(f"{event.session}\0{handoff.why}\0{text}".encode("utf-8", "replace")).hexdigest()
    details = {**redact_json(encode_mapping(handoff.details)), "why": handoff.why, "host": event.host}
    details |= {OWNER_KEY: owner} if (owner := user_id(places.state)) else {}
    return Handoff(
        id=digest[:16], at=now, session=event.session, text=text, project=places.root, details=details
    )


def is_own(handoff: Handoff, state: str) -> bool:
    """Return whether a handoff is of the user of the folder *state*, as others may share the store."""
    owner = str(handoff.details.get(OWNER_KEY) or "")
    return not owner or owner == (user_id(state) or owner)


_GIT_SECONDS = 0.4
"""Seconds for git, so that the hook has time for the transcript."""


def summarize_session(event: Event, store: Store, root: str, env: Mapping[str, str]) -> Content | None:
    """Return the current handoff content of the session of *event*; None if nothing is known of it."""
    notes, branch = store.notes(event.session), git_facts.find_branch(root)
    previous = _find_by_id(store, str(notes.get(FROM_NOTE) or ""), root)
    facts = SessionFacts(
        root=root,
        branch=branch,
        issue=parse_issue(branch),
        todos=find_open(notes),
        done=tuple(todo.text for todo in find_done(notes)),
        blockers=_recall_blockers(store, root, branch),
        before=from_details(previous.details) if previous else None,
        differing=find_differing(root, env, _GIT_SECONDS),
        last_text=str(notes.get("handoff.last") or ""),
    )
    return extract_content(_read_entries(event, store), facts, redact)


def _recall_blockers(store: Store, root: str, branch: str) -> tuple[str, ...]:
    """Return the remembered blockers of this branch."""
    if not branch:
        return ()
    memories = store.recall("", project=find_origin(root), branch=branch, limit=MAX_RECENT)
    return tuple(memory.text for memory in memories if memory.kind == "blocker" and memory.branch == branch)


def _read_entries(event: Event, store: Store) -> Iterator[TranscriptEntry]:
    """Return the entries of the host's transcript; if we cannot read one, of our own audit records."""
    host = find_host(event.host)
    talk = find_conversation_reader(host)
    if host and talk and event.transcript:
        lines = read_both_ends(event.transcript, talk.line_markers, MAX_END_BYTES)
        if lines:
            ends = (
                lines if len(lines) <= 2 * MAX_END_LINES else lines[:MAX_END_LINES] + lines[-MAX_END_LINES:]
            )
            return parse_entries(host, talk, ends)
    return _read_records(event, store)


def _read_records(event: Event, store: Store) -> Iterator[TranscriptEntry]:
    host = find_host(event.host)
    tools = host.tools if host else {}
    for position, record in store.records(Query(session=event.session, last=MAX_RECORDS)):
        if record.event == "UserPromptSubmit" and record.summary:
            yield Message(by="person", text=record.summary)
        elif record.event == "PostToolUse" and record.tool:
            kind = tools[record.tool].kind if record.tool in tools else ""
            command, path = record.summary * (kind == "shell"), record.summary * (kind in ("edit", "write"))
            yield ToolUse(
                call=str(position), tool=record.tool, kind=kind or "other", command=command, path=path
            )
            yield ToolResult(call=str(position))


def find_delivery(context: HandoffContext) -> Delivery | None:
    """Return the handoff to deliver to the session that starts or is prompted now."""
    event, store, env = context.event, context.store, context.env
    source = getattr(event, "source", "")
    is_leg = is_in_run(event, store, env)
    if source in ("compact", "resume"):
        latest = _find_latest(event, store)
        way = "compaction" if source == "compact" else "resume"
        return Delivery(occasion=way, handoff=latest) if latest else None
    if env.get(HANDOFF_VARIABLE):
        requested = _find_by_id(store, env[HANDOFF_VARIABLE], context.root)
        claimed = requested is not None and (
            claim(store, requested, event.session, context.now, context.state) or is_leg
        )
        return Delivery(occasion="rotation", handoff=requested) if requested and claimed else None
    # A fork has the conversation of the session that it was forked from.
    if env.get(LEG_VARIABLE) or source in ("", "fork"):
        return None
    offer = _find_offer(context)
    return None if offer and offer.occasion == "offer" and source == "clear" else offer


def _find_offer(context: HandoffContext) -> Delivery | None:
    """Return a recent handoff of an ended session on the same branch."""
    store, session, branch = context.store, context.event.session, git_facts.find_branch(context.root)
    for handoff in store.handoffs(project=context.root, limit=MAX_SEARCHED):
        content = from_details(handoff.details)
        if (
            not is_own(handoff, context.state)
            or handoff.session == session
            or abs(context.now - handoff.at) >= MAX_OFFER_AGE
            or content.branch != branch
        ):
            continue
        way = "rotation" if handoff.details.get("why") == "rotation" else "offer"
        if way == "offer" and not (
            content.unfinished
            and has_ended(store, handoff.session, silent_since=context.now - SILENT_SECONDS)
        ):
            return None  # only the newest handoff counts: older ones are obsolete
        if has_runner(store, handoff.session) or is_running(store, handoff.session):
            return None  # another process is still working on it
        return (
            Delivery(occasion=way, handoff=handoff)
            if claim(store, handoff, session, context.now, context.state)
            else None
        )
    return None


def is_in_run(event: Event, store: Store, env: Mapping[str, str]) -> bool:
    """Return whether the session is a leg of a rotating run; sessions that its agent starts are not."""
    leg = env.get(LEG_VARIABLE, "")
    if not leg or not event.session:
        return False
    return register_leg(store, leg, event)


def _find_latest(event: Event, store: Store) -> Handoff | None:
    return next(iter(store.handoffs(session=event.session, limit=1)), None)


def _find_by_id(store: Store, name: str, root: str) -> Handoff | None:
    """Search the latest handoffs of this project first, where it usually is, and then all."""
    for project, limit in ((root, MAX_RECENT), (None, Limits().handoffs)) if name else ():
        matches = (handoff for handoff in store.handoffs(project=project, limit=limit) if handoff.id == name)
        if match := next(matches, None):
            return match
    return None


def _read_agent_text(event: Event, store: Store) -> str:
    """Return the agent's text in this session so far."""
    texts = (
        entry.text
        for entry in _read_entries(event, store)
        if isinstance(entry, Message) and entry.by == "agent"
    )
    return "\n".join(texts)[:MAX_AGENT_TEXT]


def _reads_guidance(name: str) -> bool:
    """Return whether the host's compaction reads the context injected before it."""
    host = find_host(name)
    return host is None or INJECT in find_abilities(host, PreCompact)


def _reports_compaction(name: str) -> bool:
    """Return whether the host reports the end of a compaction by an event other than a session start."""
    host = find_host(name)
    return host is None or any(row.event is PostCompact for row in host.moments.values())


def _has_readable_transcript(host: str) -> bool:
    return find_conversation_reader(find_host(host)) is not None


FACTS: Mapping[str, Callable[[HandoffContext], Any]] = {
    "handoff_content": lambda context: summarize_session(
        context.event, context.store, context.root, context.env
    ),
    "delivery": find_delivery,
    "own_handoff": lambda context: _find_latest(context.event, context.store),
    "agent_text": lambda context: _read_agent_text(context.event, context.store),
    "in_run": lambda context: is_in_run(context.event, context.store, context.env),
    "reads_compaction_guidance": lambda context: _reads_guidance(context.event.host),
    "reports_compaction": lambda context: _reports_compaction(context.event.host),
    "has_transcript": lambda context: _has_readable_transcript(context.event.host),
}
"""Facts for hooks, by name. `runtime.facts` lists the same names, so that this module loads only on use."""
