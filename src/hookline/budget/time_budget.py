"""The time budget that a person sets for a session, on the command line or on the dashboard."""

from hookline.budget.ledger import BUDGET_NOTE
from hookline.core import durations
from hookline.core.store import Store

MAX_SECONDS = 7 * 86_400
"""Maximum seconds of a budget."""
NONE = "none"


def parse_time(text: str) -> int | None:
    """Return the seconds of a duration such as `20m`; None if *text* is `none`."""
    if text == NONE:
        return None
    message = f"invalid duration {text!r}: expected 1s to 7d, such as 20m, or `none`"
    if text.isdecimal():
        # A bare number is ambiguous: minutes in a target file, but the user may mean seconds.
        raise ValueError(message)
    try:
        seconds = durations.parse_duration(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= MAX_SECONDS:
        raise ValueError(message)
    return seconds


def set_time_budget(store: Store, session: str, seconds: int | None, *, now: float) -> None:
    """Let the session's own budget end in *seconds*, or remove it; an earlier end still applies."""
    store.set_notes(session, {BUDGET_NOTE: None if seconds is None else now + seconds})
