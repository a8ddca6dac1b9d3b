"""JSON values that cannot be changed in place, so that no hook alters an event behind the chain's back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn


class Frozen(dict[str, "Any"]):
    """A dict that refuses to change: answer with `modify(...)` instead."""

    __slots__ = ()

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("an event cannot be changed in place; answer with modify(...)")

    __setitem__ = __delitem__ = _refuse
    clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __reduce__(self) -> tuple[type[Frozen], tuple[dict[str, Any]]]:
        return Frozen, (dict(self),)


NOTHING = Frozen()
"""Of which one is enough for all, because it cannot be changed."""


def frozen(value: Any, depth: int = 0) -> Any:
    """The same JSON value, with objects as `Frozen` and lists as tuples, down to `DEEPEST`."""
    if type(value) in PLAIN or depth >= DEEPEST:
        return value
    if isinstance(value, dict | Mapping):
        depth += 1
        return Frozen(
            {key: item if type(item) in PLAIN else frozen(item, depth) for key, item in value.items()}
        )
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return tuple(frozen(item, depth + 1) for item in value)
    return value


def thawed(value: Any, depth: int = 0) -> Any:
    """The plain, changeable copy of a frozen value, for encoders and for building a changed one."""
    if depth < DEEPEST and isinstance(value, Mapping):
        return {key: thawed(item, depth + 1) for key, item in value.items()}
    if depth < DEEPEST and isinstance(value, tuple | list):
        return [thawed(item, depth + 1) for item in value]
    return value


def plain(value: Any) -> Any:
    """For an encoder of JSON, what it does not know itself; raises `TypeError` for what is no JSON."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} is no JSON")


PLAIN = frozenset({str, int, float, bool, type(None)})
DEEPEST = 100
"""Levels: nobody means more, and a payload nested to break us must not."""
