"""Warn when the context is nearly full, then stop large loads and ask for a fresh session.

Judged by the tokens that the host says are in use, against the model's window less room for its answer.
"""

from __future__ import annotations

from hookline.core.events import OnBudgetExceeded, PreToolUse
from hookline.core.hook import hook
from hookline.core.response import Response, block, inject, warn
from hookline.core.rule_exceptions import Allow, excepted, noted
from hookline.core.state import State
from hookline.hooks._budget import load

RULES = ("large-read", "fetch", "new-helper")
_NAME = "budget-guard"
_LOADING = ("read", "fetch", "agent")
_SHOWING = ("cat", "less", "more", "nl", "tac", "curl")
"""Programs, or how they end: what else is in a command line is judged only where one of these is."""


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
        return _announced(event, state, warn_at, block_at)
    percent = state.usage.percent if _may_load(event) else None
    if percent is None or percent < block_at:
        return None
    found = load(event, state, lines, size)
    if found is None:
        return None
    spared = excepted(allow, _NAME, found.rule, event.command or event.path or "")
    if spared is not None:
        return noted(None, [(found.rule, spared)])
    return block(
        f"{found.what}, and {int(percent)} % of the context is in use. {found.instead}", rule=found.rule
    )


def _may_load(event: PreToolUse) -> bool:
    """Told without a look at the session's recording, for most calls load next to nothing."""
    shows = event.kind == "shell" and any(name in (event.command or "") for name in _SHOWING)
    return event.subagent is None and (shows or event.kind in _LOADING)


def _announced(event: OnBudgetExceeded, state: State, warn_at: int, block_at: int) -> Response | None:
    if event.threshold != "tokens" or event.percent < min(warn_at, block_at):
        return None
    limit = state.usage.effective_limit
    used = f"{int(event.percent)} %" + (f" of {limit:,} tokens" if limit else "")
    if event.percent < block_at:
        return inject(f"▲ CONTEXT: {used} in use — load only what you need, and bring this step to an end")
    told = f"▲▲ CONTEXT: {used} in use — large reads, fetches and new helpers are stopped from here on. "
    rest = "Finish and commit the step at hand, say what is left to do, and let a fresh session go on."
    return inject(told + rest).plus(warn(f"{used} of the context in use: go on in a fresh session soon"))
