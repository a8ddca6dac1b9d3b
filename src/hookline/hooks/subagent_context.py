"""Give subagents the project root, branch, paths and latest metric.

Context is injected only while an experiment journal is active.
"""

from __future__ import annotations

from hookline.core.events import SubagentStart
from hookline.core.hook import hook
from hookline.core.response import Response, inject
from hookline.core.state import State
from hookline.core.untrusted_text import format_rows, format_title
from hookline.hooks._context import display_path, load_session_info


@hook(priority=62, nature="advice")
def subagent_context(event: SubagentStart, state: State) -> Response | None:
    journal = state.facts.get("journal")
    if journal is None:
        return None
    info = load_session_info(event, state)
    rows = (
        ("project root", state.root or event.cwd),
        ("branch", state.branch),
        ("plans", info.plans),
        ("reports", info.reports),
        ("journal", display_path(journal.path, state.root)),
        ("iterations", str(journal.count)),
        ("latest metric", journal.metric),
    )
    return inject(f"{format_title('Experiments')}\n{format_rows(rows)}")
