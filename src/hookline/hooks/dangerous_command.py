"""Block shell commands that destroy work.

Commands are parsed, so quoting, known wrappers and variables do not hide them. Rules about this machine
and its repositories block, and rules about remote services ask; `packs` changes this. `allow` excepts rules,
`runners` adds programs that run their arguments, and `programs` the effect of others on their operands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from hookline.core.events import PreToolUse
from hookline.core.hook import ANY, hook
from hookline.core.response import Response, ask, block, inject
from hookline.core.rule_exceptions import Allow, note_exceptions
from hookline.core.state import State
from hookline.core.values import replace
from hookline.hooks._dangerous_command import Action, Finding, Programs, findings
from hookline.hooks._dangerous_command.verdict import (
    SHELLS,
    TIGHTER,
    Packs,
    command_line_of,
    decide,
    find_place,
    rules,
    tree,
)

_WEIGHTS = {"block": 2, "ask": 1, "warn": 0}
_NO_RUNNERS: Mapping[str, str] = {}
_NO_PROGRAMS: Programs = {}
_DEFAULT_PACKS: Packs = {}


@hook(
    priority=14,
    nature="policy",
    unattended={"on_failure": "block"},
    aliases=("dangerous-cmd-block",),
    rules=rules,
    why=tree,
    stricter={"lease": ("block",), "packs": TIGHTER, "runners": ANY, "programs": ANY},
)
def dangerous_command(
    event: PreToolUse,
    state: State,
    *,
    allow: Allow = (),
    lease: Literal["warn", "block"] = "warn",
    packs: Packs = _DEFAULT_PACKS,
    programs: Programs = _NO_PROGRAMS,
    protected: tuple[str, ...] = ("main", "master"),
    runners: Mapping[str, str] = _NO_RUNNERS,
) -> Response | None:
    line = command_line_of(event)
    if not line:
        return None
    place = find_place(event, state, protected, lease)
    shell = SHELLS.get(event.kind, "bash")
    found = findings(line, place, runners=runners, programs=programs, shell=shell)
    verdicts = decide(found, allow, packs)
    active = [(verdict.action, verdict.finding) for verdict in verdicts if verdict.action is not None]
    response = _respond(*max(active, key=lambda pair: _WEIGHTS[pair[0]])) if active else None
    if response is not None and line != event.command:
        response = replace(response, span=None)  # the line stands for the call of another tool
    return note_exceptions(
        response,
        ((verdict.finding.rule, verdict.excepted) for verdict in verdicts if verdict.excepted is not None),
    )


def _respond(verdict: Action, finding: Finding) -> Response:
    text = finding.message(verdict)
    if verdict == "warn":
        return inject(text, rule=finding.rule, span=finding.span)
    respond = block if verdict == "block" else ask
    return respond(text, rule=finding.rule, span=finding.span)
