"""A response as JSON and back, checked field by field: nothing that a worker says is taken on trust."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from msgspec.structs import asdict

from hookline.core.frozen import frozen, thawed
from hookline.core.kind import HookFailed
from hookline.core.response import WEIGHT, Count, Effect, Measure, Notify, Response

_EFFECTS: Mapping[str, type[Effect]] = {"notify": Notify, "count": Count, "measure": Measure}
_SPAN = 2  # from and to


def response_to_json(response: Response) -> dict[str, Any]:
    """The *response* as a JSON object; whether its free values are JSON is for the encoder to find out."""
    effects = [{"effect": type(effect).__name__.lower(), **asdict(effect)} for effect in response.effects]
    plain = {one.name: thawed(getattr(response, one.name)) for one in fields(Response)}
    return {**plain, "effects": effects}


def response_from_json(said: Any) -> Response:
    """The response that was said; raises `HookFailed` if it is none."""
    if not isinstance(said, dict):
        raise HookFailed(f"answered with {type(said).__name__}, not with a Response or None")
    for name, value in said.items():
        if name not in CHECKS or not CHECKS[name](value):
            raise HookFailed(f"gave a Response whose {name!r} is {_short(value)}, which cannot be")
    effects = tuple(_effect(**effect) for effect in said.get("effects", ()))
    return Response(**{**frozen(said), "effects": effects})


def _effect(*, effect: str, **values: Any) -> Effect:
    return _EFFECTS[effect](**values)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value))


def _number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_span(value: Any) -> bool:
    return value is None or (isinstance(value, list) and len(value) == _SPAN and all(map(_number, value)))


def _is_effect(value: Any) -> bool:
    match value:
        case {"effect": "notify", "title": str(), "text": str(), **rest}:
            return not rest
        case {"effect": "count", "name": str(), "by": int() as by, **rest}:
            return _number(by) and not rest
        case {"effect": "measure", "name": str(), "value": int() | float() as value, **rest}:
            return not isinstance(value, bool) and not rest
    return False


CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "verdict": lambda value: _text(value) and value in WEIGHT,
    "reason": _text,
    "note": _text,
    "rule": _text,
    "span": _is_span,
    "context": _texts,
    "warnings": _texts,
    "changes": lambda value: isinstance(value, dict),
    "replace_context": lambda value: isinstance(value, bool),
    "private": lambda value: isinstance(value, bool),
    "effects": lambda value: isinstance(value, list) and all(map(_is_effect, value)),
    "memory": lambda value: isinstance(value, dict),
}


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:80]}…"  # noqa: PLR2004 -- a line of a terminal
