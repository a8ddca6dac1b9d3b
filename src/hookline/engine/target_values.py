"""Values of a target's file, each read by the one function that says what is allowed there."""

import re
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any

from hookline.core import durations

Read = Callable[[Any, str], Any]
"""A value and where it stands; raises `ValueError`."""
_VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def known(told: Mapping[str, Any], allowed: Iterable[str], where: str) -> None:
    names = tuple(allowed)
    for key in told:
        if key not in names:
            raise ValueError(f"{where} has no key {key!r}; there are: {', '.join(names)}")


def needed(told: Mapping[str, Any], key: str, where: str, read: Read) -> Any:
    if key not in told:
        raise ValueError(f"{where} is missing; write it")
    return read(told[key], where)


def text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ValueError(f"{where} is {value!r}; it is a text that says something")
    return value.strip()


def texts(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise ValueError(f"{where} is {value!r}; it is a list of texts")
    return tuple(value)


def globs(value: Any, where: str) -> tuple[str, ...]:
    """Some of them at least must name something within the repository."""
    read = texts(value, where)
    if not any(one.strip() and one[0] not in "#!" for one in read):
        raise ValueError(f'{where} is {value!r}; it names what may be changed, such as ["src/**"]')
    for one in read:
        if ".." in one.split("/"):
            raise ValueError(f"{where} has {one!r}, which leads out of the repository; begin at its root")
    return read


def number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError(f"{where} is {value!r}; it is a number")
    return float(value)


def positive(value: Any, where: str) -> float:
    if number(value, where) < 0:
        raise ValueError(f"{where} is {value!r}; it is 0 or more")
    return float(value)


def more_than_none(value: Any, where: str) -> float:
    if number(value, where) <= 0:
        raise ValueError(f"{where} is {value!r}; it is more than 0")
    return float(value)


def share(value: Any, where: str) -> float:
    if not 0 < number(value, where) < 1:
        raise ValueError(f"{where} is {value!r}; it is between 0 and 1")
    return float(value)


def count(least: int, most: int) -> Read:
    def read(value: Any, where: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError(f"{where} is {value!r}; it is a whole number from {least} to {most}")
        return value

    return read


def one_of(*words: str) -> Read:
    def read(value: Any, where: str) -> str:
        if value not in words:
            raise ValueError(f"{where} is {value!r}; it is {' or '.join(words)}")
        return str(value)

    return read


def span(value: Any, where: str) -> float:
    """A bare number is minutes, as a text and as a number."""
    try:
        return float(durations.seconds(str(value) if _whole(value) else value))
    except (ValueError, TypeError, AttributeError):
        raise ValueError(f"{where} is {value!r}; {durations.ALLOWED}; a bare number is minutes") from None


def span_or_none(value: Any, where: str) -> float:
    """A span that may be none at all, which is 0."""
    return 0.0 if value in (0, "0", "0s", "0m") and not isinstance(value, bool) else span(value, where)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def environment(value: Any, where: str) -> dict[str, str]:
    right = isinstance(value, dict) and all(
        _VARIABLE.fullmatch(name) and isinstance(one, str) and "\0" not in one for name, one in value.items()
    )
    if not right:
        raise ValueError(f"{where} is {value!r}; it is a table of variables with their texts")
    return dict(value)
