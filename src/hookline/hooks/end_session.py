"""End a session that a person ended on the dashboard.

Its next tool call is blocked, and the host ends the run. The user's next prompt lets it continue.
"""

from __future__ import annotations

from hookline.core.events import PreToolUse, UserPromptSubmit
from hookline.core.hook import hook
from hookline.core.response import End, Response, block, effect, remember
from hookline.core.state import State

ENDED_NOTE = "end-session.ended"
"""Name of the note that is true if a person has ended the session."""
_MESSAGE = "A person ended this session. Do not call tools; report what is left to do, and end your turn."
_NOTICE = "you ended this session on the dashboard; your next prompt continues it"


@hook(priority=4, nature="policy", rules=("ended",))
def end_session(event: PreToolUse | UserPromptSubmit, state: State) -> Response | None:
    if not state.memory.get(ENDED_NOTE):
        return None
    if isinstance(event, UserPromptSubmit):
        return remember(**{ENDED_NOTE: False})
    return block(_MESSAGE, rule="ended").plus(effect(End(reason=_NOTICE)))
