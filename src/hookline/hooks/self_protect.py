"""Block changes to hookline's own files, settings and commands.

Values that a program computes at run time are not seen. Project trust, and the terminal that protected
commands require, still apply there.
"""

from hookline.core.events import PreToolUse
from hookline.core.hook import hook
from hookline.core.response import Response, ask, block
from hookline.core.rule_exceptions import Allow, note_exceptions
from hookline.core.state import State
from hookline.hooks._self_protect import RULES, Finding, find_tree, weigh_findings


@hook(
    priority=5,
    nature="policy",
    unattended={"on_failure": "block"},
    rules=RULES,
    why=find_tree,
)
def self_protect(event: PreToolUse, state: State, *, allow: Allow = ()) -> Response | None:
    findings = weigh_findings(event, state, allow)
    found = [finding for finding, reason in findings if reason is None]
    worst = next((finding for finding in found if finding.action == "block"), found[0] if found else None)
    return note_exceptions(
        _respond(worst), ((finding.rule, reason) for finding, reason in findings if reason is not None)
    )


def _respond(finding: Finding | None) -> Response | None:
    if finding is None:
        return None
    respond = block if finding.action == "block" else ask
    return respond(finding.message, rule=finding.rule, span=finding.span)
