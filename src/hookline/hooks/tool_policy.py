"""Allow, ask about or deny tools as the user's own rules say; the first rule that fits decides.

`[[hooks.tool-policy.rules]]`: an `action`, what it is for (kind, tool, host, mode, repository, branch; each a
pattern or a list of patterns, all must fit), and a `reason`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookline.core.events import PreToolUse
from hookline.core.hook import hook
from hookline.core.response import Response, allow, ask, block, remember, warn
from hookline.core.state import State
from hookline.hooks._tool_policy import evaluate_rules, tree

_REPORTED_NOTE = "tool-policy.told"


@hook(priority=8, nature="policy", on_failure="block", why=tree)
def tool_policy(
    event: PreToolUse, state: State, *, rules: tuple[Mapping[str, Any], ...] = ()
) -> Response | None:
    if not rules:
        return None
    judged = evaluate_rules(event, state, rules)
    problems = [
        f"tool-policy: rule {number} {error}" for number, (_, error, _) in enumerate(judged, 1) if error
    ]
    fitting = ((number, rule) for number, (rule, *reasons) in enumerate(judged, 1) if not any(reasons))
    response = _respond(*next(fitting, (0, {})), event)
    if not problems or list(state.memory.get(_REPORTED_NOTE, ())) == problems:
        return response
    return (response or Response()).plus(warn(*problems)).plus(remember(**{_REPORTED_NOTE: problems}))


def _respond(number: int, rule: Mapping[str, Any], event: PreToolUse) -> Response | None:
    if not rule:
        return None
    name, reason = f"rule-{number}", rule.get("reason", "")
    if rule["action"] == "allow":
        return allow(reason, rule=name)
    if rule["action"] == "ask":
        return ask(reason or f"A rule of the user wants to be asked before {event.tool} is used.", rule=name)
    message = reason or f"A rule of the user forbids {event.tool} here."
    return block(f"{message} Go on without it, or ask the person you work for.", rule=name)
