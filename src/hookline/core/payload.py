"""Decode a host's payload into an event, and compose the payload of an event, by the host's table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from functools import cache
from typing import Any

from hookline.core.events import Event, PostToolUse, Subagent, Unreadable
from hookline.core.frozen import Frozen, frozen
from hookline.core.host import Host, Moment, row_of, set_value, value_at


def decode(host: Host, payload: Any, name: str = "") -> tuple[str, Event] | None:
    """The moment's native name and our event; None for moments that are none of ours."""
    if not isinstance(payload, Mapping):
        raise Unreadable(f"a {host.name} payload is a JSON object, not {_type(payload)}")
    host.check(payload)
    payload = host.unpacked(payload)
    name = name or _needed_name(host, payload)
    row = row_of(host, name, payload)
    if row is None:
        return None
    values = dict(row.given)
    where = {**host.common, **row.fields}
    for ours, theirs in where.items():
        found = value_at(payload, theirs) if "." in theirs else payload.get(theirs)
        if found is not None:
            values[ours] = found
    if row.event is PostToolUse and "success" not in values and (error := host.failure(payload)):
        values |= {"success": False, "error": values.get("error") or error}
    return name, _build(host, row, values, payload, where)


def _needed_name(host: Host, payload: Mapping[str, Any]) -> str:
    name, told = payload.get(host.names_event), f"{host.names_event!r} is missing or no text"
    if isinstance(name, str) and name:
        return name
    raise Unreadable(f"the payload does not say which event it is: {told}")


def _build(
    host: Host, row: Moment, values: dict[str, Any], payload: Mapping[str, Any], where: Mapping[str, str]
) -> Event:
    helper = _words(values.pop("subagent_id", "")), _words(values.pop("subagent_type", ""))
    checked, odd = _checked(host, row, values, where)
    checked.setdefault("host", host.name)
    if any(helper):
        checked["subagent"] = Subagent(id=helper[0], type=helper[1])
    if row.event.changes in where:
        checked["lies_at"] = Frozen({row.event.changes: where[row.event.changes]})
    return row.event(**checked, native=frozen(payload), odd=tuple(odd))


def _checked(
    host: Host, row: Moment, values: Mapping[str, Any], where: Mapping[str, str]
) -> tuple[dict[str, Any], list[str]]:
    """The *values* of an event, and what of them is left out; raises `Unreadable`."""
    known, needed = _known(row.event)  # type: ignore[arg-type]  # mypy asks the class for its instances' hash
    checked: dict[str, Any] = {}
    odd = list[str]()
    for key, value in values.items():
        kind = known.get(key, "")
        if kind == "str" and type(value) is str:  # as most are
            checked[key] = value
        elif wrong := _wrong(kind, value):
            told = f"field {where.get(key, key)!r} of the {row.event.__name__} payload of {host.name} {wrong}"
            if key in needed or key == "input":
                raise Unreadable(told)
            odd.append(f"{told}; it was left out")
        elif kind:
            checked[key] = frozen(_seconds(value) if key == "at" else value)
    for key in () if needed <= checked.keys() else sorted(needed - checked.keys()):
        payload = f"the {row.event.__name__} payload of {host.name}"
        raise Unreadable(f"{payload} needs {where.get(key, key)!r}, which is missing")
    return checked | _tool_facts(host, checked) if "places" in known else checked, odd


@cache
def _known(event: type[Event]) -> tuple[Mapping[str, str], frozenset[str]]:
    """How the fields of a class of events are annotated, and which of them must be given."""
    return {f.name: str(f.type) for f in fields(event)}, frozenset(
        f.name for f in fields(event) if f.default is MISSING and f.default_factory is MISSING
    )


def _tool_facts(host: Host, values: Mapping[str, Any]) -> dict[str, Any]:
    row = host.tools.get(values["tool"]) or host.tool_kind(values["tool"])
    if row is None:
        return {}
    return {"kind": values.get("kind", row.kind), "places": row.places}


def _words(value: Any) -> str:
    return value if isinstance(value, str) else ""


_CHECKS: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
    "float | None": (int, float),
    "Mapping[str, Any]": (dict, Mapping),
    "tuple[Any, ...]": (list, tuple),
}


def _wrong(kind: str, value: Any) -> str:
    """What is wrong with the type of a value; never the value."""
    wanted = _CHECKS.get(kind)
    if wanted is None or (isinstance(value, wanted) and (bool in wanted or not isinstance(value, bool))):
        return ""
    timely = kind == "float" and isinstance(_seconds(value), float)
    return "" if timely else f"is {_type(value)}, not {_plain(kind)}"


def _seconds(when: Any) -> Any:
    """A moment that a host writes as text, in Unix seconds; what is no moment stays for the complaint."""
    if not isinstance(when, str):
        return when
    try:
        moment = datetime.fromisoformat(when)
    except ValueError:
        return when
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _plain(kind: str) -> str:
    names = {"str": "text", "bool": "true or false", "Mapping[str, Any]": "an object"}
    return names.get(kind, "a list" if kind == "tuple[Any, ...]" else "a number")


def _type(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number" if isinstance(value, int | float) else "something else")


def compose(host: Host, event: Event, name: str = "") -> dict[str, Any]:
    """The payload that *host* would send for *event*: the table read backwards."""
    telling = [(n, row) for n, row in host.moments.items() if _tells(row, event)]
    name = name or max(telling, key=lambda one: len(one[1].given), default=("", None))[0]
    row = host.moments.get(name) or Moment(event=type(event), can=frozenset(), fields=Frozen())
    payload: dict[str, Any] = {host.names_event: name or event.name}
    values = {
        f.name: getattr(event, f.name)
        for f in fields(event)
        if f.name not in ("native", "places", "subagent")
    }
    unsaid = {f.name: (None,) for f in fields(event) if f.default != ""}
    values["at"] = _stamp(event.at)
    if event.subagent:
        values |= {"subagent_id": event.subagent.id, "subagent_type": event.subagent.type}
    for ours, theirs in {**host.common, **row.fields}.items():
        if values.get(ours) not in unsaid.get(ours, (None, "")) and ours not in row.given:
            set_value(payload, theirs, values[ours])
    return payload


def _stamp(at: float) -> str | None:
    return datetime.fromtimestamp(at, UTC).isoformat() if at else None


def _tells(row: Moment, event: Event) -> bool:
    return row.event is type(event) and all(getattr(event, key) == value for key, value in row.given.items())
