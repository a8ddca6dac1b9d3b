"""The methods of records of which many are made, compiled for their class; and their like as dataclasses."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from hookline._shape import MISSING, Field, Shape, fill


def init(shape: Shape) -> Callable[..., None]:
    """`__init__` as one would write it by hand."""
    fields = list(enumerate(shape.fields.values()))
    head = [f"{one.name}{_usual(at, one)}" for at, one in fields]
    values = {one.name: _value(at, one) for at, one in fields}
    filled = f"return fill_(shape_, self_, {_tuple(values.values())})"
    body = [
        "if type_(self_) is not class_:",
        f" {filled}",
        "become_(self_, twin_)",
        *_assigned(shape, values),
    ]
    whole = body if twin(shape.cls) else [filled]
    return _function(shape, ["self_", "/", *_named(head, kw_only=shape.kw_only)], whole)


def _usual(at: int, one: Field) -> str:
    if one.needed:
        return ""
    return f"=default{at}_" if one.default_factory is MISSING else "=missing_"


def _value(at: int, one: Field) -> str:
    if one.default_factory is MISSING:
        return one.name
    return f"factory{at}_() if {one.name} is missing_ else {one.name}"


def replace(shape: Shape) -> Callable[..., Any]:
    """A copy of the first argument, in which whatever else is given is changed."""
    head = [f"{name}=missing_" for name in shape.fields]
    values = {name: f"old_.{name} if {name} is missing_ else {name}" for name in shape.fields}
    body = ["self_ = new_(twin_)", *_assigned(shape, values)]
    filled = ["self_ = new_(class_)", f"fill_(shape_, self_, {_tuple(values.values())})"]
    whole = [*(body if twin(shape.cls) else filled), "return self_"]
    return _function(shape, ["old_", "/", *_named(head, kw_only=True)], whole)


def _named(parameters: Sequence[str], *, kw_only: bool) -> Sequence[str]:
    return ["*", *parameters] if kw_only and parameters else parameters


def _tuple(values: Iterable[str]) -> str:
    return f"({''.join(f'{one}, ' for one in values)})"


def _assigned(shape: Shape, values: Mapping[str, str]) -> Sequence[str]:
    """Lines that put the *values* into a twin, and make one of the class of it."""
    after = ["self_.__post_init__()"] if shape.post else []
    return [
        *(f"self_.{name} = {value}" for name, value in values.items()),
        "self_.__class__ = class_",
        *after,
    ]


@cache
def twin(cls: type) -> type | None:
    """A class whose objects can become those of *cls*, and do not refuse what is put into them until then.

    None where a base wants to know of every class below it: this one must be known to nobody.
    """
    if any("__init_subclass__" in base.__dict__ for base in cls.__mro__[:-1]):
        return None
    space = {"__slots__": cls.__dict__["__slots__"], "__setattr__": object.__setattr__}
    return type(cls.__name__, cls.__bases__, space)


def _function(shape: Shape, head: Sequence[str], body: Sequence[str]) -> Callable[..., Any]:
    fields = list(enumerate(shape.fields.values()))
    known = {
        **{f"default{at}_": one.default for at, one in fields},
        **{f"factory{at}_": one.default_factory for at, one in fields},
        "missing_": MISSING,
        "new_": object.__new__,
        "class_": shape.cls,
        "type_": type,
        "twin_": twin(shape.cls),
        "become_": object.__dict__["__class__"].__set__,
        "fill_": fill,
        "shape_": shape,
    }
    lines = [f"def __init__({', '.join(head)}):", *body]
    exec("\n ".join(lines), known)  # noqa: S102 -- names of fields and nothing else
    made: Callable[..., Any] = known["__init__"]
    made.__qualname__, made.__module__ = f"{shape.cls.__qualname__}.__init__", shape.cls.__module__
    return made


@cache
def dataclass_of(shape: Shape) -> type:
    """A dataclass with the same fields."""
    from dataclasses import field, make_dataclass  # noqa: PLC0415 -- what is compiled does not need it

    def same(one: Field) -> Any:
        shared = type(one.default).__hash__ is None  # which it takes for one that can be changed
        factory = (lambda: one.default) if shared else one.default_factory
        known = {"default": MISSING if shared else one.default, "default_factory": factory}
        given = {name: value for name, value in known.items() if value is not MISSING}
        return field(**given, repr=one.repr, compare=one.compare)

    fields = [(one.name, one.type, same(one)) for one in shape.fields.values()]
    return make_dataclass(shape.cls.__name__, fields, frozen=shape.frozen, kw_only=shape.kw_only)
