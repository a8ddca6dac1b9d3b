"""Spans of time as people write them: `20m`, `1h30m`, `90s`."""

import re

ALLOWED = "write it like 90s, 20m, 5min, 1h or 1h30m"
_UNITS = {
    **dict.fromkeys(("s", "sec"), 1),
    **dict.fromkeys(("m", "min"), 60),
    **dict.fromkeys(("h", "hr"), 3600),
    "d": 86_400,
}
_WORDS = "|".join(sorted(_UNITS, key=len, reverse=True))
_PART = re.compile(rf"([0-9]{{1,6}}) ?({_WORDS})(?![a-z])", re.IGNORECASE)
_LONGEST = 366 * 86_400


def seconds(text: str) -> int:
    """The seconds of a span; a bare number is minutes. Raises `ValueError` that says what is allowed."""
    told = text.strip()
    if told.isascii() and told.isdecimal() and len(told) < len("1000000"):
        return _checked(int(told) * 60, text)
    total, at, last = 0, 0, max(_UNITS.values()) + 1
    while part := _PART.match(told, at):
        size = _UNITS[part[2].lower()]
        if size >= last:
            break
        total, at, last = total + int(part[1]) * size, part.end(), size
        at += len(told[at:]) - len(told[at:].lstrip())
    return _checked(total if at == len(told) else 0, text)


def _checked(total: int, text: str) -> int:
    if not 0 < total <= _LONGEST:
        raise ValueError(f"{text!r} is no span of time; {ALLOWED}; a bare number is minutes")
    return total


def written(total: float) -> str:
    """A span as `seconds` reads it again: `1h30m`."""
    left, parts = round(total), list[str]()
    for unit in ("h", "m", "s"):
        count, left = divmod(left, _UNITS[unit])
        parts += [f"{count}{unit}"] * (count > 0)
    return "".join(parts) or "0s"
