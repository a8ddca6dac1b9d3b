"""Suggest the fix that helped when a known failure occurs again.

Failures are compared by program and by the line that names the cause. If one changing step lies between a
failure and the next success of the same command within `within` seconds, it is the fix. Confidence grows with
use, falls when the command passes without the fix, and halves every 45 days.
"""

from __future__ import annotations

from hookline.core.derive import HOOK_KIND
from hookline.core.events import OnError, PostToolUse
from hookline.core.hook import hook
from hookline.core.response import Response
from hookline.core.state import State
from hookline.hooks import _error_kb

_PENDING_NOTE = "error-kb.pending"


@hook(priority=50, nature="advice")
def error_kb(
    event: PostToolUse | OnError,
    state: State,
    *,
    confident: float = 0.4,
    within: int = 3600,
    quiet: int = 600,
) -> Response | None:
    limits = _error_kb.Limits(confident, within, quiet)
    if isinstance(event, OnError):  # the agent cannot fix a hook
        return _error_kb.advise(event, state, limits) if event.kind != HOOK_KIND else None
    if _error_kb.has_failed(event):
        return _error_kb.record_failure(event, state, limits)
    return _error_kb.record_success(event, state, limits) if state.memory.get(_PENDING_NOTE) else None
