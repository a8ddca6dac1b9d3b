"""Hold a request to ship when more has changed than a person can review, until it is simplified.

Only a request counts: questions, reports, plans of others and what the person says not to do are no requests.
"""

import re

from hookline.events import UserPromptSubmit
from hookline.hook import hook, later
from hookline.record import replace
from hookline.response import Response, block, inject, warn
from hookline.state import State

_ANYWAY = re.compile(r"^[ \t]*ship anyway:[ \t]*(\S[^\n]*)", re.IGNORECASE | re.MULTILINE)
_LONGEST_REASON = 300


@hook(priority=40, nature="policy", why=later("hookline.hooks._why.simplify_gate:tree"))
def simplify_gate(
    event: UserPromptSubmit, state: State, *, warn_from: int = 400, block_over: int = 800
) -> Response | None:
    from hookline.hooks._ship import asks_to_ship  # noqa: PLC0415 -- a tool call needs none of it

    anyway = overruled(event.prompt)
    if anyway is None and not asks_to_ship(event.prompt):
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
