"""Tell a helper agent, while experiments run, where it is: root, branch, paths, and how the metric stands."""

from __future__ import annotations

from hookline.events import SubagentStart
from hookline.hook import hook
from hookline.hooks._context.begun import begun
from hookline.hooks._context.telling import listed, shown
from hookline.response import Response, inject
from hookline.state import State


@hook(priority=62, nature="advice")
def subagent_context(event: SubagentStart, state: State) -> Response | None:
    journal = state.facts.get("journal")
    if journal is None:
        return None
    begin = begun(event, state)
    where = (
        ("project root", state.root or event.cwd),
        ("branch", state.branch),
        ("plans", begin.plans),
        ("reports", begin.reports),
        ("journal", shown(journal.path, state.root)),
        ("iterations", str(journal.count)),
        ("latest metric", journal.metric),
    )
    return inject(f"[Experiments]\n{listed(where)}")
