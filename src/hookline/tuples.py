"""Named tuples that cost next to nothing to define; a type checker takes them for those of `typing`.

Those have their `__new__` compiled when they are defined. Here that waits until many of a class are made: a
process that answers one call defines dozens, and makes a few of each.
"""

from __future__ import annotations

from _collections import _tuplegetter  # type: ignore[import-not-found]  # the accessor that named tuples have

TYPE_CHECKING = False
OFTEN = 64
"""Objects of a class after which its `__new__` is compiled."""

if TYPE_CHECKING:
    from typing import Any
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 -- what others import from here
else:

    class _Named(type):
        """Makes a tuple of whatever is declared below `NamedTuple`."""

        def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, space)
            fields = tuple(space.get("__annotations__", ()))
            usual = {field: space[field] for field in fields if field in space}
            _refuse_gaps(name, fields, usual)
            own = {field: _tuplegetter(at, "") for at, field in enumerate(fields)}
            about = {"_fields": fields, "_field_defaults": usual, "__match_args__": fields, "__slots__": ()}
            made = type(name, (tuple,), {**_METHODS, **space, **about, **own})
            made.__new__ = _first_new(fields, usual)
            return made

    class NamedTuple(metaclass=_Named):
        """Fields are declared as in a class of `typing.NamedTuple`."""


def _refuse_gaps(name: str, fields: tuple[str, ...], usual: dict[str, Any]) -> None:
    for field in fields[len(fields) - len(usual) :]:
        if field not in usual:
            raise TypeError(f"{name}: the field {field!r} has no default, and stands behind one that has")


def _first_new(fields: tuple[str, ...], usual: dict[str, Any]) -> Any:
    """A `__new__` that reads a table, and gives way to a compiled one."""
    made = 0

    def new(cls: type, *values: Any, **given: Any) -> Any:
        nonlocal made
        made += 1
        known, rest = {**usual, **given}, fields[len(values) :]
        right = known.keys() >= {*rest} and given.keys() <= {*rest} and len(values) <= len(fields)
        if made > OFTEN or not right:
            return _compiled(cls, fields, usual)(cls, *values, **given)  # which says best what is wrong
        return tuple.__new__(cls, (*values, *(known[field] for field in rest)))

    return new


def _compiled(cls: type, fields: tuple[str, ...], usual: dict[str, Any]) -> Any:
    whole = "".join(f"{field}, " for field in fields)
    code = f"lambda cls_, {whole}: new_(cls_, ({whole}))"
    new = eval(code, {"new_": tuple.__new__, "__builtins__": {}})  # noqa: S307 -- names of fields, nothing else
    new.__name__, new.__qualname__ = "__new__", f"{cls.__name__}.__new__"
    new.__defaults__ = (*usual.values(),)
    for one in cls.__mro__:
        if "_fields" in one.__dict__:
            type.__setattr__(one, "__new__", new)
    return new


def _make(cls: Any, values: Any) -> Any:
    return cls(*values)


def _replace(self: Any, /, **changes: Any) -> Any:
    if unknown := changes.keys() - {*self._fields}:
        raise ValueError(f"got unexpected field names: {sorted(unknown)!r}")
    return type(self)(*(changes.get(field, value) for field, value in zip(self._fields, self, strict=True)))


def _asdict(self: Any) -> dict[str, Any]:
    return dict(zip(self._fields, self, strict=True))


def _repr(self: Any) -> str:
    told = ", ".join(f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True))
    return f"{type(self).__name__}({told})"


def _arguments(self: Any) -> tuple[Any, ...]:
    return tuple(self)


_METHODS = {
    "_make": classmethod(_make),
    "_replace": _replace,
    "_asdict": _asdict,
    "__repr__": _repr,
    "__getnewargs__": _arguments,
}
