"""The value of `$name` and `${name…}` with its operators, as far as it is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.result import UNKNOWN
from hookline.shell.shell_state import HOLE, UNSET, World, look, put
from hookline.shell.syntax import Param, Part

Text: TypeAlias = Callable[[tuple[Part, ...]], str]

_MAX_MATCHED = 1_000
"""Characters of a value that patterns are tried on; every cut may be tried, so longer ones are unknown."""
_MAX_STARS = 1
"""More than one `*` in a pattern makes matching quadratic."""
_SLICE = re.compile(r"\s*(-?\d{1,6})\s*(?::\s*(-?\d{1,6})\s*)?", re.ASCII)
_KEYED = re.compile(r"\[[\w.-]*\]=", re.ASCII)
_INDEX = re.compile(r"-?\d{1,6}", re.ASCII)
_DEFAULTS = frozenset({":-", "-", ":=", "=", ":+", "+", ":?", "?"})


def unseen(world: World, param: Param) -> bool:
    """Whether the line never set it."""
    return param.name not in world.known and param.name not in ("?", "!", "$", "#", "-", "_")


def simple(world: World, param: Param) -> bool:
    """Whether it is a plain `$name` of a variable that is no array."""
    return (
        not param.op
        and not param.subscript
        and param.name.isidentifier()
        and param.name + "[]" not in world.known
        and param.name not in world.refs
    )


def values(world: World, param: Param, text: Text) -> tuple[str, ...]:
    """The words *param* stands for: one, or the items of an array."""
    items = _items(world, param)
    if items is None:
        value = _operate(world, param, _value(world, param, text), text)
        return (UNSET if value == UNKNOWN and param.op not in _DEFAULTS and unseen(world, param) else value,)
    if param.op == "len":
        return (str(len(items)),)
    if param.op:
        return tuple(_operate(world, param, item, text) for item in items) or (
            _operate(world, param, None, text),
        )
    return (" ".join(items),) if param.name == "*" or param.subscript == ("*",) else items


def fallback(world: World, param: Param, text: Text) -> tuple[Part, ...] | None:
    """The words written after `:-` and its like, when those are what counts; quotes in them still hold."""
    if param.op not in _DEFAULTS or param.op[-1] in "?=" or _items(world, param) is not None:
        return None
    never, missing = _missing(world, param, _value(world, param, text))
    if never:
        return param.arg if param.op[-1] == "-" else None
    return param.arg if missing == (param.op[-1] == "-") else None


def _missing(world: World, param: Param, value: str | None) -> tuple[bool, bool]:
    """Whether the line never set it, and whether it counts as having no value."""
    never = value == UNKNOWN and param.name not in world.known
    return never, value is None or never or (":" in param.op and value == "")


def _items(world: World, param: Param) -> tuple[str, ...] | None:
    """The items of an array that is used as a whole; None for everything else."""
    if param.name in ("@", "*"):
        return world.known.get("@[]", (UNKNOWN,))
    if param.subscript in (("@",), ("*",)):
        name = world.refs.get(param.name, param.name)
        found = world.known.get(name + "[]")
        if found is None:
            return (look(world, name) or "",)
        return tuple(_KEYED.sub("", item, count=1) for item in found if item != HOLE)
    return None


def _value(world: World, param: Param, text: Text) -> str | None:
    if param.name == "#":
        return str(len(world.known["@[]"])) if "@[]" in world.known else UNKNOWN
    if param.name.isdecimal():
        return _positional(world, int(param.name[:6]))
    name = world.refs.get(param.name, param.name)
    if param.op.startswith("!") and param.name not in world.refs:
        name = look(world, param.name) or UNKNOWN
    if UNKNOWN in name:
        return UNKNOWN
    array = world.known.get(name + "[]")
    return (
        look(world, name)
        if array is None
        else _item(array, text(param.subscript) if param.subscript else "0")
    )


def _positional(world: World, place: int) -> str | None:
    if place == 0:
        return look(world, "0")
    items = world.known.get("@[]")
    if items is None:
        return UNKNOWN
    return items[place - 1] if place <= len(items) else None


def _item(array: tuple[str, ...], index: str) -> str | None:
    if not _INDEX.fullmatch(index):
        key = f"[{index}]="
        return next((item[len(key) :] for item in array if item.startswith(key)), UNKNOWN)
    place = int(index) + (len(array) if index.startswith("-") else 0)
    return array[place] if 0 <= place < len(array) and array[place] != HOLE else None


def _operate(world: World, param: Param, value: str | None, text: Text) -> str:
    op = param.op.removeprefix("!")
    if op in _DEFAULTS:
        return _default(world, param, value, text(param.arg))
    arg, other = text(param.arg), text(param.other)
    if value is None:
        return "0" if op == "len" else ""
    change = _CHANGES.get(op)
    if not op or UNKNOWN in value or change is None:
        return UNKNOWN if op and UNKNOWN not in value else value
    return change(value, arg, other)


def _default(world: World, param: Param, value: str | None, other: str) -> str:
    """A variable we never saw is taken to be unset: the default is what the line itself can do."""
    never, missing = _missing(world, param, value)
    kind = param.op[-1]
    if kind == "+":
        return UNKNOWN if never else "" if missing else other
    if value is not None and not missing:
        return value
    if kind == "=":
        put(world, param.name, other)
    return UNKNOWN if kind == "?" else other


def _pattern(pattern: str, value: str) -> re.Pattern[str] | None:
    """The shell pattern as a regular expression, unless matching it could take long."""
    if UNKNOWN in pattern or len(value) > _MAX_MATCHED or pattern.count("*") > _MAX_STARS:
        return None
    if "[" in pattern or "\\" in pattern or "(" in pattern:
        return None
    return re.compile("".join({"*": "(?s:.*)", "?": "(?s:.)"}.get(char, re.escape(char)) for char in pattern))


def _cut_front(value: str, pattern: str, *, longest: bool) -> str:
    found = _pattern(pattern, value)
    if found is None:
        return UNKNOWN
    ends = range(len(value), -1, -1) if longest else range(len(value) + 1)
    return next((value[end:] for end in ends if found.fullmatch(value, 0, end)), value)


def _cut_back(value: str, pattern: str, *, longest: bool) -> str:
    found = _pattern(pattern, value)
    if found is None:
        return UNKNOWN
    starts = range(len(value) + 1) if longest else range(len(value), -1, -1)
    return next((value[:start] for start in starts if found.fullmatch(value, start)), value)


def _replace(value: str, pattern: str, other: str, *, count: int) -> str:
    found = _pattern(pattern, value)
    if found is None or not pattern:
        return UNKNOWN if found is None else value
    return found.sub(lambda _: other, value, count=count)


def _replace_front(value: str, pattern: str, other: str) -> str:
    rest = _cut_front(value, pattern, longest=True)
    return UNKNOWN if rest == UNKNOWN else value if rest == value and pattern else other + rest


def _replace_back(value: str, pattern: str, other: str) -> str:
    rest = _cut_back(value, pattern, longest=True)
    return UNKNOWN if rest == UNKNOWN else value if rest == value and pattern else rest + other


def _slice(value: str, bounds: str, _: str) -> str:
    found = _SLICE.fullmatch(bounds)
    if found is None:
        return UNKNOWN
    start = int(found.group(1))
    rest = value[start:] if start >= -len(value) else ""
    return rest if found.group(2) is None else rest[: int(found.group(2))]


def _transform(value: str, letter: str, _: str) -> str:
    change = {"U": str.upper, "L": str.lower}.get(letter)
    return UNKNOWN if change is None else change(value)


_CHANGES: Mapping[str, Callable[[str, str, str], str]] = {
    "len": lambda value, _arg, _other: str(len(value)),
    "#": lambda value, arg, _: _cut_front(value, arg, longest=False),
    "##": lambda value, arg, _: _cut_front(value, arg, longest=True),
    "%": lambda value, arg, _: _cut_back(value, arg, longest=False),
    "%%": lambda value, arg, _: _cut_back(value, arg, longest=True),
    "/": lambda value, arg, other: _replace(value, arg, other, count=1),
    "//": lambda value, arg, other: _replace(value, arg, other, count=0),
    "/#": _replace_front,
    "/%": _replace_back,
    "^": lambda value, arg, _: UNKNOWN if arg else value[:1].upper() + value[1:],
    "^^": lambda value, arg, _: UNKNOWN if arg else value.upper(),
    ",": lambda value, arg, _: UNKNOWN if arg else value[:1].lower() + value[1:],
    ",,": lambda value, arg, _: UNKNOWN if arg else value.lower(),
    ":": _slice,
    "@": _transform,
}
