"""What the docs say about the events: when they fire, what an answer may do, and their fields."""

import ast
import inspect
from dataclasses import Field, fields
from itertools import pairwise
from typing import Any, get_args

from cells import can, code, table

from hookline.core.events import EVENTS, Event


def events() -> str:
    rows = (
        [f"`{name}`", _first(event), can(event.abilities), f"{event.timeout:g} s", code(_own(event))]
        for name, event in EVENTS.items()
    )
    return table(["event", "fires when", "an answer may", "time limit", "its own fields"], rows)


def common_fields() -> str:
    said = _field_docs(Event)
    rows = ([f"`{f.name}`", _field_type(f), said.get(f.name, "")] for f in fields(Event))
    return table(["field", "type", "what it is"], rows)


def own_fields() -> str:
    """The fields of single events whose names do not say everything."""
    rows = ([f"`{name}`", kind, code(at), said] for (name, kind, said), at in _told().items())
    return table(["field", "type", "at", "what it is"], rows)


def _told() -> dict[tuple[str, str, str], list[str]]:
    found: dict[tuple[str, str, str], list[str]] = {}
    for name, event in EVENTS.items():
        said = {key: text for base in event.__mro__ for key, text in _field_docs(base).items()}
        for field in fields(event):
            if field.name in said and field.name in _own(event):
                found.setdefault((field.name, _field_type(field), said[field.name]), []).append(name)
    return found


def _own(event: type[Event]) -> list[str]:
    common = {f.name for f in fields(Event)} | {"input_keys"}
    return [f.name for f in fields(event) if f.name not in common]


def _first(event: type[Event]) -> str:
    return (inspect.getdoc(event) or "").partition("\n")[0]


def _field_type(field: "Field[Any]") -> str:
    plain = str(getattr(field.type, "__name__", "") if not get_args(field.type) else field.type)
    plain = plain.replace("collections.abc.", "").replace("typing.", "").replace("hookline.core.events.", "")
    return f"`{plain or field.type}`"


def _field_docs(owner: type) -> dict[str, str]:
    """The strings below fields, which Python itself does not keep."""
    if not owner.__module__.startswith("hookline."):
        return {}
    body = ast.parse(inspect.getsource(owner)).body[0].body  # type: ignore[attr-defined]  # a class has one
    return {
        str(one.target.id): str(below.value.value)
        for one, below in pairwise(body)
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
    }
