"""Allow, ask about or deny tools by the user's rules.

A rule has an `action` ("allow", "ask" or "deny"), a `reason`, and patterns for kind, tool, host, mode,
repository and branch. The first rule that matches decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookline.core.events import PreToolUse
from hookline.core.hook import hook
from hookline.core.response import Response, allow, ask, block
from hookline.core.state import State
from hookline.hooks._tool_policy import evaluate_rules, find_rule_error, tree


@hook(
    priority=8,
    nature="policy",
    unattended={"on_failure": "block"},
    checks={"rules": find_rule_error},
    why=tree,
)
def tool_policy(
    event: PreToolUse, state: State, *, rules: tuple[Mapping[str, Any], ...] = ()
) -> Response | None:
    if not rules:
        return None
    judged = evaluate_rules(event, state, rules)
    fitting = ((number, rule) for number, (rule, *reasons) in enumerate(judged, 1) if not any(reasons))
    return _respond(*next(fitting, (0, {})), event)


def _respond(number: int, rule: Mapping[str, Any], event: PreToolUse) -> Response | None:
    if not rule:
        return None
    name, reason = f"rule-{number}", rule.get("reason", "")
    if rule["action"] == "allow":
        return allow(reason, rule=name)
    if rule["action"] == "ask":
        return ask(reason or f"A rule of the user requires approval before {event.tool} runs.", rule=name)
    message = reason or f"A rule of the user denies {event.tool} here."
    return block(f"{message} Continue without it, or ask the user.", rule=name)
