"""Block changes outside of the scope of an engine's run before they happen.

The agent of `hookline run` may change the files in the scope of the target, the file of ideas, and temporary
files. The engine reverts what a program changes unseen.
"""

from hookline.core.events import PreToolUse
from hookline.core.hook import hook
from hookline.core.response import Response, block
from hookline.core.state import State
from hookline.hooks._run_scope import RULES, Finding, find_findings, find_tree

_MESSAGES = {
    "outside": (
        "{path!r} is not part of this experiment, which works in {root!r}. Change files there instead, "
        "or write temporary files to /tmp."
    ),
    "scope": (
        "{path!r} is outside of the scope of this run, and the change would not count. "
        "Only these files may change: {mutable}."
    ),
}


@hook(priority=9, nature="policy", unattended={"on_failure": "block"}, rules=RULES, why=find_tree)
def run_scope(event: PreToolUse, state: State) -> Response | None:
    finding = next(find_findings(event, state), None)
    return _respond(finding, state) if finding else None


def _respond(finding: Finding, state: State) -> Response:
    text = _MESSAGES[finding.rule].format(path=finding.path, root=state.root, mutable=finding.mutable)
    return block(text, rule=finding.rule)
