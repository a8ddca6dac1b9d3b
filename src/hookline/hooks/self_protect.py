"""Keep the guards out of the agent's reach: their commands, files, wiring and switches.

Judged by reading commands and paths, links followed. What a program computes only while it runs stays out of
sight; there the trust that pins a project's content and the terminal that those commands need still hold.
"""

from hookline.events import PreToolUse
from hookline.exceptions import Allow, excepted, noted
from hookline.hook import hook, later
from hookline.hooks._self import RULES, Finding, findings
from hookline.response import Response, ask, block
from hookline.state import State

_NAME = "self-protect"


@hook(
    priority=5,
    nature="policy",
    on_failure="block",
    rules=RULES,
    why=later("hookline.hooks._why.self_protect:tree"),
)
def self_protect(event: PreToolUse, state: State, *, allow: Allow = ()) -> Response | None:
    judged = weighed(event, state, allow)
    found = [one for one, spared in judged if spared is None]
    worst = next((one for one in found if one.action == "block"), found[0] if found else None)
    return noted(_answer(worst), ((one.rule, spared) for one, spared in judged if spared is not None))


def weighed(event: PreToolUse, state: State, allow: Allow) -> list[tuple[Finding, str | None]]:
    """Each finding, and the reason why it is excepted, if it is."""
    subject = event.command or event.path or ""
    return [(one, excepted(allow, _NAME, one.rule, subject)) for one in findings(event, state)]


def _answer(finding: Finding | None) -> Response | None:
    if finding is None:
        return None
    say = block if finding.action == "block" else ask
    return say(finding.message, rule=finding.rule, span=finding.span)
