"""The rules of self-protect: what of a tool's call would change what guards the agent."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.bash.options import spelled
from hookline.events import PreToolUse
from hookline.exceptions import Allow, excepted
from hookline.hooks._self.finding import RULES, Finding
from hookline.hooks._self.guarded import guard
from hookline.hooks._self.shell import typed
from hookline.hooks._self.tools import other, windows, written
from hookline.state import State

__all__ = ["RULES", "Finding", "findings", "weighed"]

NAME = "self-protect"
_READING = spelled("read glob grep list search fetch question agent")
"""Kinds of tools that change no file; what helper agents do is judged when they do it."""


def findings(event: PreToolUse, state: State) -> Iterator[Finding]:
    """Everything in the call that a rule speaks about."""
    if event.kind in _READING:
        return
    here = guard(event.cwd, state)
    if event.kind == "shell" and event.command:
        yield from typed(event.command, here)
        return
    if event.kind in ("powershell", "cmd") and event.command:
        yield from windows(event.command, here)
    elif event.kind in ("write", "edit"):
        yield from written(event, here)
    else:
        yield from other(event, here)


def weighed(event: PreToolUse, state: State, allow: Allow) -> list[tuple[Finding, str | None]]:
    """Each finding, and the reason why it is excepted, if it is."""
    subject = event.command or event.path or ""
    return [(one, excepted(allow, NAME, one.rule, subject)) for one in findings(event, state)]
