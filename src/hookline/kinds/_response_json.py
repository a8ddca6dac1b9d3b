"""Conversion of responses to JSON and back; every field from a worker is validated."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from msgspec.structs import asdict

from hookline.core.frozen import freeze, thaw
from hookline.core.kind import HookFailed
from hookline.core.response import WEIGHT, Count, Effect, Measure, Notify, Response

_EFFECTS: Mapping[str, type[Effect]] = {"notify": Notify, "count": Count, "measure": Measure}
_SPAN_LENGTH = 2  # start and end


def response_to_json(response: Response) -> dict[str, Any]:
    """Return *response* as a JSON object; the encoder checks that its free values are JSON."""
    effects = [{"effect": type(effect).__name__.lower(), **asdict(effect)} for effect in response.effects]
    plain = {field.name: thaw(getattr(response, field.name)) for field in fields(Response)}
    return {**plain, "effects": effects}


def response_from_json(data: Any) -> Response:
    """Return the response in *data*; raise `HookFailed` if it is invalid."""
    if not isinstance(data, dict):
        raise HookFailed(f"returned {type(data).__name__}, not a Response or None")
    for name, value in data.items():
        if name not in CHECKS or not CHECKS[name](value):
            raise HookFailed(f"returned a Response with an invalid {name!r}: {_shorten(value)}")
    effects = tuple(_make_effect(**effect) for effect in data.get("effects", ()))
    return Response(**{**freeze(data), "effects": effects})


def _make_effect(*, effect: str, **values: Any) -> Effect:
    return _EFFECTS[effect](**values)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_text_list(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_span(value: Any) -> bool:
    return value is None or (
        isinstance(value, list) and len(value) == _SPAN_LENGTH and all(map(_is_integer, value))
    )


def _is_effect(value: Any) -> bool:
    match value:
        case {"effect": "notify", "title": str(), "text": str(), **rest}:
            return not rest
        case {"effect": "count", "name": str(), "by": int() as by, **rest}:
            return _is_integer(by) and not rest
        case {"effect": "measure", "name": str(), "value": int() | float() as value, **rest}:
            return not isinstance(value, bool) and not rest
    return False


CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "verdict": lambda value: _is_text(value) and value in WEIGHT,
    "reason": _is_text,
    "note": _is_text,
    "rule": _is_text,
    "span": _is_span,
    "context": _is_text_list,
    "warnings": _is_text_list,
    "changes": lambda value: isinstance(value, dict),
    "replace_context": lambda value: isinstance(value, bool),
    "private": lambda value: isinstance(value, bool),
    "effects": lambda value: isinstance(value, list) and all(map(_is_effect, value)),
    "memory": lambda value: isinstance(value, dict),
}


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"  # noqa: PLR2004 -- a line of a terminal
