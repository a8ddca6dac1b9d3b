"""Parameter expansion: the value of `$name` and `${name…}` with its operators, as far as it is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.lazy import re
from hookline.shell.result import UNKNOWN
from hookline.shell.shell_state import (
    HOLE,
    ShellState,
    limit_values,
    lookup,
    set_variable,
    spend,
    unset_value,
)
from hookline.shell.syntax import Param, Part

ExpandText: TypeAlias = Callable[[tuple[Part, ...]], str]
"""Expands parts to one string."""

_MAX_PATTERN_TEXT = 1_000
"""Maximum characters of a value that is matched with a pattern, since each position may be tried."""
_MAX_STARS = 1
"""Maximum `*` in a pattern; more than one makes matching quadratic."""
_SUBSTRING_BOUNDS = re.compile(r"\s*(-?\d{1,6})\s*(?::\s*(-?\d{1,6})\s*)?", re.ASCII)
_KEY_PREFIX = re.compile(r"\A\[[\w.-]*\]=", re.ASCII)
_INDEX = re.compile(r"-?\d{1,6}", re.ASCII)
_DEFAULT_OPERATORS = frozenset({":-", "-", ":=", "=", ":+", "+", ":?", "?"})


def is_never_set(state: ShellState, param: Param) -> bool:
    """Return whether nothing in the line sets the parameter."""
    return param.name not in state.variables and param.name not in ("?", "!", "$", "#", "-", "_")


def is_plain_variable(state: ShellState, param: Param) -> bool:
    """Return whether *param* is a plain `$name` of a variable that is not an array."""
    return (
        not param.op
        and not param.subscript
        and param.name.isidentifier()
        and param.name + "[]" not in state.variables
        and param.name not in state.namerefs
    )


def expand_parameter(state: ShellState, param: Param, expand: ExpandText) -> tuple[str, ...]:
    """Return the words that *param* expands to: one value, or the items of an array."""
    items = _array_items(state, param)
    if items is None:
        value = _apply_operator(state, param, _current_value(state, param, expand), expand)
        return (
            unset_value(state)
            if value == UNKNOWN and param.op not in _DEFAULT_OPERATORS and is_never_set(state, param)
            else value,
        )
    if param.op == "len":
        return (str(len(items)),)
    if param.op == ":":
        items = _slice_items(param, items, expand(param.arg))
    elif param.op:
        return tuple(_apply_operator(state, param, item, expand) for item in items) or (
            _apply_operator(state, param, None, expand),
        )
    return (" ".join(items),) if param.name == "*" or param.subscript == ("*",) else items


def _slice_items(param: Param, items: tuple[str, ...], bounds: str) -> tuple[str, ...]:
    """Return the items of `${array[@]:start:length}`; all of them if the bounds are unknown."""
    match = _SUBSTRING_BOUNDS.fullmatch(bounds)
    if match is None:
        return items
    start = int(match.group(1))
    start -= param.name in ("@", "*") and start > 0  # position 0 is the name of the script
    rest = items[start:]
    return rest if match.group(2) is None else rest[: int(match.group(2))]


def find_default_parts(state: ShellState, param: Param, expand: ExpandText) -> tuple[Part, ...] | None:
    """Return the words after `:-` and similar operators if they apply, with their quotes; otherwise None."""
    if param.op not in _DEFAULT_OPERATORS or param.op[-1] in "?=" or _array_items(state, param) is not None:
        return None
    never_set, missing = _check_missing(state, param, _current_value(state, param, expand))
    if never_set:
        return param.arg if param.op[-1] == "-" else None
    return param.arg if missing == (param.op[-1] == "-") else None


def _check_missing(state: ShellState, param: Param, value: str | None) -> tuple[bool, bool]:
    """Return whether the line never set the parameter, and whether it counts as having no value."""
    never_set = value == UNKNOWN and param.name not in state.variables
    return never_set, value is None or never_set or (":" in param.op and value == "")


def _array_items(state: ShellState, param: Param) -> tuple[str, ...] | None:
    """Return the items of an array that is expanded as a whole; None for other parameters."""
    if param.name in ("@", "*"):
        return state.variables.get("@[]", (UNKNOWN,))
    if param.subscript in (("@",), ("*",)):
        name = state.namerefs.get(param.name, param.name)
        items = state.variables.get(name + "[]")
        if items is None:
            return (lookup(state, name) or "",)
        return tuple(_KEY_PREFIX.sub("", item, count=1) for item in items if item != HOLE)
    return None


def _current_value(state: ShellState, param: Param, expand: ExpandText) -> str | None:
    if param.name == "#":
        return str(len(state.variables["@[]"])) if "@[]" in state.variables else UNKNOWN
    if param.name.isdecimal():
        return _positional_value(state, int(param.name[:6]))
    name = state.namerefs.get(param.name, param.name)
    if param.op.startswith("!") and param.name not in state.namerefs:
        name = lookup(state, param.name) or UNKNOWN
    if UNKNOWN in name:
        return UNKNOWN
    array = state.variables.get(name + "[]")
    if array is None:
        return lookup(state, name)
    index = expand(param.subscript) if param.subscript else "0"
    exact = _array_item(array, index)
    is_literal = len(param.subscript) == 1 and param.subscript[0] == index
    if not param.subscript or (is_literal and exact != UNKNOWN):
        return exact
    # A counter has other values in later rounds of its loop, so that any item may be meant.
    items = limit_values(_KEY_PREFIX.sub("", item, count=1) for item in array if item != HOLE)
    state.alternative_count = max(state.alternative_count, len(items))
    return items[min(state.alternative, len(items) - 1)] if items else exact


def _positional_value(state: ShellState, index: int) -> str | None:
    if index == 0:
        return lookup(state, "0")
    items = state.variables.get("@[]")
    if items is None:
        return UNKNOWN
    return items[index - 1] if index <= len(items) else None


def _array_item(array: tuple[str, ...], index: str) -> str | None:
    if not _INDEX.fullmatch(index):
        key = f"[{index}]="
        return next((item[len(key) :] for item in array if item.startswith(key)), UNKNOWN)
    position = int(index) + (len(array) if index.startswith("-") else 0)
    return array[position] if 0 <= position < len(array) and array[position] != HOLE else None


def _apply_operator(state: ShellState, param: Param, value: str | None, expand: ExpandText) -> str:
    op = param.op.removeprefix("!")
    if op in _DEFAULT_OPERATORS:
        return _apply_default(state, param, value, expand(param.arg))
    arg, replacement = expand(param.arg), expand(param.other)
    if value is None:
        return "0" if op == "len" else ""
    operator = _OPERATORS.get(op)
    if not op or UNKNOWN in value or operator is None:
        return UNKNOWN if op and UNKNOWN not in value else value
    spend(state, 1 + (min(len(value), _MAX_PATTERN_TEXT) ** 2 >> 8))
    return operator(value, arg, replacement)


def _apply_default(state: ShellState, param: Param, value: str | None, default: str) -> str:
    """Apply a default operator; a variable that the line never sets counts as unset."""
    never_set, missing = _check_missing(state, param, value)
    kind = param.op[-1]
    if kind == "+":
        return UNKNOWN if never_set else "" if missing else default
    if value is not None and not missing:
        return value
    if kind == "=":
        set_variable(state, param.name, default)
    return UNKNOWN if kind == "?" else default


def _compile_glob(pattern: str, value: str) -> re.Pattern[str] | None:
    """Return the shell pattern as a regular expression, or None if matching it could take long."""
    if UNKNOWN in pattern or len(value) > _MAX_PATTERN_TEXT or pattern.count("*") > _MAX_STARS:
        return None
    if "[" in pattern or "\\" in pattern or "(" in pattern:
        return None
    return re.compile("".join({"*": "(?s:.*)", "?": "(?s:.)"}.get(char, re.escape(char)) for char in pattern))


def _remove_prefix(value: str, pattern: str, *, longest: bool) -> str:
    glob = _compile_glob(pattern, value)
    if glob is None:
        return UNKNOWN
    ends = range(len(value), -1, -1) if longest else range(len(value) + 1)
    return next((value[end:] for end in ends if glob.fullmatch(value, 0, end)), value)


def _remove_suffix(value: str, pattern: str, *, longest: bool) -> str:
    glob = _compile_glob(pattern, value)
    if glob is None:
        return UNKNOWN
    starts = range(len(value) + 1) if longest else range(len(value), -1, -1)
    return next((value[:start] for start in starts if glob.fullmatch(value, start)), value)


def _replace(value: str, pattern: str, replacement: str, *, count: int) -> str:
    glob = _compile_glob(pattern, value)
    if glob is None or not pattern:
        return UNKNOWN if glob is None else value
    return glob.sub(lambda _: replacement, value, count=count)


def _replace_prefix(value: str, pattern: str, replacement: str) -> str:
    rest = _remove_prefix(value, pattern, longest=True)
    return UNKNOWN if rest == UNKNOWN else value if rest == value and pattern else replacement + rest


def _replace_suffix(value: str, pattern: str, replacement: str) -> str:
    rest = _remove_suffix(value, pattern, longest=True)
    return UNKNOWN if rest == UNKNOWN else value if rest == value and pattern else rest + replacement


def _substring(value: str, bounds: str, _: str) -> str:
    match = _SUBSTRING_BOUNDS.fullmatch(bounds)
    if match is None:
        return UNKNOWN
    start = int(match.group(1))
    rest = value[start:] if start >= -len(value) else ""
    return rest if match.group(2) is None else rest[: int(match.group(2))]


def _apply_transform(value: str, letter: str, _: str) -> str:
    transform = {"U": str.upper, "L": str.lower}.get(letter)
    return UNKNOWN if transform is None else transform(value)


_OPERATORS: Mapping[str, Callable[[str, str, str], str]] = {
    "len": lambda value, _arg, _other: str(len(value)),
    "#": lambda value, arg, _: _remove_prefix(value, arg, longest=False),
    "##": lambda value, arg, _: _remove_prefix(value, arg, longest=True),
    "%": lambda value, arg, _: _remove_suffix(value, arg, longest=False),
    "%%": lambda value, arg, _: _remove_suffix(value, arg, longest=True),
    "/": lambda value, arg, other: _replace(value, arg, other, count=1),
    "//": lambda value, arg, other: _replace(value, arg, other, count=0),
    "/#": _replace_prefix,
    "/%": _replace_suffix,
    "^": lambda value, arg, _: UNKNOWN if arg else value[:1].upper() + value[1:],
    "^^": lambda value, arg, _: UNKNOWN if arg else value.upper(),
    ",": lambda value, arg, _: UNKNOWN if arg else value[:1].lower() + value[1:],
    ",,": lambda value, arg, _: UNKNOWN if arg else value.lower(),
    ":": _substring,
    "@": _apply_transform,
}
