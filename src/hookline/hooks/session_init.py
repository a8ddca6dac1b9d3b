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
from hookline.hooks._context import SESSION_NOTE, build_mirror, format_rows, load_session_info
from hookline.hooks._paths.secret import secret
from hookline.redact import redact

UNSEEN_SOURCE = "unseen"
"""Source of a session start that was inferred from another event."""


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
    if event.source == UNSEEN_SOURCE and state.facts.get("reports_start"):
        return None  # the session began before its first event here, and is in the middle of its work
    info = load_session_info(event, state, plans, reports)
    rows = (
        ("project root", state.root or event.cwd),
        ("branch", state.branch),
        ("plans", info.plans),
        ("reports", info.reports),
    )
    answer = inject(f"[Session]\n{format_rows(rows)}").plus(remember(**{SESSION_NOTE: info.as_note}))
    answer = answer.plus(effect(build_mirror(event, state, info, tidy=True)))
    return answer.plus(_inject_brief(state, brief, brief_cap)) if brief else answer


def _inject_brief(state: State, name: str, cap: int) -> Response:
    read = state.facts.get("read_project_file")
    text, problem = read(name) if read else ("", "cannot be read here")
    if secret(name) is not None:
        text, problem = "", "may hold secrets"
    if problem:
        return warn(f"the brief {name!r} {problem}, so the session starts without it")
    redacted = redact(text.strip())  # before it is cut: the start of a secret is not always recognised
    cut = f"\n[cut here, {cap:,} of {len(redacted):,} characters]" if len(redacted) > cap else ""
    return inject(f"[Brief]\n{redacted[:cap]}{cut}") if redacted else Response()
