"""Values: frozen, slotted, keyword-only classes that cost next to nothing to define.

`dataclasses` writes and compiles the methods of every class that is imported, for which a process that
answers one call waits, and which it hardly uses. Here methods read a table, drawn up when the first object of
a class is made; and only a class of which many are made has methods compiled for it.
Whatever asks `dataclasses` about a record is answered as if it were one of theirs.
"""

from __future__ import annotations

from reprlib import recursive_repr

from hookline._shape import MISSING, Field, Shape, first_init

TYPE_CHECKING = False
if not TYPE_CHECKING:

    def dataclass_transform(**told: object) -> Callable[[T], T]:
        """For type checkers alone, as is `overload`."""
        return lambda made: made

    overload = dataclass_transform()

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from dataclasses import asdict, replace
    from typing import Any, TypeVar, dataclass_transform, overload

    T = TypeVar("T")

__all__ = ["MISSING", "Field", "asdict", "field", "fields", "record", "replace"]


@overload
def field(*, default: T, repr: bool = True, compare: bool = True) -> T: ...
@overload
def field(*, default_factory: Callable[[], T], repr: bool = True, compare: bool = True) -> T: ...
@overload
def field(*, repr: bool = True, compare: bool = True) -> Any: ...
def field(
    *,
    default: Any = MISSING,
    default_factory: Any = MISSING,
    repr: bool = True,  # noqa: A002 -- the names are those of dataclasses
    compare: bool = True,
) -> Any:
    """A field of which more is to be said than a type and a default."""
    return Field(default, default_factory, shown=repr, compare=compare)


@overload
def record(cls: type[T], /) -> type[T]: ...
@overload
def record(
    *, frozen: bool = True, kw_only: bool = True, eq: bool = True, slots: bool = True
) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(
    cls: type | None = None,
    /,
    *,
    frozen: bool = True,
    kw_only: bool = True,
    eq: bool = True,
    slots: bool = True,
) -> Any:
    """Make a class a record; `slots=False` leaves its objects a dict, for `cached_property`."""

    def make(cls: type) -> type:
        own = {name: kind for name, kind in cls.__annotations__.items() if not _of_class(kind)}
        given = {name: cls.__dict__[name] for name in own if name in cls.__dict__}
        shape = Shape(own, given, frozen=frozen, kw_only=kw_only)
        _check(cls, shape)
        compared = {"__eq__": _equal, "__hash__": _hash if frozen else None}
        methods = {**_ALWAYS, **(_FROZEN if frozen else {}), **(compared if eq else {})}
        shape.cls = _again(cls, shape, methods, () if slots else ("__dict__",))
        return shape.cls

    return make(cls) if cls else make


def _of_class(kind: Any) -> bool:
    return (kind if isinstance(kind, str) else repr(kind)).startswith(("ClassVar", "typing.ClassVar"))


def _check(cls: type, shape: Shape) -> None:
    if "__init__" in cls.__dict__:
        raise TypeError(f"record {cls.__name__!r} has an __init__ of its own; write a __post_init__ instead")
    for name, default in shape.given.items():
        if type(default).__hash__ is None:
            raise ValueError(f"field {name!r} of {cls.__name__!r} has a mutable default; use default_factory")
    for base in cls.__mro__[1:-1]:
        above = base.__dict__.get("__record__")
        if above.sort != shape.sort if above else "__dataclass_fields__" in base.__dict__:
            raise TypeError(f"record {cls.__name__!r} is not of the sort that its base {base.__name__!r} is")


def _again(cls: type, shape: Shape, methods: Mapping[str, Any], more: tuple[str, ...]) -> type:
    """The class once more, for only a new one can have slots."""
    left_out = {"__dict__", "__weakref__", *shape.given}
    space = {name: value for name, value in cls.__dict__.items() if name not in left_out}
    if space.get("__hash__", 0) is None:  # Python put it there, because there is an `__eq__`
        del space["__hash__"]
    above = {name for base in cls.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
    space |= {
        "__slots__": (*(name for name in shape.annotations if name not in above), *more),
        "__match_args__": () if shape.kw_only else (*getattr(cls, "__match_args__", ()), *shape.annotations),
        "__record__": shape,
        "__init__": first_init(shape),
    }
    return type(cls)(cls.__name__, cls.__bases__, {**methods, **space})


def _equal(self: Any, other: object) -> Any:
    if self is other:
        return True
    compared = self.__record__.compared
    return compared(self) == compared(other) if type(self) is type(other) else NotImplemented


def _hash(self: Any) -> int:
    return hash(self.__record__.compared(self))


@recursive_repr("...")
def _repr(self: Any) -> str:
    shown = ", ".join([f"{name}={getattr(self, name)!r}" for name in self.__record__.shown])
    return f"{type(self).__qualname__}({shown})"


def _getstate(self: Any) -> tuple[Any, ...]:
    return self.__record__.values(self)  # type: ignore[no-any-return]


def _setstate(self: Any, state: tuple[Any, ...]) -> None:
    for put, value in zip(self.__record__.puts, state, strict=True):
        put(self, value)


def _setattr(self: Any, name: str, value: Any) -> None:
    _refuse(self, name, "assign to")
    object.__setattr__(self, name, value)


def _delattr(self: Any, name: str) -> None:
    _refuse(self, name, "delete")
    object.__delattr__(self, name)


def _refuse(self: Any, name: str, what: str) -> None:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 -- nobody should need it

    if type(self) is self.__record__.cls or name in self.__record__.fields:
        raise FrozenInstanceError(f"cannot {what} field {name!r}")


class _OfDataclass:
    """What `dataclasses` wants to know of a class, found out when it asks."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, one: Any, cls: Any) -> Any:
        from hookline import _compiled  # noqa: PLC0415 -- few need it

        return getattr(_compiled.dataclass_of(cls.__record__), self.name)


_ALWAYS = {
    **{name: _OfDataclass(name) for name in ("__dataclass_fields__", "__dataclass_params__")},
    "__repr__": _repr,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
}
_FROZEN = {"__setattr__": _setattr, "__delattr__": _delattr}


def fields(of: Any) -> tuple[Field, ...]:
    """The fields of a record or of a class of records, those of its bases first."""
    return tuple(of.__record__.fields.values())


if not TYPE_CHECKING:  # mypy knows the names and types of what theirs may change

    def replace(old: T, /, **changes: Any) -> T:
        """The same record with some fields changed."""
        shape = getattr(old, "__record__", None)
        if shape and shape.cls is type(old):
            return shape.replace(old, **changes)
        import dataclasses  # noqa: PLC0415 -- somebody's own class, which may have a record for its base

        return dataclasses.replace(old, **changes)

    def asdict(one: Any) -> dict[str, Any]:
        """The record as a dict, and so are the records in it; what else it holds is not copied."""
        return {name: _plain(getattr(one, name)) for name in one.__record__.fields}


def _plain(value: Any) -> Any:
    if hasattr(type(value), "__record__"):
        return asdict(value)
    if isinstance(value, dict):
        return type(value)({_plain(key): _plain(item) for key, item in value.items()})
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_plain, value))
    return type(value)(map(_plain, value)) if isinstance(value, list | tuple) else value
