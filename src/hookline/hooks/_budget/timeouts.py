"""How long a shell command may take by its own word: the tool's time limit, or `timeout` before it."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from hookline.bash import Simple, read
from hookline.bash.options import options
from hookline.events import PreToolUse
from hookline.hooks._budget.leaving import SHELLS

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_TIMEOUTS = ("timeout", "gtimeout")
_PLACES = {"timeout_ms": 0.001, "timeout_s": 1.0}
"""Where a host's shell tool takes a time limit, and what it counts in."""


def longest(event: PreToolUse, home: str) -> float | None:
    """The seconds that *event* gives itself; None where it says nothing. What the tool ends is over."""
    if event.kind not in SHELLS:
        return None
    told = _told(event)
    if told is not None or "timeout" not in (event.command or ""):
        return told
    line = read(event.command or "", cwd=event.cwd, home=home, shell=SHELLS[event.kind])
    return max((seconds for one in line.commands for seconds in _given(one)), default=None)


def _told(event: PreToolUse) -> float | None:
    for place, unit in _PLACES.items():
        value = event.input.get(event.places.get(place, ""))
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return value * unit
    return None


def _given(command: Simple) -> Iterator[float]:
    if command.name not in _TIMEOUTS:
        return
    split = options(command.words[1:], ("-k", "-s", "--kill-after", "--signal"))
    text = split.operands[0].text if split.operands else ""
    number, unit = (text[:-1], text[-1]) if text[-1:] in _UNITS else (text, "s")
    try:
        seconds = float(number) * _UNITS[unit]
    except ValueError:
        return
    yield seconds if seconds > 0 else inf  # 0 is no limit
