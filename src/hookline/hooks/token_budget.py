"""Make a turn go on until the tokens that it was given are spent, or until little comes of it any more.

A target is a setting, an engine's `AUTORESEARCH_TOKEN_TARGET`, or words of a prompt: `+500k` at its start or
end, `use 2M tokens` anywhere. A prompt's own target holds for the turn that it begins, and before the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookline.core.events import Stop, UserPromptSubmit
from hookline.core.hook import hook
from hookline.core.response import Response, block, remember, warn
from hookline.core.state import State
from hookline.core.token_target import prompt_target
from hookline.core.values import replace
from hookline.hooks import _token_budget

ENGINE = "AUTORESEARCH_TOKEN_TARGET"
_KEY = "token-budget"


@hook(priority=85, nature="policy")
def token_budget(event: UserPromptSubmit | Stop, state: State, *, target: int = 0) -> Response | None:
    if event.subagent is not None:
        return None
    usual = target_of(state.env.get(ENGINE, "")) or target
    return _begin(event, state, usual) if isinstance(event, UserPromptSubmit) else _end(event, state, usual)


def target_of(text: str) -> int:
    """The target that an engine gives: a number of tokens, or one as in a prompt."""
    return int(text) if text.isdecimal() and text.isascii() else prompt_target(f"+{text}") if text else 0


def _begin(event: UserPromptSubmit, state: State, usual: int) -> Response | None:
    asked = prompt_target(event.prompt)
    if asked or usual:
        return remember(**{_KEY: {"target": asked, "started_at": state.now}})
    return remember(**{_KEY: {}}) if state.memory.get(_KEY) else None


def _end(event: Stop, state: State, usual: int) -> Response | None:
    kept: Mapping[str, Any] = state.memory.get(_KEY) or {}
    budget = kept.get("target") or usual
    if budget <= 0:
        return None
    used = state.usage.turn_output
    if used is None:
        return _uncounted(event, kept, budget)
    decided = _token_budget.decide(kept, budget, used, state.now)
    if decided.goes_on and state.budget.expired(state.now):
        return warn(_token_budget.out_of_time(decided.pct, used, budget))
    if decided.goes_on:
        said = block(_token_budget.nudge(decided.pct, used, budget), rule="continue")
        return said.plus(remember(**{_KEY: _token_budget.kept(decided.tracker, kept)}))
    if decided.completion is None:
        return None
    told = warn(_token_budget.told(decided.completion))
    return replace(told, rule="completion", note=_token_budget.noted(decided.completion))


def _uncounted(event: Stop, kept: Mapping[str, Any], budget: int) -> Response | None:
    """One warning a turn: where nobody tells what was spent, nothing may go on for the sake of it."""
    if kept.get("uncounted"):
        return None
    said = f"a target of {budget:,} tokens was given, but {event.host} has not told how many were spent"
    return warn(f"{said}; the turn ends as it would without").plus(
        remember(**{_KEY: {**kept, "uncounted": True}})
    )
