"""The rules of self-protect: what of a tool's call would change what guards the agent."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.core.events import PreToolUse
from hookline.core.explanation import Branch, branch
from hookline.core.rule_exceptions import Allow, find_exception
from hookline.core.state import State
from hookline.hooks._self_protect.finding import RULES, Finding
from hookline.hooks._self_protect.guarded_paths import guard
from hookline.hooks._self_protect.shell import typed
from hookline.hooks._self_protect.tools import other, windows, written
from hookline.shell.options import word_set

__all__ = ["RULES", "Finding", "findings", "weighed"]

NAME = "self-protect"
_READING = word_set("read glob grep list search fetch question agent")
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
    return [(one, find_exception(allow, NAME, one.rule, subject)) for one in findings(event, state)]


def tree(event: PreToolUse, state: State, *, allow: Allow) -> Iterator[Branch]:
    judged = dict.fromkeys(weighed(event, state, allow))
    for one, spared in judged:
        text = f"{one.rule}: {one.what}"
        if spared is not None:
            yield branch(text, judgement="excepted", rule=one.rule, because=spared)
        else:
            yield branch(text, judgement=one.action, rule=one.rule)
    if not judged:
        yield branch("nothing of what guards the agent is touched")
