"""The verdict on a request to ship, by how many lines have changed."""

import re

from hookline.hooks._ship.request import asks_to_ship
from hookline.response import Response, block, inject, warn
from hookline.state import State
from hookline.values import replace

_ANYWAY = re.compile(r"^[ \t]*ship anyway:[ \t]*(\S[^\n]*)", re.IGNORECASE | re.MULTILINE)
_LONGEST_REASON = 300


def verdict(prompt: str, state: State, warn_from: int, block_over: int) -> Response | None:
    anyway = overruled(prompt)
    if anyway is None and not asks_to_ship(prompt):
        return None
    lines = state.facts.get("changed_lines")
    if lines is None:
        return _uncounted() if state.branch else None
    if lines > block_over:
        return _overridden(lines, anyway) if anyway else _too_much(lines, block_over)
    return _a_lot(lines, block_over) if lines >= warn_from else None


def overruled(prompt: str) -> str | None:
    """The reason that the person gives for shipping all the same."""
    found = _ANYWAY.search(prompt)
    return None if found is None else found.group(1).strip()[:_LONGEST_REASON]


def _too_much(lines: int, most: int) -> Response:
    return block(
        f"{lines:,} lines have changed, and more than {most:,} are hard to review, so nothing ships yet. "
        "Simplify first: remove what is not needed, or split it into parts that stand alone. "
        "To ship it as it is, the person writes: ship anyway: REASON",
        rule="too-large",
    )


def _a_lot(lines: int, most: int) -> Response:
    return inject(
        f"{lines:,} lines have changed; over {most:,} shipping is held up. Look once more for what can be "
        "simplified or left out before you ship, and say in the summary how large the change is.",
        rule="large",
    )


def _overridden(lines: int, reason: str) -> Response:
    said = warn(f"simplify-gate let {lines:,} changed lines pass, because: {reason}")
    return replace(said, rule="override", reason=reason)


def _uncounted() -> Response:
    return warn("simplify-gate could not count the changed lines in time, so this is shipped unchecked")
