"""Conversion between a host's payloads and our events, by the host's table."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from msgspec.structs import fields

from hookline.core.events import Event, PostToolUse, Subagent, Unreadable
from hookline.core.frozen import Frozen, freeze
from hookline.core.host import Host, Moment, find_row, set_value, value_at
from hookline.lazy import re

MAX_VALUES = 50_000
"""Maximum values of a payload, so that hooks can examine all of them in time."""


def remove_rest(payload: Any) -> int:
    """Empty the inner lists and objects of *payload* beyond `MAX_VALUES`; return their number of values."""
    left, left_out, level = MAX_VALUES, 0, _find_containers(payload)
    while level:
        for value in level:
            if len(value) > left:
                left_out += len(value)
                value.clear()
            left -= len(value)
        level = [inner for value in level for inner in _find_containers(value)]
    return left_out


MAX_DEPTH = 100
"""Maximum nesting of values; people and tools stay under twenty."""
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


def remove_deep(text: str) -> tuple[str, int]:
    """Return the JSON *text* with null for each value nested below `MAX_DEPTH`, and their number."""
    parts, depth, start = [], 0, 0
    for match in _STRING_OR_BRACKET.finditer(text):
        if match[0] in ("[", "{"):
            depth += 1
            if depth == MAX_DEPTH:
                parts.append(text[start : match.start()])
        elif match[0] in ("]", "}"):
            depth -= 1
            if depth == MAX_DEPTH - 1:
                parts.append("null")
                start = match.end()
    rest = text[start:] if depth < MAX_DEPTH else ""
    return "".join([*parts, rest]), parts.count("null")


def _find_containers(value: Any) -> list[Any]:
    items = value.values() if isinstance(value, dict) else value
    return [item for item in items if isinstance(item, dict | list)]


def decode(host: Host, payload: Any, name: str = "", *, now: float = 0.0) -> tuple[str, Event] | None:
    """Return the host's name of the moment and our event; None for moments that are not in the table.

    The event is of the time *now* if the payload does not have its time.
    """
    if not isinstance(payload, Mapping):
        raise Unreadable(f"a {host.name} payload must be a JSON object, not {_name_actual(payload)}")
    host.check_payload(payload)
    payload = host.normalize(payload)
    name = name or _require_name(host, payload)
    row = find_row(host, name, payload)
    if row is None:
        return None
    values = {"at": now, **row.values}
    paths = {**host.common_paths, **row.fields}
    for field, path in paths.items():
        value = value_at(payload, path) if "." in path else payload.get(path)
        if value is not None:
            values[field] = value
    if row.event is PostToolUse and "success" not in values and (error := host.find_error(payload)):
        values |= {"success": False, "error": values.get("error") or error}
    return name, _build_event(host, row, values, payload, paths)


def _require_name(host: Host, payload: Mapping[str, Any]) -> str:
    name, problem = payload.get(host.event_key), f"{host.event_key!r} is missing or not text"
    if isinstance(name, str) and name:
        return name
    raise Unreadable(f"the payload does not name its event: {problem}")


def _build_event(
    host: Host, row: Moment, values: dict[str, Any], payload: Mapping[str, Any], paths: Mapping[str, str]
) -> Event:
    subagent = _text_or_empty(values.pop("subagent_id", "")), _text_or_empty(values.pop("subagent_type", ""))
    checked, odd = _check_values(host, row, values, paths)
    checked.setdefault("host", host.name)
    if any(subagent):
        checked["subagent"] = Subagent(id=subagent[0], type=subagent[1])
    if row.event.changeable_field in paths:
        checked["native_paths"] = Frozen({row.event.changeable_field: paths[row.event.changeable_field]})
    return row.event(**checked, native=freeze(payload), payload_problems=tuple(odd))


def _check_values(
    host: Host, row: Moment, values: Mapping[str, Any], paths: Mapping[str, str]
) -> tuple[dict[str, Any], list[str]]:
    """Return the valid *values* of an event, and a sentence for each one left out; raise `Unreadable`."""
    types, required = _find_fields(row.event)
    checked: dict[str, Any] = {}
    odd = list[str]()
    for key, value in values.items():
        kind = types.get(key)
        if kind is str and type(value) is str:  # most fields
            checked[key] = value
        elif problem := _describe_type_error(kind, value):
            message = (
                f"field {paths.get(key, key)!r} of the {row.event.__name__} payload of {host.name} {problem}"
            )
            if key in required or key == "input":
                raise Unreadable(message)
            odd.append(f"{message}; it was ignored")
        elif kind:
            checked[key] = freeze(_to_unix_seconds(value) if key == "at" else value)
    for key in () if required <= checked.keys() else sorted(required - checked.keys()):
        payload = f"the {row.event.__name__} payload of {host.name}"
        raise Unreadable(f"{payload} has no {paths.get(key, key)!r}, which is required")
    return checked | _find_tool_fields(host, checked) if "input_keys" in types else checked, odd


@cache
def _find_fields(event: type[Event]) -> tuple[Mapping[str, Any], frozenset[str]]:
    """Return the types of an event class by field, and the fields that are required."""
    return {f.name: f.type for f in fields(event)}, frozenset(f.name for f in fields(event) if f.required)


def _find_tool_fields(host: Host, values: Mapping[str, Any]) -> dict[str, Any]:
    row = host.tools.get(values["tool"]) or host.find_tool(values["tool"])
    if row is None:
        return {}
    return {"kind": values.get("kind", row.kind), "input_keys": row.input_keys}


def _text_or_empty(value: Any) -> str:
    return value if isinstance(value, str) else ""


_ACCEPTED_TYPES: Mapping[Any, tuple[type, ...]] = {
    str: (str,),
    bool: (bool,),
    int: (int,),
    int | None: (int,),
    float: (int, float),
    float | None: (int, float),
    Mapping[str, Any]: (dict, Mapping),
    tuple[Any, ...]: (list, tuple),
}


def _describe_type_error(kind: Any, value: Any) -> str:
    """Describe a wrong type of a value, without the value itself; empty if the type is right."""
    accepted = _ACCEPTED_TYPES.get(kind)
    if accepted is None or (
        isinstance(value, accepted) and (bool in accepted or not isinstance(value, bool))
    ):
        return ""
    is_time = kind is float and isinstance(_to_unix_seconds(value), float)
    return "" if is_time else f"is {_name_actual(value)}, not {_name_expected(kind)}"


def _to_unix_seconds(when: Any) -> Any:
    # A value that is not a time is returned as it is, for the error message.
    if not isinstance(when, str):
        return when
    try:
        moment = datetime.fromisoformat(when)
    except ValueError:
        return when
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _name_expected(kind: Any) -> str:
    names = {str: "text", bool: "true or false", Mapping[str, Any]: "an object", tuple[Any, ...]: "a list"}
    return names.get(kind, "a number")


def _name_actual(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number" if isinstance(value, int | float) else "a value of another type")


def compose(host: Host, event: Event, name: str = "") -> dict[str, Any]:
    """Return the payload that *host* would send for *event*: the inverse of `decode`."""
    candidates = [(moment_name, row) for moment_name, row in host.moments.items() if _matches(row, event)]
    name = name or max(candidates, key=lambda candidate: len(candidate[1].values), default=("", None))[0]
    row = host.moments.get(name) or Moment(event=type(event), abilities=frozenset(), fields=Frozen())
    payload: dict[str, Any] = {host.event_key: name or event.name}
    values = {
        name: getattr(event, name)
        for name in event.__struct_fields__
        if name not in ("native", "input_keys", "subagent")
    }
    omitted = {f.name: (None,) for f in fields(event) if f.default != ""}
    values["at"] = _format_time(event.at)
    if event.subagent:
        values |= {"subagent_id": event.subagent.id, "subagent_type": event.subagent.type}
    for field, path in {**host.common_paths, **row.fields}.items():
        if values.get(field) not in omitted.get(field, (None, "")) and field not in row.values:
            set_value(payload, path, values[field])
    return payload


def _format_time(at: float) -> str | None:
    return datetime.fromtimestamp(at, UTC).isoformat() if at else None


def _matches(row: Moment, event: Event) -> bool:
    return row.event is type(event) and all(getattr(event, key) == value for key, value in row.values.items())
