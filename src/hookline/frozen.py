"""JSON values that cannot be changed in place, so that no hook alters an event behind the chain's back."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn


class Frozen(dict[str, Any]):
    """A dict that refuses to change: answer with `modify(...)` instead."""

    __slots__ = ()

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("an event cannot be changed in place; answer with modify(...)")

    __setitem__ = __delitem__ = _refuse
    clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __reduce__(self) -> tuple[type["Frozen"], tuple[dict[str, Any]]]:
        return Frozen, (dict(self),)


def frozen(value: Any) -> Any:
    """The same JSON value, with objects as `Frozen` and lists as tuples, all the way down."""
    if isinstance(value, Mapping):
        return Frozen({key: frozen(item) for key, item in value.items()})
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return tuple(frozen(item) for item in value)
    return value


def thawed(value: Any) -> Any:
    """The plain, changeable copy of a frozen value, for encoders and for building a changed one."""
    if isinstance(value, Mapping):
        return {key: thawed(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [thawed(item) for item in value]
    return value
