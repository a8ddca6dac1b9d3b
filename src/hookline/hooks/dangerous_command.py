"""Stop shell commands that destroy work: forced pushes, hard resets, deleted trees, in any disguise.

The line is read as a shell would, so that quoting, wrappers and variables hide nothing, and text that only
mentions a command stays text.
"""

from typing import Literal

from hookline.events import PreToolUse
from hookline.hook import hook
from hookline.hooks._dangerous import Finding, Place, findings
from hookline.response import Response, ask, block, inject
from hookline.state import State

_WEIGHTS = {"block": 2, "ask": 1, "warn": 0}
_SOMEWHERE = "/here"
"""Stands for a working folder that nobody told us, so that `.` still means that folder."""


@hook(priority=14, nature="policy", aliases=("dangerous-cmd-block",), stricter={"lease": ("block",)})
def dangerous_command(
    event: PreToolUse,
    state: State,
    *,
    allow: tuple[str, ...] = (),
    lease: Literal["warn", "block"] = "warn",
    protected: tuple[str, ...] = ("main", "master"),
) -> Response | None:
    if event.kind != "shell" or not event.command:
        return None
    place = Place(
        cwd=event.cwd or state.root or _SOMEWHERE,
        home=state.home,
        root=state.root,
        protected=protected,
        lease=lease,
    )
    found = [one for one in findings(event.command, place) if not _allowed(one, allow)]
    return _answer(max(found, key=lambda one: _WEIGHTS[one.action])) if found else None


def _allowed(finding: Finding, allow: tuple[str, ...]) -> bool:
    return finding.rule in allow or f"dangerous-command:{finding.rule}" in allow


def _answer(finding: Finding) -> Response:
    if finding.action == "warn":
        return inject(finding.message, rule=finding.rule, span=finding.span)
    say = block if finding.action == "block" else ask
    return say(finding.message, rule=finding.rule, span=finding.span)
