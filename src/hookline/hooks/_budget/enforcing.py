"""What is stopped where a time budget is enforced: nearly all once it is over, and what would outlast it."""

from __future__ import annotations

from hookline.events import PreToolUse
from hookline.hooks._budget.leaving import leaves
from hookline.hooks._budget.timeouts import longest
from hookline.response import Response, block

OVER = (
    "The time budget is over. Only `git add`, `git commit`, `git status` and `git diff` run now, and nothing "
    "new is written: commit what you have, and end your turn."
)


def stopped(event: PreToolUse, home: str, left: int) -> Response | None:
    """What to say to *event* with so many seconds *left*."""
    if left <= 0:
        return None if leaves(event, home) else block(OVER, rule="expired")
    seconds = longest(event, home)
    if seconds is None or seconds <= left:
        return None
    return block(
        f"This command gives itself {_shown(seconds)}, and {_shown(left)} of the time budget are left. Run "
        "it with a timeout that ends before, or commit and leave it out.",
        rule="too-long",
    )


def _shown(seconds: float) -> str:
    if seconds == float("inf"):
        return "no end"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
