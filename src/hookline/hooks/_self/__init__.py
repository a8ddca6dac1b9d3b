"""The rules of self-protect: what of a tool's call would change what guards the agent."""

from __future__ import annotations

from hookline.bash.options import spelled
from hookline.hooks._self.finding import RULES, Finding
from hookline.hooks._self.guarded import guard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.events import PreToolUse
    from hookline.state import State

__all__ = ["RULES", "Finding", "findings"]

_READING = spelled("read glob grep list search fetch question agent")
"""Kinds of tools that change no file; what helper agents do is judged when they do it."""


def findings(event: PreToolUse, state: State) -> Iterator[Finding]:
    """Everything in the call that a rule speaks about."""
    if event.kind in _READING:
        return
    here = guard(event.cwd, state)
    if event.kind == "shell" and event.command:
        from hookline.hooks._self.shell import typed  # noqa: PLC0415 -- tools that write need none of it

        yield from typed(event.command, here)
        return
    from hookline.hooks._self.tools import other, windows, written  # noqa: PLC0415 -- a shell needs none of it

    if event.kind in ("powershell", "cmd") and event.command:
        yield from windows(event.command, here)
    elif event.kind in ("write", "edit"):
        yield from written(event, here)
    else:
        yield from other(event, here)
