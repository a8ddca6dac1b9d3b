"""Notify the user when a session has ended.

The terminal shows a message, and JSON is posted to the URL in `HOOKLINE_NOTIFY_WEBHOOK`, in a `format`
that is chosen by the name of its server. Headless sessions notify at the end of a turn, and an engine's run
notifies once, at its end.
"""

from __future__ import annotations

from hookline.core.events import SessionEnd, Stop
from hookline.core.hook import hook
from hookline.core.response import Mirror, Notify, Response, effect, remember
from hookline.core.state import State
from hookline.core.variables import WEBHOOK
from hookline.core.webhook_message import WebhookFormat, build_post
from hookline.hooks._context import format_duration, has_session_info, load_session_info, mirror_key

RUN_VARIABLE = "HOOKLINE_RUN"
"""Environment variable with which an engine marks its sessions."""
_NOTIFIED_NOTE = "stop-notify.told"
"""Name of the note that the end was already reported with the end of the turn."""


@hook(priority=94, nature="observer")
def stop_notify(
    event: SessionEnd | Stop,
    state: State,
    *,
    terminal: bool = True,
    format: WebhookFormat = "auto",  # noqa: A002 -- the name of the setting
) -> Response | None:
    is_end = isinstance(event, SessionEnd)
    if not is_end and (event.subagent or state.blocked or not state.facts.get("headless")):
        return None
    answer = (
        effect(Mirror(key=mirror_key(event, load_session_info(event, state))))
        if is_end
        else remember(**{_NOTIFIED_NOTE: True})
    )
    is_reported = (is_end and state.memory.get(_NOTIFIED_NOTE)) or state.env.get(RUN_VARIABLE)
    return answer if is_reported else answer.plus(_notify(event, state, format, terminal=terminal))


def _notify(event: SessionEnd | Stop, state: State, form: WebhookFormat, *, terminal: bool) -> Response:
    project = (state.root or event.cwd).rstrip("/").rpartition("/")[2]
    journal = state.facts.get("journal")
    fields = {
        "project": project,
        "branch": state.branch,
        "duration": format_duration(state.now - load_session_info(event, state).at)
        if has_session_info(state)
        else "unknown",
        "tsv_summary": journal.short_summary if journal else "",
    }
    ended = f"ended after {fields['duration']}" if has_session_info(state) else "ended"
    where = f"{project} ({state.branch})" if state.branch else project
    text = "; ".join(filter(None, (f"{where}: the session {ended}", journal and journal.summary)))
    url = state.env.get(WEBHOOK, "").strip()
    notices = [Notify(title="hookline", text=text)] if terminal else []
    posts = [build_post(url, text, fields, form)] if url else []
    return effect(*notices, *posts) if notices or posts else Response()
