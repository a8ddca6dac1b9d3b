"""What an answer came to, written down so that whoever is asked the same can give it again."""

from __future__ import annotations

import json
from typing import Any

from hookline.core import chain
from hookline.core.degrade import answer
from hookline.core.events import Event, PostToolUse, PreToolUse
from hookline.core.frozen import frozen, thawed
from hookline.core.hook import Hook
from hookline.core.host import Host, Reply
from hookline.core.outcome import Outcome, Step
from hookline.core.values import replace
from hookline.redact import redact, redact_json
from hookline.runtime.runtime import Runtime

UNSURE = {"failed", "timed-out", "skipped"}
"""What a hook did that another try may do better."""
LONGEST = 100_000


def spoken(runtime: Runtime) -> str:
    """What the last answer came to, as JSON; empty where it cannot be given again without judging."""
    said = runtime.said
    if said is not None and said.silent:
        return "{}"
    if said is None or said.capped or any(step.said in UNSURE and _counts(step) for step in said.trail):
        return ""
    warnings = [redact(one) for one in said.warnings if one not in said.private]
    told: dict[str, Any] = {"warnings": warnings, "context": _context(runtime, said)}
    for name in ("blocked", "asked", "allowed"):
        reason = getattr(said, name)
        told |= {} if reason is None else {name: redact(reason)}
    changers = sorted({step.hook for step in said.trail if step.said == "modify"})
    if changers and isinstance(said.event, PreToolUse):
        told["input"] = thawed(said.event.input)
        if redact_json(told["input"]) != told["input"]:
            return ""  # what must not be kept
    elif changers:
        told["again"] = changers
        if any(hook.source != "built-in" for hook in runtime.hooks if hook.name in changers):
            return ""
    text = json.dumps({key: value for key, value in told.items() if value or value == ""})
    return text if len(text) <= LONGEST else ""


def _counts(step: Step) -> bool:
    """What was skipped because something else had blocked already is no gap."""
    return step.said != "skipped" or "blocked" not in step.note


def _context(runtime: Runtime, said: Outcome) -> list[str]:
    """What policies told the agent; advice such as the countdown is heard once, and stands by no rule."""
    policies = {hook.name: hook.source for hook in runtime.hooks if hook.nature == "policy"}
    steps = (step for step in said.trail if step.rule or policies.get(step.hook, "built-in") != "built-in")
    told = [text for step in steps if step.hook in policies for text in step.told]
    return [redact(text) for text in told]


def stopped(said: str) -> bool:
    return not json.loads(said).keys().isdisjoint({"blocked", "asked"})


def repeat(runtime: Runtime, host: Host, name: str, event: Event, said: str) -> Reply:
    """The reply to what another was asked as well: what it said, and nothing that adds up."""
    told = json.loads(said)
    outcome = Outcome(
        event=event,
        blocked=told.get("blocked"),
        asked=told.get("asked"),
        allowed=told.get("allowed"),
        context=tuple(told.get("context", ())),
        warnings=tuple(told.get("warnings", ())),
    )
    if "input" in told and isinstance(event, PreToolUse):
        step = Step(hook="hookline", said="modify")
        outcome = replace(outcome, event=replace(event, input=frozen(told["input"])), trail=(step,))
    elif "again" in told and isinstance(event, PostToolUse):
        judged = chain.run(
            event, runtime.state(event), _named(runtime, told["again"]), runtime.how(host.within)
        )
        outcome = replace(outcome, event=judged.event, trail=judged.trail)
    return answer(host, name, event, outcome, runtime.cap(host.context_cap))[0]


def _named(runtime: Runtime, names: list[str]) -> list[Hook]:
    return [hook for hook in runtime.hooks if hook.enabled and hook.name in names]
