"""Keep the agent out of folders that waste its context: what is installed, generated, or not its business."""

from hookline.core.events import PreToolUse
from hookline.core.hook import ANY, hook
from hookline.core.response import Response, block, modify, remember, warn
from hookline.core.rule_exceptions import Allow, noted
from hookline.core.state import State
from hookline.hooks._paths import approvals, ignore_rules, messages
from hookline.hooks._paths.scout_rules import Ground
from hookline.hooks._paths.scout_verdict import RULES, claims, scouted, tree, whereabouts
from hookline.hooks._paths.tool_fields import stripped


@hook(
    priority=12,
    nature="policy",
    on_failure="block",
    rules=RULES,
    why=tree,
    stricter={"patterns": ANY},
)
def scout_block(
    event: PreToolUse, state: State, *, allow: Allow = (), patterns: tuple[str, ...] = ()
) -> Response | None:
    ground = whereabouts(event, state, patterns)
    spared: list[tuple[str, str]] = []
    answer = _first(event, state, ground, allow, spared) or _unclaimed(event, state)
    told = _told(ground, state)
    return noted(answer.plus(told) if answer and told else answer or told, spared)


def _first(
    event: PreToolUse, state: State, ground: Ground, allow: Allow, spared: list[tuple[str, str]]
) -> Response | None:
    """What stops the call; *spared* takes what was excepted before."""
    for one in scouted(event, state, ground, allow):
        if one.excepted is not None:
            spared.append((one.rule, one.excepted))
        elif one.found is not None:
            return block(messages.scouted(one.found), rule=one.rule, span=one.found.span)
    return None


def _unclaimed(event: PreToolUse, state: State) -> Response | None:
    """The call without the prefixes that say it was approved; a yes that let it pass is used up."""
    claimed = claims(event)
    if not claimed:
        return None
    granted = approvals.approvals((one.path for one in claimed), event, state)
    by = [one for one in granted.values() if one is not None]
    return modify(input=stripped(event.input, claimed)).plus(approvals.used(by, "scout-block.used", state))


def _told(ground: Ground, state: State) -> Response | None:
    """Lines of `.ckignore` that mean nothing, said to the user once."""
    problems = list(ignore_rules.rules(ground.own, ground.extra).problems[:10]) if ground.own.strip() else []
    if not problems or list(state.memory.get("scout-block.told", ())) == problems:
        return None
    return warn(*problems).plus(remember(**{"scout-block.told": problems}))
