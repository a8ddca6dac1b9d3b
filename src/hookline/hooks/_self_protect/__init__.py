"""Rules of self-protect: find the parts of a tool call that would change the guards themselves."""

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
from hookline.shell import MAX_LINE
from hookline.shell.options import word_set

__all__ = ["RULES", "Finding", "findings", "weighed"]

NAME = "self-protect"
_SHELLS = word_set("shell powershell cmd")
_READING = word_set("read glob grep list search fetch question agent")
"""Kinds of tools that change no file. The calls of a helper agent are judged when it makes them."""


def findings(event: PreToolUse, state: State) -> Iterator[Finding]:
    """Yield a finding for every part of the call that breaks a rule."""
    if event.kind in _READING:
        return
    here, command = guard(event.cwd, state), event.command
    if command and event.kind in _SHELLS and len(command) > MAX_LINE:
        yield Finding(rule="too-long", what=f"{len(command):,} characters", action="ask")
    elif command and event.kind in _SHELLS:
        yield from (typed if event.kind == "shell" else windows)(command, here)
    elif event.kind in ("write", "edit"):
        yield from written(event, here)
    else:
        yield from other(event, here)


def weighed(event: PreToolUse, state: State, allow: Allow) -> list[tuple[Finding, str | None]]:
    """Return each finding with the reason of the exception that covers it, or None."""
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
        yield branch("no protected file, setting or command is affected")
