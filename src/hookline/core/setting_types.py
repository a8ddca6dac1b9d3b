"""Conversion of settings to their types, with error messages in plain words."""

import json
import types
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal, Union, get_args, get_origin

import msgspec

from hookline.core.frozen import thaw

MAX_SHOWN_CHARS = 60
_SINGULAR = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    type(None): "nothing",
}
_PLURAL = {str: "texts", int: "whole numbers", float: "numbers", bool: "true or false", type(None): "nothing"}


class InvalidValue(ValueError):
    """A value of the wrong type; the message continues the words "must be"."""


def convert_setting(value: Any, kind: Any) -> Any:
    """Return *value* converted to the type *kind*; raise `InvalidValue`."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        problem = next(_find_wrong_parts(value, kind), f"not {_format_value(value)}")
        raise InvalidValue(f"{describe_type(kind)}, {problem}") from None


def describe_type(kind: Any, *, many: bool = False) -> str:
    """Return a description of the values that a type accepts."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin is Literal:
        return f"{'any' if many else 'one'} of {', '.join(map(json.dumps, inner))}"
    if origin in (Union, types.UnionType):
        return " or ".join(describe_type(member, many=many) for member in inner)
    if _is_subclass(origin, Mapping):
        return ("tables" if many else "a table") + _describe_items(inner[1:]) + _describe_keys(inner[:1])
    if _is_subclass(origin, Collection) and origin is not str:
        return ("lists" if many else "a list") + _describe_items(inner[:1])
    return (_PLURAL if many else _SINGULAR).get(origin, getattr(origin, "__name__", str(origin)))


def _is_subclass(origin: Any, kind: type) -> bool:
    return isinstance(origin, type) and issubclass(origin, kind)


def _describe_items(inner: tuple[Any, ...]) -> str:
    return f" of {describe_type(inner[0], many=True)}" if inner and inner[0] is not Any else ""


def _describe_keys(inner: tuple[Any, ...]) -> str:
    return (
        f" whose keys are {describe_type(inner[0], many=True)}"
        if get_origin(*inner or (None,)) is Literal
        else ""
    )


def _find_wrong_parts(value: Any, kind: Any) -> Iterator[str]:
    """Describe the items, keys and values inside of *value* that have a wrong type."""
    origin, inner = get_origin(kind), get_args(kind)
    if _is_subclass(origin, Mapping) and isinstance(value, Mapping):
        yield from (f"but it has the key {key!r}" for key in value if not _is_convertible(key, inner[0]))
        yield from (
            f"but {k!r} is {_format_value(v)}" for k, v in value.items() if not _is_convertible(v, inner[1])
        )
    elif _is_subclass(origin, Collection) and isinstance(value, tuple | list):
        yield from (
            f"but item {number} is {_format_value(item)}"
            for number, item in enumerate(value, 1)
            if not _is_convertible(item, inner[0])
        )


def _is_convertible(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(thaw(value))
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}..."
