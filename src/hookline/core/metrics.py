"""The figures of an event that are worth watching: one table, and how each is had from an outcome.

A figure that only a hook can know is measured by it (`Measure`); the table says so by having no rule for it.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Literal

from msgspec import Struct

from hookline.core.events import OnBudgetExceeded, OnError, PostModelCall, PostToolUse
from hookline.core.frozen import thawed
from hookline.core.outcome import Outcome
from hookline.core.response import Measure
from hookline.redact import MARK

LONGEST = 60
_CLASS = re.compile(r"\b(?:[A-Za-z_]\w{0,50}(?:Error|Exception|Exit|Interrupt|Warning)|E[A-Z]{3,14})\b")
_EXIT = re.compile(r"\bexit(?:ed)?(?: with)?(?: code| status)?:? (\d{1,3})\b", re.IGNORECASE)


class Past(Struct, frozen=True, kw_only=True):
    """What of the session so far an event's figures need."""

    seconds: float | None = None
    """How long what ended here took."""
    made: int = 0
    """How often the same call was made before in this turn."""
    seen: int = 0
    """How often the same error came before in this session."""
    counters: Mapping[str, int]


Rule = Callable[[Outcome, Past], Any]


class Figure(Struct, frozen=True, kw_only=True):
    """One figure: at which events it is had, its unit, and how."""

    name: str
    on: tuple[str, ...]
    about: str
    unit: str = "1"
    sort: Literal["count", "amount", "word"] = "amount"
    """Counts are added up, amounts are spread over a histogram, words are only attributes."""
    rule: Rule | None = None
    """None: a hook measures it."""


def figures(outcome: Outcome, past: Past) -> dict[str, Any]:
    """The figures of *outcome*, without those that nobody knows."""
    name = outcome.event.name
    known = {one.name: one.rule(outcome, past) for one in FIGURES if name in one.on and one.rule}
    measured = {one.name: one.value for one in outcome.effects if isinstance(one, Measure)}
    measured = {name: value for name, value in measured.items() if isfinite(value)}
    return {key: value for key, value in {**known, **measured}.items() if value is not None}


def fingerprint(*parts: Any) -> str:
    """A short name for what is too long or too private to be one."""
    told = json.dumps(thawed(parts), sort_keys=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def error_class(text: str) -> str:
    """What sort of error the *text* tells of, in one word that many errors share."""
    found = _CLASS.search(text[:4000])
    if found:
        return found[0][:LONGEST]
    code = _EXIT.search(text[:4000])
    return f"exit-{code[1]}" if code else "other"


def _seconds(outcome: Outcome, past: Past) -> float | None:
    event = outcome.event
    if isinstance(event, PostToolUse) and event.duration_ms is not None:
        return event.duration_ms / 1000
    return past.seconds


def _bootstrap(outcome: Outcome, past: Past) -> float:
    return sum(step.ms for step in outcome.trail) / 1000


def _checks(outcome: Outcome, past: Past) -> int:
    return sum(step.nature == "policy" and step.said != "skipped" for step in outcome.trail)


def _redactions(outcome: Outcome, past: Past) -> int:
    changed = [step for step in outcome.trail if "output" in step.after]
    return sum(max(0, str(step.after).count(MARK) - str(dict(step.before)).count(MARK)) for step in changed)


def _success(outcome: Outcome, past: Past) -> bool | None:
    return outcome.event.success if isinstance(outcome.event, PostToolUse) else None


def _error(outcome: Outcome, past: Past) -> str | None:
    return error_class(outcome.event.error) if isinstance(outcome.event, OnError) else None


def _threshold(outcome: Outcome, past: Past) -> str | None:
    return outcome.event.threshold if isinstance(outcome.event, OnBudgetExceeded) else None


def _usage(outcome: Outcome, past: Past) -> float | None:
    return outcome.event.percent / 100 if isinstance(outcome.event, OnBudgetExceeded) else None


def tokens(outcome: Outcome, direction: str) -> int | None:
    """What a call of the model took in or gave out, however its usage is spelled."""
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


TOKENS = {"input": "telemetry:session:tokens:input", "output": "telemetry:session:tokens:output"}
"""The counters in which a session's tokens add up."""


def _tokens(direction: str) -> Rule:
    return lambda outcome, past: tokens(outcome, direction)


def _summed(direction: str) -> Rule:
    return lambda outcome, past: past.counters.get(TOKENS[direction])


def _blocks(past: Past) -> int:
    return past.counters.get("actions:block", 0)


def _kind(outcome: Outcome, past: Past) -> str | None:
    return getattr(outcome.event, "kind", None)


def _first_rule(outcome: Outcome, past: Past) -> str | None:
    return next(iter(outcome.rules), None)


def _told(rule: Callable[[Past], Any]) -> Rule:
    return lambda outcome, past: rule(past)


def _word(name: str, on: str, about: str, rule: Rule) -> Figure:
    return Figure(name=name, on=tuple(on.split()), about=about, sort="word", rule=rule)


def _count(name: str, on: str, about: str, rule: Rule | None = None) -> Figure:
    return Figure(name=name, on=tuple(on.split()), about=about, sort="count", rule=rule)


def _amount(name: str, on: str, unit: str, about: str, rule: Rule | None = None) -> Figure:
    return Figure(name=name, on=tuple(on.split()), about=about, unit=unit, rule=rule)


FIGURES = (
    _count("memory.hits", "SessionStart", "memories that were recalled"),
    _amount("bootstrap.duration", "SessionStart", "s", "what hooks took to start the session", _bootstrap),
    _count("facts.persisted", "SessionEnd", "facts that were kept for later sessions"),
    _amount("handoff.size", "SessionEnd PreCompact", "By", "size of what is handed on"),
    _amount("session.duration", "SessionEnd", "s", "how long it took", _told(lambda past: past.seconds)),
    _amount("session.tokens.input", "SessionEnd", "{token}", "tokens that models read", _summed("input")),
    _amount("session.tokens.output", "SessionEnd", "{token}", "tokens that models wrote", _summed("output")),
    _amount("session.blocks", "SessionEnd", "1", "events that were blocked", _told(_blocks)),
    _word("tool.kind", "PreToolUse PostToolUse", "what sort of tool it is", _kind),
    _count("policy.checks", "PreToolUse", "guards that looked at the call", _checks),
    _count("warnings", "PreToolUse", "warnings that were given", lambda outcome, past: len(outcome.warnings)),
    _word("decision", "PreToolUse", "block, ask, modify or pass", lambda outcome, past: outcome.action),
    _word("rule", "PreToolUse", "the rule that spoke first", _first_rule),
    _amount("tool.duration", "PostToolUse", "s", "how long it took, as the host says or we saw", _seconds),
    _word("tool.success", "PostToolUse", "whether it worked", _success),
    _count(
        "tool.retries", "PostToolUse", "the same call before, in this turn", _told(lambda past: past.made)
    ),
    _amount("loop.score", "PostToolUse", "1", "how much the agent goes in circles"),
    _count("redactions", "PostToolUse", "secrets that were taken out of the output", _redactions),
    _amount("tokens.before", "PreCompact", "{token}", "tokens in the context before"),
    _amount("anchors.retained", "PostCompact", "1", "share of what must be remembered that still is"),
    _amount("compression.ratio", "PostCompact", "1", "how much smaller the context became"),
    _word("error.class", "OnError", "what sort of error it was, in one word", _error),
    _count("error.recurrences", "OnError", "the same before, in the session", _told(lambda past: past.seen)),
    _word("budget.threshold", "OnBudgetExceeded", "what is running out: time or tokens", _threshold),
    _amount("budget.usage", "OnBudgetExceeded", "1", "how much of it was used, as a share", _usage),
    _count("budget.rotations", "OnBudgetExceeded", "how often the session was rotated"),
    _amount("tokens.input", "PostModelCall", "{token}", "tokens that the model read", _tokens("input")),
    _amount("tokens.output", "PostModelCall", "{token}", "tokens that the model wrote", _tokens("output")),
)
"""Every figure, by event; those of a hook itself (time, outcome, failure) are in each `Ran`."""
