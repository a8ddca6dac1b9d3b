"""Immutable JSON values, so that no hook can change an event in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn


class Frozen(dict[str, "Any"]):
    """An immutable dict; a hook changes an event by returning `modify(...)`."""

    __slots__ = ()

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("an event is immutable; return modify(...) to change it")

    __setitem__ = __delitem__ = _refuse
    clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __reduce__(self) -> tuple[type[Frozen], tuple[dict[str, Any]]]:
        return Frozen, (dict(self),)


EMPTY = Frozen()
"""The empty mapping; it is immutable, so it can be shared."""


def freeze(value: Any, depth: int = 0) -> Any:
    """Return a JSON value with objects as `Frozen` and lists as tuples, down to `MAX_DEPTH` levels."""
    if type(value) in SCALARS or depth >= MAX_DEPTH:
        return value
    if isinstance(value, dict | Mapping):
        depth += 1
        return Frozen(
            {key: item if type(item) in SCALARS else freeze(item, depth) for key, item in value.items()}
        )
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return tuple(freeze(item, depth + 1) for item in value)
    return value


def thaw(value: Any, depth: int = 0) -> Any:
    """Return a mutable copy of a frozen value, with dicts and lists."""
    if depth < MAX_DEPTH and isinstance(value, Mapping):
        return {key: thaw(item, depth + 1) for key, item in value.items()}
    if depth < MAX_DEPTH and isinstance(value, tuple | list):
        return [thaw(item, depth + 1) for item in value]
    return value


def encode_mapping(value: Any) -> Any:
    """Return a mapping as a dict, for the `default` of a JSON encoder; raise `TypeError` for other types."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a value of type {type(value).__name__} is not JSON")


SCALARS = frozenset({str, int, float, bool, type(None)})
MAX_DEPTH = 100
"""Maximum levels of nesting, so that a hostile payload cannot exhaust the stack."""
