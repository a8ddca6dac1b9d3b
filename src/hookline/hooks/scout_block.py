"""Block access to folders that waste the agent's context.

These hold dependencies, build output and logs. `patterns` and `.ckignore` add gitignore patterns; a line such
as `!dist/production/` in `.ckignore` allows a path.
"""

from hookline.core.events import PreToolUse
from hookline.core.hook import ANY, hook
from hookline.core.response import Response, block, modify, remember, warn
from hookline.core.rule_exceptions import Allow, note_exceptions
from hookline.core.state import State
from hookline.hooks._paths import approvals, ignore_rules, messages
from hookline.hooks._paths.scout_verdict import RULES, claims, find_scout_place, scouted, tree
from hookline.hooks._paths.spelling import Place
from hookline.hooks._paths.tool_fields import fields, stripped


@hook(
    priority=12,
    nature="policy",
    unattended={"on_failure": "block"},
    rules=RULES,
    why=tree,
    stricter={"patterns": ANY},
)
def scout_block(
    event: PreToolUse, state: State, *, allow: Allow = (), patterns: tuple[str, ...] = ()
) -> Response | None:
    place = find_scout_place(event, state, patterns)
    exceptions: list[tuple[str, str]] = []
    answer = _find_block(event, state, place, allow, exceptions) or _strip_approvals(event, state)
    warning = _warn_of_problems(place, state)
    return note_exceptions(answer.plus(warning) if answer and warning else answer or warning, exceptions)


def _find_block(
    event: PreToolUse, state: State, place: Place, allow: Allow, exceptions: list[tuple[str, str]]
) -> Response | None:
    """Return the response that stops the call; append earlier exceptions to *exceptions*."""
    for verdict in scouted(event, state, place, allow):
        if verdict.excepted is not None:
            exceptions.append((verdict.rule, verdict.excepted))
        elif verdict.found is not None:
            return block(messages.scouted(verdict.found), rule=verdict.rule, span=verdict.found.span)
    return None


def _strip_approvals(event: PreToolUse, state: State) -> Response | None:
    """Return the call without the prefixes that claim an approval; the approvals that it used are spent."""
    claimed = claims(fields(event))
    if not claimed:
        return None
    granted = approvals.approvals((field.path for field in claimed), event, state)
    used = [approval for approval in granted.values() if approval is not None]
    return modify(input=stripped(event.input, claimed)).plus(approvals.used(used, "scout-block.used", state))


def _warn_of_problems(place: Place, state: State) -> Response | None:
    """Warn the user once about invalid lines of `.ckignore`."""
    problems = list(ignore_rules.rules(place.own, place.patterns).problems[:10]) if place.own.strip() else []
    if not problems or list(state.memory.get("scout-block.told", ())) == problems:
        return None
    return warn(*problems).plus(remember(**{"scout-block.told": problems}))
