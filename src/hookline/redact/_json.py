"""Secrets out of JSON values: every string is seen together with its key, and all of them in one look."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

DEEPEST = 150
"""Levels: what lies deeper is taken out as a whole, because nobody means it and it must not break us."""
TOO_DEEP = "[redacted:nested-too-deep]"
_BETWEEN = '"\n\0\n'
_SHORT = 8
"""Characters of the shortest secret."""


class Text(NamedTuple):
    """One string of a JSON value."""

    path: str
    """The keys that lead to it, joined by dots."""
    name: str
    """What it is called, which may tell that it is a secret."""
    text: str


Clean = Callable[[Sequence[Text]], Iterator[str]]
"""Every text, redacted."""


def walked(value: Any, path: str = "", name: str = "", depth: int = 0) -> Iterator[Text]:
    """The strings of *value*, keys too, in the order in which `rebuilt` wants them back."""
    if isinstance(value, str):
        yield Text(path, name, value)
    elif depth < DEEPEST and isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(key, str):
                yield Text(path, "", key)
            inner = f"{path}.{key}" if path else str(key)
            yield from walked(item, inner, _named(value, key), depth + 1)
    elif depth < DEEPEST and isinstance(value, list | tuple):
        for item in value:
            yield from walked(item, path, name, depth + 1)


def _named(value: Mapping[Any, Any], key: Any) -> str:
    """The key; of `{"name": "DB_PASSWORD", "value": "…"}` the name that it tells."""
    if key in {"value", "Value"}:
        told = next((value[name] for name in ("name", "key", "Name", "Key") if name in value), None)
        return told if isinstance(told, str) else "value"
    return str(key)


def _like(value: Mapping[Any, Any], pairs: dict[Any, Any]) -> dict[Any, Any]:
    """Return *pairs* as the subclass of dict that *value* is of, if it is created like a dict."""
    if not isinstance(value, dict) or type(value).__init__ is not dict.__init__:
        return pairs
    return type(value)(pairs)


def rebuilt(value: Any, texts: Iterator[str], depth: int = 0) -> Any:
    """*value* with its strings replaced by *texts*."""
    if isinstance(value, str):
        return next(texts)
    if depth >= DEEPEST and isinstance(value, Mapping | list | tuple):
        return TOO_DEEP
    if isinstance(value, Mapping):
        pairs: dict[Any, Any] = {}
        for key, item in value.items():
            new = _free(pairs, next(texts)) if isinstance(key, str) else key
            pairs[new] = rebuilt(item, texts, depth + 1)
        return _like(value, pairs)
    if isinstance(value, list | tuple):
        return type(value)([rebuilt(item, texts, depth + 1) for item in value])
    return value


def _free(pairs: Mapping[Any, Any], key: str) -> str:
    """Two keys that were secrets of one kind stay two."""
    number, new = 1, key
    while new in pairs:
        number += 1
        new = f"{key}#{number}"
    return new


class Page(NamedTuple):
    """Many texts as one, so that one look finds what is in all of them."""

    text: str
    begins: list[int]
    """Where each text begins on the page."""
    which: list[int]
    """Which text that is: short ones are left out."""

    def at(self, place: int) -> int:
        """The number, on the page, of the text at *place*; -1 before the first."""
        return bisect_right(self.begins, place) - 1


def page(texts: Sequence[Text]) -> Page:
    """The *texts* behind their names, as they would stand in JSON."""
    pieces: list[str] = []
    begins, which, length = [], [], 0
    for number, (_, name, text) in enumerate(texts):
        if len(text) >= _SHORT:
            frame = f'"{name}":"'
            begins.append(length + len(frame))
            which.append(number)
            pieces += [frame, text, _BETWEEN]
            length += len(frame) + len(text) + len(_BETWEEN)
    return Page("".join(pieces), begins, which)
