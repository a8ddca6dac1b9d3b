"""Fit a setting to its type; where it does not, say in plain words what is wanted and which part is wrong."""

import json
import types
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal, Union, get_args, get_origin

import msgspec

from hookline.core.frozen import thawed

LONGEST = 60
_ONE = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "nothing"}
_MANY = {str: "texts", int: "whole numbers", float: "numbers", bool: "true or false", type(None): "nothing"}


class Misfit(ValueError):
    """A value that its type does not take; the message continues the words "must be"."""


def fitted(value: Any, kind: Any) -> Any:
    """The *value* as the type *kind*; raises `Misfit`."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        where = next(_wrong_parts(value, kind), f"not {_shown(value)}")
        raise Misfit(f"{worded(kind)}, {where}") from None


def worded(kind: Any, *, many: bool = False) -> str:
    """What values a type takes."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin is Literal:
        return f"{'any' if many else 'one'} of {', '.join(map(json.dumps, inner))}"
    if origin in (Union, types.UnionType):
        return " or ".join(worded(each, many=many) for each in inner)
    if _is(origin, Mapping):
        return ("tables" if many else "a table") + _of(inner[1:]) + _under(inner[:1])
    if _is(origin, Collection) and origin is not str:
        return ("lists" if many else "a list") + _of(inner[:1])
    return (_MANY if many else _ONE).get(origin, getattr(origin, "__name__", str(origin)))


def _is(origin: Any, kind: type) -> bool:
    return isinstance(origin, type) and issubclass(origin, kind)


def _of(inner: tuple[Any, ...]) -> str:
    return f" of {worded(inner[0], many=True)}" if inner and inner[0] is not Any else ""


def _under(inner: tuple[Any, ...]) -> str:
    return (
        f" whose keys are {worded(inner[0], many=True)}" if get_origin(*inner or (None,)) is Literal else ""
    )


def _wrong_parts(value: Any, kind: Any) -> Iterator[str]:
    """The items, keys and values inside of the *value* that do not fit."""
    origin, inner = get_origin(kind), get_args(kind)
    if _is(origin, Mapping) and isinstance(value, Mapping):
        yield from (f"and has {key!r}" for key in value if not _fits(key, inner[0]))
        yield from (f"and its {k!r} is {_shown(v)}" for k, v in value.items() if not _fits(v, inner[1]))
    elif _is(origin, Collection) and isinstance(value, tuple | list):
        yield from (
            f"and item {number} is {_shown(item)}"
            for number, item in enumerate(value, 1)
            if not _fits(item, inner[0])
        )


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(thawed(value))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
