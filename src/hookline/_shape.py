"""What is known of a class of records, and how its objects are made until there are many of them."""

from __future__ import annotations

from operator import attrgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

MISSING: Any = type("Missing", (), {"__slots__": (), "__repr__": lambda self: "MISSING"})()
OFTEN = 64
"""Objects of a class, after which compiling its methods has paid off."""


class Field:
    """One field of a record."""

    __slots__ = ("compare", "default", "default_factory", "name", "repr", "type")
    name: str
    type: Any

    def __init__(self, default: Any, default_factory: Any = MISSING, *, shown: bool, compare: bool) -> None:
        self.default, self.default_factory, self.repr, self.compare = default, default_factory, shown, compare

    @property
    def needed(self) -> bool:
        return self.default is MISSING and self.default_factory is MISSING

    def usual(self) -> Any:
        """What it is where it is not given."""
        return self.default if self.default_factory is MISSING else self.default_factory()


class Shape:
    """What is known of a class of records; from `fields` on it is found out when it is first asked for."""

    __slots__ = (
        *("annotations", "cls", "frozen", "given", "kw_only", "made", "replace"),
        *("compared", "fields", "needed", "post", "puts", "shown", "values"),
    )
    cls: type
    replace: Callable[..., Any]
    fields: Mapping[str, Field]
    needed: frozenset[str]
    puts: tuple[Callable[[Any, Any], None], ...]
    values: Callable[[Any], tuple[Any, ...]]
    compared: Callable[[Any], tuple[Any, ...]]
    shown: tuple[str, ...]
    post: bool

    def __init__(
        self, annotations: Mapping[str, Any], given: Mapping[str, Any], *, frozen: bool, kw_only: bool
    ) -> None:
        self.annotations, self.given, self.frozen, self.kw_only = annotations, given, frozen, kw_only
        self.made = 0
        self.replace = _first_replace(self)

    @property
    def sort(self) -> tuple[bool, bool]:
        return self.frozen, self.kw_only

    def __getattr__(self, name: str) -> Any:
        fields = _inherited(self.cls) | _own(self)
        self.needed = frozenset(name for name, one in fields.items() if one.needed)
        self.shown = tuple(name for name, one in fields.items() if one.repr)
        self.compared = _reader([name for name, one in fields.items() if one.compare])
        self.values = _reader(list(fields))
        self.puts = tuple(getattr(self.cls, name).__set__ for name in fields)
        self.post = hasattr(self.cls, "__post_init__")
        self.fields = fields
        return object.__getattribute__(self, name)


def _inherited(cls: type) -> dict[str, Field]:
    above = (base.__dict__["__record__"] for base in cls.__mro__[:0:-1] if "__record__" in base.__dict__)
    return {name: one for shape in above for name, one in shape.fields.items()}


def _own(shape: Shape) -> dict[str, Field]:
    own = {}
    for name, kind in shape.annotations.items():
        given = shape.given.get(name, MISSING)
        own[name] = given if isinstance(given, Field) else Field(given, shown=True, compare=True)
        own[name].name, own[name].type = name, kind
    return own


def _reader(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)  # for one name it would give no tuple
    return lambda one: tuple([getattr(one, name) for name in names])


def first_init(shape: Shape) -> Callable[..., None]:
    def __init__(self: Any, /, *given: Any, **named: Any) -> None:  # noqa: N807 -- it becomes one
        shape.made += 1
        values = _arguments(shape, given, named) if shape.made <= OFTEN else None
        if values is None:  # or arguments that do not fit, about which Python itself complains best
            from hookline import _compiled  # noqa: PLC0415 -- few need it

            compiled = shape.cls.__init__ = _compiled.init(shape)  # type: ignore[misc]  # of a class as any
            return compiled(self, *given, **named)
        return fill(shape, self, values.values())

    return __init__


def _arguments(shape: Shape, given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any] | None:
    """What each field becomes, in their order; None where the arguments do not fit."""
    fields = shape.fields
    if given:
        count = len(given) + len(named)
        named = {**dict(zip(fields, given, strict=False)), **named}
        if shape.kw_only or len(named) != count:
            return None
    if not shape.needed <= named.keys() <= fields.keys():
        return None
    return {name: named[name] if name in named else one.usual() for name, one in fields.items()}


def fill(shape: Shape, new: Any, values: Iterable[Any]) -> None:
    for put, value in zip(shape.puts, values, strict=True):
        put(new, value)
    if shape.post:
        new.__post_init__()


def _first_replace(shape: Shape) -> Callable[..., Any]:
    def replace(old: Any, /, **changes: Any) -> Any:
        shape.made += 1
        values = {**dict(zip(shape.fields, shape.values(old), strict=True)), **changes}
        if shape.made > OFTEN or len(values) > len(shape.fields):
            from hookline import _compiled  # noqa: PLC0415 -- few need it

            shape.replace = _compiled.replace(shape)
            return shape.replace(old, **changes)
        new: Any = object.__new__(shape.cls)
        fill(shape, new, values.values())
        return new

    return replace
