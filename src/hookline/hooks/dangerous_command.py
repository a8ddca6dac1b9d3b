"""Stop shell commands that destroy work: forced pushes, hard resets, deleted trees, in any disguise.

The line is read as a shell would, so that quoting, wrappers and variables hide nothing, and text that only
mentions a command stays text. Rules come in packs, all of them on: those about this machine and its
repositories block, those about services elsewhere ask. `packs` changes that ("block", "ask" or "off"),
`allow` excepts a rule, `runners` names further programs that run their arguments, each with its options
that take a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from hookline.core.events import PreToolUse
from hookline.core.hook import ANY, hook
from hookline.core.response import Response, ask, block, inject
from hookline.core.rule_exceptions import Allow, noted
from hookline.core.state import State
from hookline.hooks._dangerous_command import Action, Finding, findings
from hookline.hooks._dangerous_command.explain import SHELLS, command_line_of, tree, whereabouts
from hookline.hooks._dangerous_command.packs import TIGHTER, Packs, decided, rules

_WEIGHTS = {"block": 2, "ask": 1, "warn": 0}
_NOTHING: Mapping[str, str] = {}
_AS_THEY_COME: Packs = {}


@hook(
    priority=14,
    nature="policy",
    on_failure="block",
    aliases=("dangerous-cmd-block",),
    rules=rules,
    why=tree,
    stricter={"lease": ("block",), "packs": TIGHTER, "runners": ANY},
)
def dangerous_command(
    event: PreToolUse,
    state: State,
    *,
    allow: Allow = (),
    lease: Literal["warn", "block"] = "warn",
    packs: Packs = _AS_THEY_COME,
    protected: tuple[str, ...] = ("main", "master"),
    runners: Mapping[str, str] = _NOTHING,
) -> Response | None:
    line = command_line_of(event)
    if not line:
        return None
    place = whereabouts(event, state, protected, lease)
    found = findings(line, place, runners=runners, shell=SHELLS.get(event.kind, "bash"))
    judged = decided(found, allow, packs)
    heard = [(one.action, one.finding) for one in judged if one.action is not None]
    said = _answer(*max(heard, key=lambda one: _WEIGHTS[one[0]])) if heard else None
    return noted(said, ((one.finding.rule, one.excepted) for one in judged if one.excepted is not None))


def _answer(verdict: Action, finding: Finding) -> Response:
    text = finding.message(verdict)
    if verdict == "warn":
        return inject(text, rule=finding.rule, span=finding.span)
    say = block if verdict == "block" else ask
    return say(text, rule=finding.rule, span=finding.span)
