"""Tell a helper agent, while experiments run, where it is: root, branch, paths, and how the metric stands."""

from __future__ import annotations

from hookline.events import SubagentStart
from hookline.hook import hook
from hookline.response import Response, inject
from hookline.state import State


@hook(priority=62, nature="advice")
def subagent_context(event: SubagentStart, state: State) -> Response | None:
    journal = state.facts.get("journal")
    if journal is None:
        return None
    from hookline.hooks._context.begun import begun  # noqa: PLC0415 -- only while experiments run
    from hookline.hooks._context.telling import listed, shown  # noqa: PLC0415 -- ditto

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
