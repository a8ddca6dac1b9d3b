"""Ask before a tool opens a file that may contain secrets.

If the host cannot ask, the call is blocked until the user approves the path. Shell commands that expose a
secret get a warning unless `shell` is "ask" or "block". `patterns` adds file names.
"""

from __future__ import annotations

from collections.abc import Sequence

from hookline.core.events import PostToolUse, PreToolUse, UserPromptSubmit
from hookline.core.hook import ANY, hook
from hookline.core.response import Response, ask, block, inject, modify
from hookline.core.rule_exceptions import Allow, find_exception, note_exceptions
from hookline.core.state import State
from hookline.hooks._paths import approvals, messages
from hookline.hooks._paths.exposure import lines
from hookline.hooks._paths.guarded import Exposure
from hookline.hooks._paths.privacy_verdict import RULE, SHELLS, Loudness, Weighed, tree, weighed
from hookline.hooks._paths.spelling import Place, find_place
from hookline.hooks._paths.tool_fields import stripped


@hook(
    priority={PreToolUse: 10, UserPromptSubmit: 10, PostToolUse: 10},
    nature="policy",
    rules=(RULE, *messages.EXPOSED),
    why=tree,
    unattended={"shell": "block", "on_failure": "block"},
    stricter={"shell": ("ask", "block"), "patterns": ANY},
)
def privacy_block(
    event: PreToolUse | UserPromptSubmit | PostToolUse,
    state: State,
    *,
    allow: Allow = (),
    patterns: tuple[str, ...] = (),
    shell: Loudness = "warn",
) -> Response | None:
    if not isinstance(event, PreToolUse) or event.kind == "question":
        return approvals.heard(event, state)
    place = find_place(event, state, patterns)
    if event.kind in SHELLS:
        return _judge_shell(event, place, allow, shell)
    verdicts = weighed(event, state, place, allow)
    exceptions = ((RULE, verdict.excepted) for verdict in verdicts if verdict.said == "excepted")
    return note_exceptions(_judge_files(verdicts, event, state), exceptions)


def _judge_files(verdicts: Sequence[Weighed], event: PreToolUse, state: State) -> Response | None:
    self_approved = next((verdict for verdict in verdicts if verdict.said == "block"), None)
    if self_approved is not None:
        return block(messages.self_approved(self_approved.field.path), rule="self-approval")
    waiting = [verdict.field.path for verdict in verdicts if verdict.said == "ask"]
    if waiting:
        return ask(messages.sensitive(waiting[0]), rule=RULE).plus(approvals.asked(waiting, state))
    claimed = [verdict.field for verdict in verdicts if verdict.said == "modify"]
    if not claimed:
        return None
    approved = dict.fromkeys(verdict.approval for verdict in verdicts)
    used = [approval for approval in approved if approval is not None]
    changed = modify(input=stripped(event.input, claimed), reason=messages.approved(used), rule="approved")
    return changed.plus(approvals.used(used, "privacy-block.used", state))


def _judge_shell(event: PreToolUse, place: Place, allow: Allow, shell: str) -> Response | None:
    exceptions: list[tuple[str, str]] = []
    for exposure in lines(event.command or "", event.kind, place):
        reason = find_exception(allow, "privacy-block", exposure.rule, exposure.what)
        if reason is None:
            return note_exceptions(_respond(exposure, shell), exceptions)
        exceptions.append((exposure.rule, reason))
    return note_exceptions(None, exceptions)


def _respond(exposure: Exposure, shell: str) -> Response:
    text = messages.exposed(exposure)
    if shell == "warn":
        return inject(text, rule=exposure.rule, span=exposure.span)
    return (block if shell == "block" else ask)(text, rule=exposure.rule, span=exposure.span)
