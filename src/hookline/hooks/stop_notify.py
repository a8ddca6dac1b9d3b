"""Tell whoever is waiting that a session has ended: on the terminal, and by a webhook where one is set.

With `AR_NOTIFY_WEBHOOK` set to an address, `{text, project, branch, duration, tsv_summary}` is posted there
as JSON. Of a session that nobody sits at, the end of its turn tells it already; of those of an engine's run
nothing is told but the end of the run.
"""

from __future__ import annotations

from hookline.core.events import SessionEnd, Stop
from hookline.core.frozen import Frozen
from hookline.core.hook import hook
from hookline.core.response import Mirror, Notify, Post, Response, effect, remember
from hookline.core.state import State
from hookline.hooks._context import begun, is_known, key, lasted

WEBHOOK = "AR_NOTIFY_WEBHOOK"
RUN = "HOOKLINE_RUN"
"""The variable by which an engine marks its sessions."""
_TOLD = "stop-notify.told"
"""The note that the end was told with the turn's."""


@hook(priority=94, nature="observer")
def stop_notify(event: SessionEnd | Stop, state: State, *, terminal: bool = True) -> Response | None:
    over = isinstance(event, SessionEnd)
    if not over and (event.subagent or state.blocked or not state.facts.get("headless")):
        return None
    gone = effect(Mirror(key=key(event, begun(event, state)))) if over else remember(**{_TOLD: True})
    told = (over and state.memory.get(_TOLD)) or state.env.get(RUN)
    return gone if told else gone.plus(_told(event, state, terminal=terminal))


def _told(event: SessionEnd | Stop, state: State, *, terminal: bool) -> Response:
    project = (state.root or event.cwd).rstrip("/").rpartition("/")[2]
    journal = state.facts.get("journal")
    says = {
        "project": project,
        "branch": state.branch,
        "duration": lasted(state.now - begun(event, state).at) if is_known(state) else "unknown",
        "tsv_summary": journal.summary if journal else "",
    }
    after = f"ended after {says['duration']}" if is_known(state) else "ended"
    where = f"{project} ({state.branch})" if state.branch else project
    text = "; ".join(filter(None, (f"{where}: the session {after}", says["tsv_summary"])))
    url = state.env.get(WEBHOOK, "").strip()
    shown = [Notify(title="hookline", text=text)] if terminal else []
    posted = [Post(to=url, says=Frozen({"text": text, **says}))] if url else []
    return effect(*shown, *posted) if shown or posted else Response()
