"""Give each new session its project root, branch, plans and reports.

`brief` names a project file to quote, up to `brief_cap` characters. The state file `ar-session-….json` in
the temporary folder holds the same facts for other programs.
"""

from __future__ import annotations

from hookline.core.events import SessionStart
from hookline.core.hook import hook
from hookline.core.response import Response, effect, inject, remember, warn
from hookline.core.state import State
from hookline.core.untrusted_text import format_rows, format_title, to_line
from hookline.hooks._context import SESSION_NOTE, build_mirror, load_session_info
from hookline.hooks._paths.secret import secret
from hookline.redact import redact

UNSEEN_SOURCE = "unseen"
"""Source of a session start that was inferred from another event."""


@hook(priority=56, nature="advice", stricter={"brief": ("",)})
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
    answer = inject(f"{format_title('Session')}\n{format_rows(rows)}")
    answer = answer.plus(remember(**{SESSION_NOTE: info.as_note}))
    answer = answer.plus(effect(build_mirror(event, state, info, tidy=True)))
    return answer.plus(_inject_brief(state, brief, brief_cap)) if brief else answer


def _inject_brief(state: State, name: str, cap: int) -> Response:
    read = state.facts.get("read_project_file")
    text, problem = read(name) if read else ("", "cannot be read here")
    if secret(name) is not None:
        text, problem = "", "may contain secrets"
    if problem:
        return warn(f"brief {name!r} {problem}; the session starts without it")
    redacted = redact(text.strip())  # before it is cut: the start of a secret is not always recognised
    cut = f"\n[truncated: {cap:,} of {len(redacted):,} characters shown]" if len(redacted) > cap else ""
    lines = "".join(f"\n> {to_line(line, cap)}" for line in redacted[:cap].splitlines())
    return inject(f"{format_title('Brief', to_line(name))}{lines}{cut}") if redacted else Response()
