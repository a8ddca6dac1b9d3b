"""Warn when the context window fills up, then block large loads.

The agent is warned at `warn_at` percent. From `block_at` percent, fetches, new subagents, and reads or output
over `lines` lines or `size` bytes are blocked. Very short lines count only by their size.
"""

from __future__ import annotations

from hookline.core.events import OnBudgetExceeded, PreToolUse
from hookline.core.hook import hook
from hookline.core.response import Response, block, inject, warn
from hookline.core.rule_exceptions import Allow, find_exception, note_exceptions
from hookline.core.state import State
from hookline.hooks._budget_guard import find_load

RULES = ("large-read", "fetch", "new-helper")
_NAME = "budget-guard"
_LOADING_KINDS = ("read", "fetch", "agent", "shell")


@hook(priority={OnBudgetExceeded: 10, PreToolUse: 20}, nature="policy", rules=RULES)
def budget_guard(
    event: OnBudgetExceeded | PreToolUse,
    state: State,
    *,
    warn_at: int = 70,
    block_at: int = 80,
    lines: int = 200,
    size: int = 20_000,
    allow: Allow = (),
) -> Response | None:
    if isinstance(event, OnBudgetExceeded):
        return _announce(event, state, warn_at, block_at)
    may_load = event.subagent is None and event.kind in _LOADING_KINDS
    large_load = find_load(event, state, lines, size) if may_load else None
    # Usage is asked for last, because the transcript is read for it.
    percent = state.usage.percent if large_load is not None else None
    if large_load is None or percent is None or percent < block_at:
        return None
    reason = find_exception(allow, _NAME, large_load.rule, event.command or event.path or "")
    if reason is not None:
        return note_exceptions(None, [(large_load.rule, reason)])
    return block(
        f"{large_load.what} is blocked: {int(percent)} % of the context is in use. {large_load.instead}",
        rule=large_load.rule,
    )


def _announce(event: OnBudgetExceeded, state: State, warn_at: int, block_at: int) -> Response | None:
    if event.threshold != "tokens" or event.percent < min(warn_at, block_at):
        return None
    limit = state.usage.effective_limit
    used = f"{int(event.percent)} %" + (f" of {limit:,} tokens" if limit else "")
    if event.percent < block_at:
        return inject(f"▲ CONTEXT: {used} in use — load only what you need, and finish the current step")
    message = f"▲▲ CONTEXT: {used} in use — large reads, fetches and new subagents are now blocked. "
    rest = "Finish and commit the current step, report what is left to do, and let a new session continue."
    return inject(message + rest).plus(warn(f"context: {used} in use; start a new session soon"))
