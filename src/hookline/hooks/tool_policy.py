"""Allow, ask about or deny tools as the user's own rules say; the first rule that fits decides.

`[[hooks.tool-policy.rules]]`: an `action`, what it is for (kind, tool, host, mode, repository, branch; each a
pattern or a list of patterns, all must fit), and a `reason`.
"""

from __future__ import annotations

from collections.abc import Mapping

from hookline.events import PreToolUse
from hookline.hook import hook, later
from hookline.response import Response, allow, ask, block, remember, warn
from hookline.state import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TOLD = "tool-policy.told"


@hook(priority=8, nature="policy", on_failure="block", why=later("hookline.hooks._why.tool_policy:tree"))
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


def weighed(
    event: PreToolUse, state: State, rules: tuple[Mapping[str, Any], ...]
) -> list[tuple[Mapping[str, Any], str, str]]:
    """Each rule with what is wrong with it, and with what of the call it is not for."""
    from hookline.hooks._policy import misfit, wrong_with  # noqa: PLC0415 -- only where there are rules

    facts = _facts(event, state)
    return [(rule, bad := wrong_with(rule), "" if bad else misfit(rule, facts)) for rule in rules]


def _facts(event: PreToolUse, state: State) -> Mapping[str, tuple[str, ...]]:
    """What a rule's patterns are held against; a repository answers to its path, folder and name."""
    root = state.root
    return {
        "branch": (event.branch or state.branch,),
        "host": (event.host,),
        "kind": (event.kind,),
        "mode": (event.mode,),
        "repository": (root, root.rpartition("/")[2], event.repository),
        "tool": (event.tool,),
    }


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
