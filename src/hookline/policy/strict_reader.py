"""Read one configuration file strictly: what is good is taken, and what is wrong is said with its line."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from hookline.policy.line_numbers import AGAIN, Path, again, nearest
from hookline.policy.model import File, Problem

LARGEST = 2**63


class Reader:
    """Collects what is wrong with one file while it is read."""

    def __init__(self, file: File, lines: Callable[[str], Mapping[Path, int]]) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self._lines_of = lines
        self._lines: Mapping[Path, int] | None = None

    def line(self, path: Path) -> int:
        if self._lines is None:
            self._lines = self._lines_of(self.file.text)
        return nearest(self._lines, path)

    def wrong(self, path: Path, text: str) -> None:
        self.problems.append(Problem(file=self.file.name, line=self.line(path), text=text))

    def origin(self, path: Path) -> str:
        return f"{self.file.name}:{self.line(path)}"

    def table(self, value: Any, path: Path) -> Mapping[str, Any]:
        """The *value* with every key once, where it is a table; what is said again is said."""
        if not isinstance(value, Mapping):
            self.wrong(path, f"{called(path)} must be a table of keys, not {worded(value)}")
            return {}
        for key in value:
            if repeats(key, value):
                name = key.partition(AGAIN)[0]
                before = self.line((*path, name))
                self.wrong((*path, key), f"{name!r} is said again, after line {before}; say it once")
        return once(value)

    def known(self, table: Mapping[str, Any], path: Path, allowed: Iterable[str], what: str) -> Iterator[str]:
        """The keys that are allowed; the others are said."""
        names = sorted(allowed)
        for key in table:
            if key in names:
                yield key
            else:
                self.wrong((*path, key), f"{what} has no {key!r}; there are: {', '.join(names)}")

    def typed(self, value: Any, wanted: tuple[type, ...], path: Path) -> bool:
        """Whether the *value* is of a type that is *wanted*, and all that is inside of it is text."""
        if isinstance(value, wanted) and (bool in wanted or not isinstance(value, bool)):
            inside = self.table(value, path).items() if isinstance(value, Mapping) else _items(value)
            return not [step for step, item in inside if not self._text(item, (*path, step))]
        names = " or ".join(_NAMES[kind] for kind in wanted if kind is not int or float not in wanted)
        self.wrong(path, f"{called(path)} must be {names}, not {worded(value)}")
        return False

    def _text(self, value: Any, path: Path) -> bool:
        if not isinstance(value, str):
            self.wrong(path, f"{called(path)} must be text, not {worded(value)}")
        return isinstance(value, str)


def repeats(key: str, table: Mapping[str, Any]) -> bool:
    """Whether *key* is what a key is called that was said before."""
    name, _, times = key.partition(AGAIN)
    return bool(times) and name in table


def once(table: Mapping[str, Any]) -> dict[str, Any]:
    """The *table* without what it says again."""
    return {key: item for key, item in table.items() if not repeats(key, table)}


def all_of(table: Any, name: str) -> Iterator[str]:
    """The key *name* of the *table*, as often as it is there."""
    times = 0
    while isinstance(table, Mapping) and (key := again(name, times)) in table:
        yield key
        times += 1


def every_key(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """A table of JSON that keeps what is said again, under the name that `again` gives it."""
    table = dict(pairs)
    if len(table) == len(pairs):
        return table
    table, times = {}, dict[str, int]()
    for key, value in pairs:
        table[again(key, times.get(key, 0))] = value
        times[key] = times.get(key, 0) + 1
    return table


def called(path: Path) -> str:
    """What a person would call the thing at *path*."""
    names = [step.partition(AGAIN)[0] for step in path[-2:]]
    if not names:
        return "the file"
    if len(names) > 1 and names[-1].isdigit():
        return f"item {int(names[-1]) + 1} of {names[0]!r}"
    return repr(names[-1])


def sound(value: Any) -> bool:
    """Whether every number in it can be counted with: none is nan or infinite, or larger than TOML has it."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, float) and not isfinite(one):
            return False
        if isinstance(one, int) and not -LARGEST <= one < LARGEST:
            return False
        left += one.values() if isinstance(one, Mapping) else one if isinstance(one, list) else ()
    return True


def worded(value: Any) -> str:
    """What the *value* is, in plain words."""
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
