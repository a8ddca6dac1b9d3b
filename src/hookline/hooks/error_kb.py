"""Warn of commands that failed before, and suggest the fix that helped.

Failures are compared by program and first error line. The commands between a failure and the next success
within `within` seconds are its fix. Confidence grows with use and halves every 45 days.
"""

from __future__ import annotations

from hookline.core.derive import HOOK_KIND
from hookline.core.events import OnError, PostToolUse, PreToolUse
from hookline.core.hook import hook
from hookline.core.response import Response
from hookline.core.state import State
from hookline.hooks import _error_kb
from hookline.hooks._error_kb import warn_of_known

_PENDING_NOTE = "error-kb.pending"
_SHELLS = ("shell", "powershell", "cmd")


@hook(priority=50, nature="advice")
def error_kb(
    event: PreToolUse | PostToolUse | OnError,
    state: State,
    *,
    confident: float = 0.4,
    within: int = 120,
    quiet: int = 600,
) -> Response | None:
    if isinstance(event, PreToolUse):
        return _warn_before(event, state, confident) if event.kind in _SHELLS else None
    if isinstance(event, PostToolUse) and event.success and not state.memory.get(_PENDING_NOTE):
        return None
    limits = _error_kb.Limits(confident, within, quiet)
    if isinstance(event, OnError):  # the agent cannot fix a hook
        return _error_kb.advise(event, state, limits) if event.kind != HOOK_KIND else None
    return (_error_kb.record_success if event.success else _error_kb.record_failure)(event, state, limits)


def _warn_before(event: PreToolUse, state: State, confident: float) -> Response | None:
    line = event.command or ""
    known = [
        error
        for error in state.facts.get("fixed_errors") or ()
        if error.command and error.command.split()[0] in line
    ]
    confident_errors = [error for error in known if error.confidence_at(state.now) >= confident]
    if not confident_errors:
        return None
    return warn_of_known(event, state, confident_errors)
