"""Strings of JSON values: collected with their keys, searched as one text, and put back."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

MAX_DEPTH = 150
"""Maximum nesting of a value; deeper parts are removed, so that they cannot exhaust the stack."""
TOO_DEEP = "[redacted:nested-too-deep]"
_PREFIX, _SEPARATOR = '"{}":"', '"\n\0\n'
_MIN_LENGTH = 8
"""Minimum characters of a secret."""


class JsonString(NamedTuple):
    """One string of a JSON value."""

    path: str
    """The keys that lead to it, joined by dots."""
    name: str
    """The name of the value, which may show that it is a secret."""
    text: str


def iterate_strings(value: Any, path: str = "", name: str = "", depth: int = 0) -> Iterator[JsonString]:
    """Yield the strings of *value*, including keys, in the order in which `rebuild` consumes them."""
    if isinstance(value, str):
        yield JsonString(path, name, value)
    elif depth < MAX_DEPTH and isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(key, str):
                yield JsonString(path, "", key)
            inner = f"{path}.{key}" if path else str(key)
            yield from iterate_strings(item, inner, _find_name(value, key), depth + 1)
    elif depth < MAX_DEPTH and isinstance(value, list | tuple):
        for item in value:
            yield from iterate_strings(item, path, name, depth + 1)


def _find_name(value: Mapping[Any, Any], key: Any) -> str:
    """Return *key*, or the name in an object such as `{"name": "DB_PASSWORD", "value": "…"}`."""
    if key in {"value", "Value"}:
        found = next((value[name] for name in ("name", "key", "Name", "Key") if name in value), None)
        return found if isinstance(found, str) else "value"
    return str(key)


def _restore_type(value: Mapping[Any, Any], pairs: dict[Any, Any]) -> dict[Any, Any]:
    """Return *pairs* as the dict subclass of *value*, if its constructor is that of dict."""
    if not isinstance(value, dict) or type(value).__init__ is not dict.__init__:
        return pairs
    return type(value)(pairs)


def rebuild(value: Any, strings: Iterator[str], depth: int = 0) -> Any:
    """Return *value* with its strings replaced by *strings*."""
    if isinstance(value, str):
        return next(strings)
    if depth >= MAX_DEPTH and isinstance(value, Mapping | list | tuple):
        return TOO_DEEP
    if isinstance(value, Mapping):
        pairs: dict[Any, Any] = {}
        numbers: dict[str, int] = {}
        for key, item in value.items():
            new_key = _make_unique(pairs, next(strings), numbers) if isinstance(key, str) else key
            pairs[new_key] = rebuild(item, strings, depth + 1)
        return _restore_type(value, pairs)
    if isinstance(value, list | tuple):
        return type(value)([rebuild(item, strings, depth + 1) for item in value])
    return value


def _make_unique(pairs: Mapping[Any, Any], key: str, numbers: dict[str, int]) -> str:
    """Return *key* with a number if *pairs* has it: two redacted keys of one kind must stay two.

    *numbers* has the last number of each key, so that many equal keys take linear time.
    """
    number, candidate = numbers.get(key, 1), key
    while candidate in pairs:
        number += 1
        candidate = f"{key}#{number}"
    numbers[key] = number
    return candidate


class JoinedStrings(NamedTuple):
    """Many strings joined to one text, so that one search covers all of them."""

    text: str
    starts: list[int]
    """The start of each string in the text."""
    indices: list[int]
    """The index of each string among all; short ones are left out."""

    def index_at(self, position: int) -> int:
        """Return the number of the joined string at *position*; -1 before the first."""
        return bisect_right(self.starts, position) - 1


def find_max_length(strings: Sequence[JsonString], max_chars: int) -> int:
    """Return the length to which strings must be cut, so that all have at most *max_chars* characters.

    Names and separators count too. Short strings, such as keys, are cut last, and not below the length of a
    secret.
    """
    searched = [item for item in strings if len(item.text) >= _MIN_LENGTH]
    left = max_chars - sum(len(item.name) + len(_PREFIX) + len(_SEPARATOR) for item in searched)
    lengths = sorted((len(item.text) for item in searched), reverse=True)
    while lengths and lengths[-1] * len(lengths) <= left:
        left -= lengths.pop()
    return max(_MIN_LENGTH - 1, left // len(lengths)) if lengths else max_chars


def join_strings(strings: Sequence[JsonString], max_length: int) -> JoinedStrings:
    """Return the first *max_length* characters of the *strings* joined with their names, as in JSON."""
    pieces: list[str] = []
    starts, indices, length = [], [], 0
    for index, (_, name, text) in enumerate(strings):
        if min(len(text), max_length) >= _MIN_LENGTH:
            prefix, cut = _PREFIX.format(name), text[:max_length]
            starts.append(length + len(prefix))
            indices.append(index)
            pieces += [prefix, cut, _SEPARATOR]
            length += len(prefix) + len(cut) + len(_SEPARATOR)
    return JoinedStrings("".join(pieces), starts, indices)
