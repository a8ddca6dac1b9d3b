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
from hookline.hooks._tool_policy import tree, weighed

_TOLD = "tool-policy.told"


@hook(priority=8, nature="policy", on_failure="block", why=tree)
def tool_policy(
    event: PreToolUse, state: State, *, rules: tuple[Mapping[str, Any], ...] = ()
) -> Response | None:
    if not rules:
        return None
    judged = weighed(event, state, rules)
    wrong = [f"tool-policy: rule {number} {bad}" for number, (_, bad, _) in enumerate(judged, 1) if bad]
    fitting = ((number, rule) for number, (rule, *no) in enumerate(judged, 1) if not any(no))
    said = _answer(*next(fitting, (0, {})), event)
    if not wrong or list(state.memory.get(_TOLD, ())) == wrong:
        return said
    return (said or Response()).plus(warn(*wrong)).plus(remember(**{_TOLD: wrong}))


def _answer(number: int, rule: Mapping[str, Any], event: PreToolUse) -> Response | None:
    if not rule:
        return None
    name, reason = f"rule-{number}", rule.get("reason", "")
    if rule["action"] == "allow":
        return allow(reason, rule=name)
    if rule["action"] == "ask":
        return ask(reason or f"A rule of the user wants to be asked before {event.tool} is used.", rule=name)
    said = reason or f"A rule of the user forbids {event.tool} here."
    return block(f"{said} Go on without it, or ask the person you work for.", rule=name)
