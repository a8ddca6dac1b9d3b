"""Strict reading of a configuration file: valid values are returned, errors reported with their line."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from hookline.core.registry import describe_unknown
from hookline.policy.line_numbers import REPEAT_SEPARATOR, Path, nearest, repeated_key
from hookline.policy.model import File, Problem

INTEGER_LIMIT = 2**63


class Reader:
    """Collects the problems of one file while it is read."""

    def __init__(self, file: File, lines: Callable[[str], Mapping[Path, int]]) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self._lines_of = lines
        self._lines: Mapping[Path, int] | None = None

    def line(self, path: Path) -> int:
        if self._lines is None:
            self._lines = self._lines_of(self.file.text)
        return nearest(self._lines, path)

    def report(self, path: Path, text: str) -> None:
        self.problems.append(Problem(file=self.file.name, line=self.line(path), text=text))

    def origin(self, path: Path) -> str:
        return f"{self.file.name}:{self.line(path)}"

    def table(self, value: Any, path: Path) -> Mapping[str, Any]:
        """Return the table *value* without repeated keys, which are reported; empty if it is not a table."""
        if not isinstance(value, Mapping):
            self.report(path, f"{describe_path(path)} must be a table of keys, not {describe_type(value)}")
            return {}
        for key in value:
            if is_repeat(key, value):
                name = key.partition(REPEAT_SEPARATOR)[0]
                first_line = self.line((*path, name))
                self.report((*path, key), f"duplicate key {name!r}; it was first set in line {first_line}")
        return without_repeats(value)

    def known_keys(
        self, table: Mapping[str, Any], path: Path, allowed: Iterable[str], noun: str
    ) -> Iterator[str]:
        """Yield the allowed keys; report the others."""
        names = sorted(allowed)
        for key in table:
            if key in names:
                yield key
            else:
                self.report((*path, key), describe_unknown(noun, key, names))

    def check_type(self, value: Any, types: tuple[type, ...], path: Path) -> bool:
        """Return whether *value* has one of the *types* and contains only text; report it otherwise."""
        if isinstance(value, types) and (bool in types or not isinstance(value, bool)):
            items = self.table(value, path).items() if isinstance(value, Mapping) else _items(value)
            return not [step for step, item in items if not self._text(item, (*path, step))]
        names = " or ".join(_NAMES[kind] for kind in types if kind is not int or float not in types)
        self.report(path, f"{describe_path(path)} must be {names}, not {describe_type(value)}")
        return False

    def _text(self, value: Any, path: Path) -> bool:
        if not isinstance(value, str):
            self.report(path, f"{describe_path(path)} must be text, not {describe_type(value)}")
        return isinstance(value, str)


def is_repeat(key: str, table: Mapping[str, Any]) -> bool:
    """Return whether *key* is the name of a repeated key."""
    name, _, times = key.partition(REPEAT_SEPARATOR)
    return bool(times) and name in table


def without_repeats(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the *table* without repeated keys."""
    return {key: item for key, item in table.items() if not is_repeat(key, table)}


def keys_named(table: Any, name: str) -> Iterator[str]:
    """Yield the key *name* of the *table* and its repetitions."""
    times = 0
    while isinstance(table, Mapping) and (key := repeated_key(name, times)) in table:
        yield key
        times += 1


def keep_repeats(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON table that keeps repeated keys, under the names that `repeated_key` returns."""
    table = dict(pairs)
    if len(table) == len(pairs):
        return table
    table, times = {}, dict[str, int]()
    for key, value in pairs:
        table[repeated_key(key, times.get(key, 0))] = value
        times[key] = times.get(key, 0) + 1
    return table


def describe_path(path: Path) -> str:
    """Return the name of the item at *path* for messages."""
    names = [step.partition(REPEAT_SEPARATOR)[0] for step in path[-2:]]
    if not names:
        return "the file"
    if len(names) > 1 and names[-1].isdigit():
        return f"item {int(names[-1]) + 1} of {names[0]!r}"
    return repr(names[-1])


def has_valid_numbers(value: Any) -> bool:
    """Return whether all numbers in *value* are finite and fit into 64 bits, as in TOML."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, float) and not isfinite(item):
            return False
        if isinstance(item, int) and not -INTEGER_LIMIT <= item < INTEGER_LIMIT:
            return False
        pending += item.values() if isinstance(item, Mapping) else item if isinstance(item, list) else ()
    return True


def describe_type(value: Any) -> str:
    """Return the type of *value* in plain words."""
    return _NAMES.get(type(value), "null" if value is None else f"a {type(value).__name__}")


def _items(value: Any) -> Iterable[tuple[str, Any]]:
    return [(str(number), item) for number, item in enumerate(value)] if isinstance(value, list) else ()


_NAMES: Mapping[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}
