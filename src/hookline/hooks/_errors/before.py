"""A word before a command that is known to fail: what it fails with, and what helped."""

from __future__ import annotations

from hookline.events import PreToolUse
from hookline.failures import squeezed
from hookline.hooks._errors import telling
from hookline.knowledge import Signature
from hookline.response import Response, inject, remember
from hookline.state import State

WARNED = "error-kb.warned"
"""The errors that the agent was warned of, or got over, in this session."""
MOST = 50


def warned(event: PreToolUse, state: State, known: list[Signature]) -> Response | None:
    """The warning, for the first of the *known* errors that this command line is about."""
    line = squeezed(event.command or "")
    told = list(state.memory.get(WARNED) or ())
    for one in known:
        if one.key not in told and _begins(one.command, line):
            said = inject(telling.warning(one), rule="known-failure")
            return said.plus(remember(**{WARNED: [*told, one.key][-MOST:]}))
    return None


def _begins(command: str, line: str) -> bool:
    """Whether the words that failed begin the line, or one of the commands in it."""
    at = line.find(command)
    while at >= 0:
        whole = line[at + len(command) : at + len(command) + 1] in ("", " ", ";", "&", "|", ")")
        if whole and (at == 0 or line[:at].rstrip()[-1:] in ("&", ";", "|", "(")):
            return True
        at = line.find(command, at + 1)
    return False
