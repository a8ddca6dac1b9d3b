"""The portable protocol, version 1: an event as JSON for any program, and that program's answer.

What does not apply is absent. A field's place is told once, in the tables here, for writing and for reading.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from typing import Any

from hookline.core.envelope_types import Action, EventEnvelope, ResponseEnvelope, read, schema
from hookline.core.events import Event, Notification, OnError, Unreadable
from hookline.core.frozen import frozen, thawed
from hookline.core.outcome import Outcome
from hookline.core.response import HandOver, Response, Verdict
from hookline.core.state import State

VERSION = 1


class BadEnvelope(ValueError):
    """An answer that is no response envelope; the message names the field."""


COMMON: Mapping[str, str] = {
    "at": "timestamp",
    "ends_at": "budget.endsAt",
    "session": "sessionId",
    "agent": "agent",
    "host": "host",
    "repository": "repository",
    "branch": "branch",
    "cwd": "cwd",
    "turn": "turn",
    "subagent_id": "subagent.id",
    "subagent_type": "subagent.type",
}
"""Where the fields lie that every event has; dots lead inwards."""

_OWN: Mapping[str, str] = {
    "tool": "tool.name",
    "kind": "tool.kind",
    "input": "tool.input",
    "output": "tool.output",
    "success": "tool.success",
    "error": "tool.error",
    "duration_ms": "tool.durationMs",
    "prompt": "prompt",
    "model": "model.name",
    "messages": "model.messages",
    "response": "model.response",
    "usage": "model.usage",
    "trigger": "compact.trigger",
    "instructions": "compact.instructions",
    "summary": "compact.summary",
    "source": "source",
    "reason": "reason",
    "threshold": "threshold.kind",
    "percent": "threshold.percent",
    "again": "continuing",
    "last_text": "lastAssistantText",
}
_NOTIFICATION: Mapping[str, str] = {"kind": "notification.kind", "text": "notification.text"}


def places(event: type[Event]) -> dict[str, str]:
    """Where an event's own fields lie in its envelope; dots lead inwards."""
    known = _NOTIFICATION if event is Notification else _OWN
    return {f.name: known[f.name] for f in fields(event) if f.name in known}


def event_out(event: Event, state: State | None = None) -> dict[str, Any]:
    """The event as the JSON that a program is sent."""
    out: dict[str, Any] = {"version": VERSION, "hook": event.name}
    for ours, theirs in {**COMMON, **places(type(event))}.items():
        value = _value(event, state, ours)
        if value is not None:
            _put(out, theirs, thawed(value))
    budget = {**out.get("budget", {}), **(_budget(state) if state else {})}
    return {**out, "budget": budget} if budget else out


def _value(event: Event, state: State | None, name: str) -> Any:
    if name == "at":
        return _timestamp(event.at or (state.now if state else 0.0))
    if name in ("subagent_id", "subagent_type"):
        return (event.subagent and getattr(event.subagent, name.removeprefix("subagent_"))) or None
    value = getattr(event, name)
    if name == "kind" and isinstance(event, OnError) and not event.tool and value == "other":
        return None
    return None if value in ("", {}, ()) and value == _default(event, name) else value


def _default(event: Event, name: str) -> Any:
    field = next(f for f in fields(event) if f.name == name)
    return field.default if field.default_factory is MISSING else field.default_factory()


_YEAR_10000 = 253_402_300_800


def _timestamp(at: float) -> str | None:
    if not 0 < at < _YEAR_10000:
        return None
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _budget(state: State) -> dict[str, Any]:
    named = {
        "usedTokens": state.usage.used,
        "effectiveLimit": state.usage.effective_limit,
        "endsAt": state.budget.ends_at,
    }
    return {key: value for key, value in named.items() if value is not None}


def _put(out: dict[str, Any], path: str, value: Any) -> None:
    *outer, last = path.split(".")
    for key in outer:
        out = out.setdefault(key, {})
    out[last] = value


def check_event(payload: Mapping[str, Any]) -> None:
    """Raise `Unreadable` where a field of the envelope has a wrong type; says which, never what was sent."""
    try:
        read(payload, EventEnvelope)
    except ValueError as error:
        raise Unreadable(str(error)) from None


def response_in(event: Event, data: Mapping[str, Any]) -> Response:
    """What a program answered to *event*; a change that cannot be made there is the chain's to refuse."""
    try:
        wire = read(data, ResponseEnvelope)
    except ValueError as error:
        raise BadEnvelope(str(error)) from None
    _check_promise(wire)
    told = wire.metadata or {}
    rule, handoff = told.get("rule"), told.get("handoff")
    return Response(
        verdict=_VERDICTS.get(wire.action, "pass"),
        reason=wire.reason or "",
        rule=rule if isinstance(rule, str) else "",
        context=_texts(wire.additional_context),
        warnings=_texts(wire.warnings),
        changes=frozen(_changes(event, wire)),
        replace_context=bool(wire.replace_context),
        effects=(HandOver(details=frozen(handoff)),) if isinstance(handoff, Mapping) else (),
    )


_VERDICTS: Mapping[str, Verdict] = {"block": "block", "ask": "ask", "allow": "allow"}


def _check_promise(wire: ResponseEnvelope) -> None:
    if wire.action == "injectContext" and wire.additional_context is None:
        raise BadEnvelope("field 'additionalContext' is missing, which the action 'injectContext' needs")
    if wire.action == "modify" and wire.modified_input is None and wire.modified_output is None:
        raise BadEnvelope(
            "field 'modifiedInput' or 'modifiedOutput' is missing, which the action 'modify' needs"
        )


def _texts(value: str | Sequence[str] | None) -> tuple[str, ...]:
    texts = (value,) if isinstance(value, str) else value or ()
    return tuple(text for text in texts if text.strip())


def _changes(event: Event, wire: ResponseEnvelope) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    if wire.modified_input is not None:
        changes["messages" if event.changes == "messages" else "input"] = wire.modified_input
    if wire.modified_output is not None:
        changes["response" if event.changes == "response" else "output"] = wire.modified_output
    if isinstance(changes.get("input"), list):
        raise BadEnvelope(f"field 'modifiedInput' is a list, not an object, at {event.name}")
    if isinstance(changes.get("messages"), dict):
        raise BadEnvelope(f"field 'modifiedInput' is an object, not a list of messages, at {event.name}")
    return changes


def response_out(outcome: Outcome, changed: Any = None) -> dict[str, Any]:
    """The outcome as the JSON that a program gets back, with the *changed* input or output, if any."""
    reason = next((r for r in (outcome.blocked, outcome.asked, outcome.allowed) if r is not None), None)
    modified = "modifiedInput" if outcome.event.changes in ("input", "messages") else "modifiedOutput"
    spoke = dict.fromkeys(step.hook for step in outcome.trail if step.said not in ("pass", "skipped"))
    named = {
        "reason": reason,
        "additionalContext": list(outcome.context) or None,
        "warnings": list(outcome.warnings) or None,
        modified: thawed(changed),
        "metadata": {"rules": list(outcome.rules), "hookIds": list(spoke)} if spoke else None,
    }
    present = {key: value for key, value in named.items() if value is not None}
    return {"version": VERSION, "action": _action(outcome, changed), **present}


def _action(outcome: Outcome, changed: Any) -> Action:
    if outcome.verdict != "pass":
        return outcome.verdict
    if changed is not None:
        return "modify"
    return "injectContext" if outcome.context else "passThrough"


def schemas() -> dict[str, dict[str, Any]]:
    """Both JSON Schemas, by the names of their files."""
    return {
        "event": schema(EventEnvelope, "hookline event, version 1"),
        "response": schema(ResponseEnvelope, "hookline response, version 1"),
    }
