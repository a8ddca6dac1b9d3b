"""The portable protocol, version 1: events as JSON for any program, and the program's response.

Fields that do not apply are absent. The tables of paths here serve both writing and reading.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import NODEFAULT
from msgspec.structs import fields

from hookline.core.envelope_types import Action, EventEnvelope, ResponseEnvelope, build_schema, convert
from hookline.core.events import Event, Notification, OnError, Unreadable
from hookline.core.frozen import freeze, thaw
from hookline.core.outcome import Outcome
from hookline.core.response import HandOver, Response, Verdict
from hookline.core.state import State

VERSION = 1


class BadEnvelope(ValueError):
    """An answer that is not a valid response envelope; the message names the field."""


COMMON_PATHS: Mapping[str, str] = {
    "at": "timestamp",
    "ends_at": "budget.endsAt",
    "used_tokens": "budget.usedTokens",
    "max_tokens": "budget.maxTokens",
    "effective_limit": "budget.effectiveLimit",
    "percent_used": "budget.percentUsed",
    "cost_usd": "budget.estimatedCostUsd",
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
"""Dotted paths in the envelope of the fields that every event has."""

_EVENT_PATHS: Mapping[str, str] = {
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
_NOTIFICATION_PATHS: Mapping[str, str] = {"kind": "notification.kind", "text": "notification.text"}


def field_paths(event: type[Event]) -> dict[str, str]:
    """Return the dotted paths in the envelope of the fields that only this class of events has."""
    paths = _NOTIFICATION_PATHS if event is Notification else _EVENT_PATHS
    return {name: paths[name] for name in event.__struct_fields__ if name in paths}


def encode_event(event: Event, state: State | None = None) -> dict[str, Any]:
    """Return the event envelope to send to a program, as a JSON object."""
    envelope: dict[str, Any] = {"version": VERSION, "hook": event.name}
    for name, path in {**COMMON_PATHS, **field_paths(type(event))}.items():
        value = _read_value(event, state, name)
        if value is not None:
            _set_path(envelope, path, thaw(value))
    budget = {**envelope.get("budget", {}), **(_encode_budget(state) if state else {})}
    return {**envelope, "budget": budget} if budget else envelope


def _read_value(event: Event, state: State | None, name: str) -> Any:
    if name == "at":
        return _format_timestamp(event.at or (state.now if state else 0.0))
    if name in ("subagent_id", "subagent_type"):
        return (event.subagent and getattr(event.subagent, name.removeprefix("subagent_"))) or None
    value = getattr(event, name)
    if name == "kind" and isinstance(event, OnError) and not event.tool and value == "other":
        return None
    return None if value in ("", {}, ()) and value == _find_default(event, name) else value


def _find_default(event: Event, name: str) -> Any:
    field = next(f for f in fields(event) if f.name == name)
    return field.default if field.default_factory is NODEFAULT else field.default_factory()


_YEAR_10000 = 253_402_300_800


def _format_timestamp(at: float) -> str | None:
    if not 0 < at < _YEAR_10000:
        return None
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _encode_budget(state: State) -> dict[str, Any]:
    values = {
        "usedTokens": state.usage.used,
        "maxTokens": state.usage.window,
        "effectiveLimit": state.usage.effective_limit,
        "percentUsed": state.usage.percent,
        "estimatedCostUsd": state.usage.cost,
        "endsAt": state.budget.ends_at,
    }
    return {key: value for key, value in values.items() if value is not None}


def _set_path(target: dict[str, Any], path: str, value: Any) -> None:
    *outer, last = path.split(".")
    for key in outer:
        target = target.setdefault(key, {})
    target[last] = value


def check_event(payload: Mapping[str, Any]) -> None:
    """Raise `Unreadable` if a field of the envelope has a wrong type; the message never repeats its value."""
    try:
        convert(payload, EventEnvelope)
    except ValueError as error:
        raise Unreadable(str(error)) from None


def decode_response(event: Event, data: Mapping[str, Any]) -> Response:
    """Return the response in a program's answer to *event*; the chain checks its changes later."""
    try:
        wire = convert(data, ResponseEnvelope)
    except ValueError as error:
        raise BadEnvelope(str(error)) from None
    _check_action(wire)
    metadata = wire.metadata or {}
    rule, handoff = metadata.get("rule"), metadata.get("handoff")
    return Response(
        verdict=_VERDICTS.get(wire.action, "pass"),
        reason=wire.reason or "",
        rule=rule if isinstance(rule, str) else "",
        context=_split_texts(wire.additional_context),
        warnings=_split_texts(wire.warnings),
        changes=freeze(_read_changes(event, wire)),
        replace_context=bool(wire.replace_context),
        effects=(HandOver(details=freeze(handoff)),) if isinstance(handoff, Mapping) else (),
    )


_VERDICTS: Mapping[str, Verdict] = {"block": "block", "ask": "ask", "allow": "allow"}


def _check_action(wire: ResponseEnvelope) -> None:
    if wire.action == "injectContext" and wire.additional_context is None:
        raise BadEnvelope("field 'additionalContext' is missing; the action 'injectContext' requires it")
    if wire.action == "modify" and wire.modified_input is None and wire.modified_output is None:
        raise BadEnvelope(
            "field 'modifiedInput' or 'modifiedOutput' is missing; the action 'modify' requires one"
        )


def _split_texts(value: str | Sequence[str] | None) -> tuple[str, ...]:
    texts = (value,) if isinstance(value, str) else value or ()
    return tuple(text for text in texts if text.strip())


def _read_changes(event: Event, wire: ResponseEnvelope) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    if wire.modified_input is not None:
        changes["messages" if event.changeable_field == "messages" else "input"] = wire.modified_input
    if wire.modified_output is not None:
        changes["response" if event.changeable_field == "response" else "output"] = wire.modified_output
    if isinstance(changes.get("input"), list):
        raise BadEnvelope(f"field 'modifiedInput' must be an object at {event.name}, not a list")
    if isinstance(changes.get("messages"), dict):
        raise BadEnvelope(f"field 'modifiedInput' must be a list of messages at {event.name}, not an object")
    return changes


def encode_response(outcome: Outcome, changed: Any = None) -> dict[str, Any]:
    """Return the response envelope of *outcome* as a JSON object, with the *changed* input or output."""
    reason = next(
        (text for text in (outcome.blocked, outcome.asked, outcome.allowed) if text is not None), None
    )
    modified = (
        "modifiedInput" if outcome.event.changeable_field in ("input", "messages") else "modifiedOutput"
    )
    hook_names = dict.fromkeys(step.hook for step in outcome.trail if step.action not in ("pass", "skipped"))
    values = {
        "reason": reason,
        "additionalContext": list(outcome.context) or None,
        "warnings": list(outcome.warnings) or None,
        modified: thaw(changed),
        "metadata": {"rules": list(outcome.rules), "hookIds": list(hook_names)} if hook_names else None,
    }
    present = {key: value for key, value in values.items() if value is not None}
    return {"version": VERSION, "action": _choose_action(outcome, changed), **present}


def _choose_action(outcome: Outcome, changed: Any) -> Action:
    if outcome.verdict != "pass":
        return outcome.verdict
    if changed is not None:
        return "modify"
    return "injectContext" if outcome.context else "passThrough"


def build_schemas() -> dict[str, dict[str, Any]]:
    """Return both JSON Schemas, keyed by the stems of their file names."""
    return {
        "event": build_schema(EventEnvelope, "hookline event, version 1"),
        "response": build_schema(ResponseEnvelope, "hookline response, version 1"),
    }
