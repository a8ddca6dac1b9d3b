"""Tell a session where it is when it starts: root, branch, plans and reports, and the project's brief.

`brief` names a file of the project with what every session should know, such as persona, conventions or what
is being worked on; it is cut at `brief_cap` characters. A state file, `ar-session-….json` in the temporary
folder, repeats what is known of the session, for other programs to read.
"""

from __future__ import annotations

from hookline.core.events import SessionStart
from hookline.core.hook import hook
from hookline.core.response import Response, effect, inject, remember, warn
from hookline.core.state import State
from hookline.hooks._context import NOTE, begun, listed, mirror
from hookline.hooks._paths.secret import secret
from hookline.redact import redact

UNSEEN = "unseen"
"""The source of a start that was concluded from another event."""


@hook(priority=56, nature="advice")
def session_init(
    event: SessionStart,
    state: State,
    *,
    plans: str = "plans",
    reports: str = "plans/reports",
    brief: str = "",
    brief_cap: int = 4_000,
) -> Response | None:
    if event.source == UNSEEN and state.facts.get("tells_start"):
        return None  # it began before anybody asked us, and is in the middle of something
    begin = begun(event, state, plans, reports)
    where = (
        ("project root", state.root or event.cwd),
        ("branch", state.branch),
        ("plans", begin.plans),
        ("reports", begin.reports),
    )
    answer = inject(f"[Session]\n{listed(where)}").plus(remember(**{NOTE: begin.noted}))
    answer = answer.plus(effect(mirror(event, state, begin, tidy=True)))
    return answer.plus(_brief(state, brief, brief_cap)) if brief else answer


def _brief(state: State, name: str, cap: int) -> Response:
    read = state.facts.get("inside")
    text, wrong = read(name) if read else ("", "cannot be read here")
    if secret(name) is not None:
        text, wrong = "", "may hold secrets"
    if wrong:
        return warn(f"the brief {name!r} {wrong}, so the session starts without it")
    whole = redact(text.strip())  # before it is cut: the beginning of a secret is not always told
    cut = f"\n[cut here, {cap:,} of {len(whole):,} characters]" if len(whole) > cap else ""
    return inject(f"[Brief]\n{whole[:cap]}{cut}") if whole else Response()
