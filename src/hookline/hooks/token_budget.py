"""Continue a turn until its token target is spent.

The target comes from the prompt (`+500k` at its start or end, `use 2M tokens` anywhere), else from
`HOOKLINE_TOKEN_TARGET` or `target`. The turn ends at 90 % of it, or when continuations bring little
output.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookline.core.events import Stop, UserPromptSubmit
from hookline.core.hook import hook
from hookline.core.response import Response, block, remember, warn
from hookline.core.state import State
from hookline.core.values import replace
from hookline.core.variables import TOKEN_TARGET
from hookline.hooks import _token_budget
from hookline.hooks._token_budget import parse_prompt_target

_NOTE = "token-budget"


@hook(priority=85, nature="policy")
def token_budget(event: UserPromptSubmit | Stop, state: State, *, target: int = 0) -> Response | None:
    if event.subagent is not None:
        return None
    default = parse_target(state.env.get(TOKEN_TARGET, "")) or target
    return (
        _begin(event, state, default) if isinstance(event, UserPromptSubmit) else _end(event, state, default)
    )


def parse_target(text: str) -> int:
    """Return the target in an engine's variable: a number of tokens, or as in a prompt."""
    return (
        int(text) if text.isdecimal() and text.isascii() else parse_prompt_target(f"+{text}") if text else 0
    )


def _begin(event: UserPromptSubmit, state: State, default: int) -> Response | None:
    target = parse_prompt_target(event.prompt)
    if target or default:
        return remember(**{_NOTE: {"target": target, "started_at": state.now}})
    return remember(**{_NOTE: {}}) if state.memory.get(_NOTE) else None


def _end(event: Stop, state: State, default: int) -> Response | None:
    remembered: Mapping[str, Any] = state.memory.get(_NOTE) or {}
    budget = remembered.get("target") or default
    if budget <= 0:
        return None
    used = state.usage.turn_output
    if used is None:
        return _warn_uncounted(event, remembered, budget)
    decision = _token_budget.decide(remembered, budget, used, state.now)
    if decision.continues and state.budget.expired(state.now):
        return warn(_token_budget.format_out_of_time(decision.pct, used, budget))
    if decision.continues:
        response = block(_token_budget.format_nudge(decision.pct, used, budget), rule="continue")
        return response.plus(remember(**{_NOTE: _token_budget.merge_tracker(decision.tracker, remembered)}))
    if decision.completion is None:
        return None
    warning = warn(_token_budget.format_completion(decision.completion))
    note, measured = _token_budget.describe_completion(decision.completion)
    return replace(warning, rule="completion", note=note, effects=measured)


def _warn_uncounted(event: Stop, remembered: Mapping[str, Any], budget: int) -> Response | None:
    """Warn once per turn that the host reports no usage; the turn is then not continued."""
    if remembered.get("uncounted"):
        return None
    message = f"the target of {budget:,} tokens has no effect: {event.host} has not reported the tokens used"
    return warn(message).plus(remember(**{_NOTE: {**remembered, "uncounted": True}}))
