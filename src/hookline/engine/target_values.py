"""Parsers for the values of a target file; each validates one kind of value."""

import re
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any

from hookline.core import durations
from hookline.core.registry import describe_unknown

Parser = Callable[[Any, str], Any]
"""Function of a value and its place in the file; raises `ValueError`."""
NEVER = "never"
_VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def check_keys(table: Mapping[str, Any], allowed: Iterable[str], where: str) -> None:
    names = tuple(allowed)
    for key in table:
        if key not in names:
            raise ValueError(f"{where}: {describe_unknown('key', key, names)}")


def require(table: Mapping[str, Any], key: str, where: str, parse: Parser) -> Any:
    if key not in table:
        raise ValueError(f"{where} is missing; add it")
    return parse(table[key], where)


def text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ValueError(f"{where} is {value!r}; expected a non-empty string")
    return value.strip()


def texts(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ValueError(f"{where} is {value!r}; expected a list of strings")
    return tuple(value)


def shared_paths(value: Any, where: str) -> tuple[str, ...]:
    """Parse paths inside the repository."""
    for path in texts(value, where):
        if path.startswith("/") or {"..", ".git"} & {*path.split("/")} or path.strip("./") == "":
            raise ValueError(f"{where} has {path!r}; expected a path inside the repository")
    return texts(value, where)


def globs(value: Any, where: str) -> tuple[str, ...]:
    """Parse globs; at least one must match inside the repository, and none may leave it."""
    patterns = texts(value, where)
    if not any(pattern.strip() and pattern[0] not in "#!" for pattern in patterns):
        raise ValueError(f'{where} is {value!r}; expected globs of files to change, such as ["src/**"]')
    for pattern in patterns:
        if ".." in pattern.split("/"):
            raise ValueError(
                f"{where} has {pattern!r}, which is outside of the repository; start at its root"
            )
    return patterns


def number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError(f"{where} is {value!r}; expected a number")
    return float(value)


def non_negative(value: Any, where: str) -> float:
    if number(value, where) < 0:
        raise ValueError(f"{where} is {value!r}; expected 0 or more")
    return float(value)


def positive(value: Any, where: str) -> float:
    if number(value, where) <= 0:
        raise ValueError(f"{where} is {value!r}; expected more than 0")
    return float(value)


def fraction(value: Any, where: str) -> float:
    if not 0 < number(value, where) < 1:
        raise ValueError(f"{where} is {value!r}; expected a number between 0 and 1")
    return float(value)


def integer_between(minimum: int, maximum: int) -> Parser:
    def parse(value: Any, where: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
            raise ValueError(f"{where} is {value!r}; expected an integer from {minimum} to {maximum}")
        return value

    return parse


def integer_or_never(minimum: int, maximum: int) -> Parser:
    parse_integer = integer_between(minimum, maximum)

    def parse(value: Any, where: str) -> int | None:
        if isinstance(value, str) and value != NEVER:
            raise ValueError(f'{where} is {value!r}; expected an integer or "{NEVER}"')
        return None if value == NEVER else parse_integer(value, where)

    return parse


def one_of(*words: str) -> Parser:
    def parse(value: Any, where: str) -> str:
        if value not in words:
            raise ValueError(f"{where} is {value!r}; expected {' or '.join(words)}")
        return str(value)

    return parse


def duration(value: Any, where: str) -> float:
    """Parse a duration in seconds; a bare number, quoted or not, is minutes."""
    try:
        return float(durations.parse_duration(str(value) if _is_integer(value) else value))
    except (ValueError, TypeError, AttributeError):
        raise ValueError(f"{where} is {value!r}; {durations.FORMAT_HINT}; a bare number is minutes") from None


def duration_or_zero(value: Any, where: str) -> float:
    """Parse a duration that may be 0."""
    return 0.0 if value in (0, "0", "0s", "0m") and not isinstance(value, bool) else duration(value, where)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def environment(value: Any, where: str) -> dict[str, str]:
    valid = isinstance(value, dict) and all(
        _VARIABLE.fullmatch(name) and isinstance(text, str) and "\0" not in text
        for name, text in value.items()
    )
    if not valid:
        raise ValueError(f"{where} is {value!r}; expected a table of variables with string values")
    return dict(value)
