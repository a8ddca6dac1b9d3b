"""The figures of an event for telemetry: a table of their names, units and rules.

A rule computes a figure from an outcome. A figure without a rule is measured by a hook (`Measure`).
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Literal

from msgspec import Struct

from hookline.core.events import OnBudgetExceeded, OnError, PostModelCall, PostToolUse
from hookline.core.frozen import thaw
from hookline.core.outcome import Outcome
from hookline.core.response import Measure
from hookline.lazy import re
from hookline.redact import MARK

MAX_CLASS_CHARS = 60
_CLASS = re.compile(r"\b(?:[A-Za-z_]\w{0,50}(?:Error|Exception|Exit|Interrupt|Warning)|E[A-Z]{3,14})\b")
_EXIT = re.compile(r"\bexit(?:ed)?(?: with)?(?: code| status)?:? (\d{1,3})\b", re.IGNORECASE)


class History(Struct, frozen=True, kw_only=True):
    """The part of a session's history that the figures of an event depend on."""

    seconds: float | None = None
    """Duration of the session or tool call that this event ends."""
    repeated_calls: int = 0
    """Number of earlier identical calls in this turn."""
    repeated_errors: int = 0
    """Number of earlier identical errors in this session."""
    counters: Mapping[str, int]


Rule = Callable[[Outcome, History], Any]


class Figure(Struct, frozen=True, kw_only=True):
    """One figure: its events, its unit and its rule."""

    name: str
    on: tuple[str, ...]
    about: str
    unit: str = "1"
    sort: Literal["count", "amount", "word"] = "amount"
    """Counts are added up, amounts are spread over a histogram, words are only attributes."""
    rule: Rule | None = None
    """None if a hook measures it."""


def compute_figures(outcome: Outcome, history: History) -> dict[str, Any]:
    """Return the figures of *outcome* that are known, by name."""
    name = outcome.event.name
    computed = {
        figure.name: figure.rule(outcome, history) for figure in FIGURES if name in figure.on and figure.rule
    }
    measured = {effect.name: effect.value for effect in outcome.effects if isinstance(effect, Measure)}
    measured = {name: value for name, value in measured.items() if isfinite(value)}
    return {key: value for key, value in {**computed, **measured}.items() if value is not None}


def fingerprint(*parts: Any) -> str:
    """Return a short hash of *parts*, for values that are too long or too private to serve as a name."""
    text = json.dumps(thaw(parts), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def classify_error(text: str) -> str:
    """Return the class of the error in *text*: an exception's name, `exit-N` or `other`."""
    match = _CLASS.search(text[:4000])
    if match:
        return match[0][:MAX_CLASS_CHARS]
    code = _EXIT.search(text[:4000])
    return f"exit-{code[1]}" if code else "other"


def _seconds(outcome: Outcome, history: History) -> float | None:
    event = outcome.event
    if isinstance(event, PostToolUse) and event.duration_ms is not None:
        return event.duration_ms / 1000
    return history.seconds


def _bootstrap(outcome: Outcome, history: History) -> float:
    return sum(step.ms for step in outcome.trail) / 1000


def _checks(outcome: Outcome, history: History) -> int:
    return sum(step.nature == "policy" and step.action != "skipped" for step in outcome.trail)


def _redactions(outcome: Outcome, history: History) -> int:
    changed = [step for step in outcome.trail if "output" in step.after]
    return sum(max(0, str(step.after).count(MARK) - str(dict(step.before)).count(MARK)) for step in changed)


def _success(outcome: Outcome, history: History) -> bool | None:
    return outcome.event.success if isinstance(outcome.event, PostToolUse) else None


def _error(outcome: Outcome, history: History) -> str | None:
    return classify_error(outcome.event.error) if isinstance(outcome.event, OnError) else None


def _threshold(outcome: Outcome, history: History) -> str | None:
    return outcome.event.threshold if isinstance(outcome.event, OnBudgetExceeded) else None


def _usage(outcome: Outcome, history: History) -> float | None:
    return outcome.event.percent / 100 if isinstance(outcome.event, OnBudgetExceeded) else None


def count_tokens(outcome: Outcome, direction: str) -> int | None:
    """Return the input or output tokens of a model call, under any of the usual names of that number."""
    if not isinstance(outcome.event, PostModelCall):
        return None
    usage = outcome.event.usage
    for key in (
        f"{direction}_tokens",
        f"{direction}Tokens",
        {"input": "prompt", "output": "completion"}[direction] + "_tokens",
    ):
        value = usage.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


FACTS = "telemetry:session:facts"
"""The counter of memories that were learnt from a session."""
TOKENS = {"input": "telemetry:session:tokens:input", "output": "telemetry:session:tokens:output"}
"""The counters of a session's tokens."""


def _tokens(direction: str) -> Rule:
    return lambda outcome, history: count_tokens(outcome, direction)


def _session_tokens(direction: str) -> Rule:
    return lambda outcome, history: history.counters.get(TOKENS[direction])


def _blocks(history: History) -> int:
    return history.counters.get("actions:block", 0)


def _kind(outcome: Outcome, history: History) -> str | None:
    return getattr(outcome.event, "kind", None)


def _first_rule(outcome: Outcome, history: History) -> str | None:
    return next(iter(outcome.rules), None)


def _from_history(rule: Callable[[History], Any]) -> Rule:
    return lambda outcome, history: rule(history)


def _word(name: str, on: str, about: str, rule: Rule) -> Figure:
    return Figure(name=name, on=tuple(on.split()), about=about, sort="word", rule=rule)


def _count(name: str, on: str, about: str, rule: Rule | None = None) -> Figure:
    return Figure(name=name, on=tuple(on.split()), about=about, sort="count", rule=rule)


def _amount(name: str, on: str, unit: str, about: str, rule: Rule | None = None) -> Figure:
    return Figure(name=name, on=tuple(on.split()), about=about, unit=unit, rule=rule)


FIGURES = (
    _count("memory.hits", "SessionStart UserPromptSubmit PostCompact", "recalled memories"),
    _amount(
        "bootstrap.duration",
        "SessionStart",
        "s",
        "duration of the hooks at the start of the session",
        _bootstrap,
    ),
    _count(
        "facts.persisted",
        "SessionEnd",
        "memories learnt from the session",
        _from_history(lambda history: history.counters.get(FACTS, 0)),
    ),
    _amount("handoff.size", "SessionEnd PreCompact", "By", "size of the handoff"),
    _amount(
        "session.duration",
        "SessionEnd",
        "s",
        "duration of the session",
        _from_history(lambda history: history.seconds),
    ),
    _amount(
        "session.tokens.input",
        "SessionEnd",
        "{token}",
        "input tokens of all model calls",
        _session_tokens("input"),
    ),
    _amount(
        "session.tokens.output",
        "SessionEnd",
        "{token}",
        "output tokens of all model calls",
        _session_tokens("output"),
    ),
    _amount("session.blocks", "SessionEnd", "1", "blocked events", _from_history(_blocks)),
    _word("tool.kind", "PreToolUse PostToolUse", "kind of tool", _kind),
    _count("policy.checks", "PreToolUse", "guards that judged the call", _checks),
    _count(
        "warnings",
        "PreToolUse",
        "warnings to the agent and to the user",
        lambda outcome, history: len(outcome.context) + len(outcome.warnings),
    ),
    _word(
        "decision",
        "PreToolUse",
        "verdict: block, ask, modify or pass",
        lambda outcome, history: outcome.action,
    ),
    _word("rule", "PreToolUse", "the first rule that matched", _first_rule),
    _amount(
        "tool.duration",
        "PostToolUse",
        "s",
        "duration of the call, as reported by the host or measured",
        _seconds,
    ),
    _word("tool.success", "PostToolUse", "true if the call succeeded", _success),
    _count(
        "tool.retries",
        "PostToolUse",
        "earlier identical calls in this turn",
        _from_history(lambda history: history.repeated_calls),
    ),
    _amount("loop.score", "PostToolUse", "1", "degree to which the agent repeats itself"),
    _count("redactions", "PostToolUse", "secrets redacted from the output", _redactions),
    _amount("tokens.before", "PreCompact", "{token}", "tokens in the context before the compaction"),
    _amount("anchors.retained", "PostCompact", "1", "share of the required facts that the summary retains"),
    _amount(
        "compression.ratio", "PostCompact", "1", "tokens before the compaction, divided by those after it"
    ),
    _count("target.continuations", "Stop", "continuations of a turn with a token target"),
    _amount("target.usage", "Stop", "1", "share of the token target that was used"),
    _amount("target.tokens", "Stop", "{token}", "output tokens of a turn with a token target"),
    _amount("target.budget", "Stop", "{token}", "token target of the turn"),
    _amount("target.diminishing", "Stop", "1", "1 if the turn ended because its last steps brought little"),
    _amount("target.duration", "Stop", "s", "duration of a turn with a token target"),
    _word("error.class", "OnError", "class of the error", _error),
    _count(
        "error.recurrences",
        "OnError",
        "earlier identical errors in this session",
        _from_history(lambda history: history.repeated_errors),
    ),
    _word("budget.threshold", "OnBudgetExceeded", "the budget: time or tokens", _threshold),
    _amount("budget.usage", "OnBudgetExceeded", "1", "share of the budget that is used", _usage),
    _count("budget.rotations", "OnBudgetExceeded", "rotations of the session"),
    _amount("tokens.input", "PostModelCall", "{token}", "input tokens of the model call", _tokens("input")),
    _amount(
        "tokens.output", "PostModelCall", "{token}", "output tokens of the model call", _tokens("output")
    ),
)
"""Every figure, by event; those of a single hook (time, outcome, failure) are in `HookRun`."""
