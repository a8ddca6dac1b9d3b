"""Generated documentation of the events: when they fire, what an answer may do, and their fields."""

import ast
import inspect
from itertools import pairwise
from typing import get_args

from cells import can, code, table
from msgspec.structs import FieldInfo, fields

from hookline.core.events import EVENTS, Event


def events() -> str:
    rows = (
        [f"`{name}`", _first(event), can(event.abilities), f"{event.timeout:g} s", code(_own(event))]
        for name, event in EVENTS.items()
    )
    return table(["event", "fires when", "an answer may", "timeout", "own fields"], rows)


def common_fields() -> str:
    """Return the names of the fields that every event has, and a table of those with a description."""
    docs = _field_docs(Event)
    plain = code(f.name for f in fields(Event) if f.name not in docs)
    rows = ([f"`{f.name}`", _field_type(f), docs[f.name]] for f in fields(Event) if f.name in docs)
    return f"Every event has {plain}, and:\n\n{table(['field', 'type', 'description'], rows)}"


def _own(event: type[Event]) -> list[str]:
    common = {f.name for f in fields(Event)} | {"input_keys"}
    return [f.name for f in fields(event) if f.name not in common]


def _first(event: type[Event]) -> str:
    return (inspect.getdoc(event) or "").partition("\n")[0]


def _field_type(field: FieldInfo) -> str:
    plain = str(getattr(field.type, "__name__", "") if not get_args(field.type) else field.type)
    plain = plain.replace("collections.abc.", "").replace("typing.", "").replace("hookline.core.events.", "")
    return f"`{plain or field.type}`"


def _field_docs(owner: type) -> dict[str, str]:
    """Return the docstrings of fields, which Python itself does not keep."""
    if not owner.__module__.startswith("hookline."):
        return {}
    body = ast.parse(inspect.getsource(owner)).body[0].body  # type: ignore[attr-defined]  # a class has one
    return {
        str(one.target.id): str(below.value.value)
        for one, below in pairwise(body)
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
    }
