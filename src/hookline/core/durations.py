"""Parsing and formatting of durations: `20m`, `1h30m`, `90s`."""

from hookline.lazy import re

FORMAT_HINT = "write it like 90s, 20m, 5min, 1h or 1h30m"
_UNITS = {
    **dict.fromkeys(("s", "sec"), 1),
    **dict.fromkeys(("m", "min"), 60),
    **dict.fromkeys(("h", "hr"), 3600),
    "d": 86_400,
}
_UNIT_NAMES = "|".join(sorted(_UNITS, key=len, reverse=True))
_PART = re.compile(rf"([0-9]{{1,6}}) ?({_UNIT_NAMES})(?![a-z])", re.IGNORECASE)
_MAX_SECONDS = 366 * 86_400


def parse_duration(text: str) -> int:
    """Return the seconds of a duration; a bare number is minutes. Raise `ValueError` if it is invalid."""
    stripped = text.strip()
    if stripped.isascii() and stripped.isdecimal() and len(stripped) < len("1000000"):
        return _check_range(int(stripped) * 60, text)
    total, position, last_size = 0, 0, max(_UNITS.values()) + 1
    while part := _PART.match(stripped, position):
        size = _UNITS[part[2].lower()]
        if size >= last_size:
            break
        total, position, last_size = total + int(part[1]) * size, part.end(), size
        position += len(stripped[position:]) - len(stripped[position:].lstrip())
    return _check_range(total if position == len(stripped) else 0, text)


def _check_range(total: int, text: str) -> int:
    if not 0 < total <= _MAX_SECONDS:
        raise ValueError(f"invalid duration {text!r}: {FORMAT_HINT}; a bare number is minutes")
    return total


def format_duration(total: float) -> str:
    """Return *total* seconds in the format that `parse_duration` reads, such as `1h30m`."""
    remaining, parts = round(total), list[str]()
    for unit in ("h", "m", "s"):
        count, remaining = divmod(remaining, _UNITS[unit])
        parts += [f"{count}{unit}"] * (count > 0)
    return "".join(parts) or "0s"
