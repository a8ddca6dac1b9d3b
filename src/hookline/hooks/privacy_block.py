"""Keep secrets out of the conversation: ask a person before a tool opens a file that may hold some."""

from __future__ import annotations

from collections.abc import Sequence

from hookline.core.events import PostToolUse, PreToolUse, UserPromptSubmit
from hookline.core.hook import ANY, hook
from hookline.core.response import Response, ask, block, inject, modify
from hookline.core.rule_exceptions import Allow, excepted, noted
from hookline.core.state import State
from hookline.hooks._paths import approvals, messages
from hookline.hooks._paths.exposure import lines
from hookline.hooks._paths.guarded import Exposure, Place
from hookline.hooks._paths.privacy_verdict import RULE, SHELLS, Loudness, Weighed, tree, weighed, whereabouts
from hookline.hooks._paths.tool_fields import stripped


@hook(
    priority={PreToolUse: 10, UserPromptSubmit: 10, PostToolUse: 10},
    nature="policy",
    on_failure="block",
    rules=(RULE, *messages.EXPOSED),
    why=tree,
    unattended={"shell": "block"},
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
    if not isinstance(event, PreToolUse):
        return approvals.heard(event, state)
    place = whereabouts(event, state, patterns)
    if event.kind in SHELLS:
        return _shell(event, place, allow, shell)
    judged = weighed(event, state, place, allow)
    spared = ((RULE, one.excepted) for one in judged if one.said == "excepted")
    return noted(_files(judged, event, state), spared)


def _files(judged: Sequence[Weighed], event: PreToolUse, state: State) -> Response | None:
    own = next((one for one in judged if one.said == "block"), None)
    if own is not None:
        return block(messages.self_approved(own.field.path), rule="self-approval")
    waiting = [one.field.path for one in judged if one.said == "ask"]
    if waiting:
        return ask(messages.sensitive(waiting[0]), rule=RULE).plus(approvals.asked(waiting, state))
    claimed = [one.field for one in judged if one.said == "modify"]
    if not claimed:
        return None
    by = [one for one in dict.fromkeys(one.approval for one in judged) if one is not None]
    changed = modify(input=stripped(event.input, claimed), reason=messages.approved(by), rule="approved")
    return changed.plus(approvals.used(by, "privacy-block.used", state))


def _shell(event: PreToolUse, place: Place, allow: Allow, shell: str) -> Response | None:
    spared: list[tuple[str, str]] = []
    for one in lines(event.command or "", event.kind, place):
        reason = excepted(allow, "privacy-block", one.rule, one.what)
        if reason is None:
            return noted(_said(one, shell), spared)
        spared.append((one.rule, reason))
    return noted(None, spared)


def _said(one: Exposure, shell: str) -> Response:
    text = messages.exposed(one)
    if shell == "warn":
        return inject(text, rule=one.rule, span=one.span)
    return (block if shell == "block" else ask)(text, rule=one.rule, span=one.span)
