"""Remind the agent of the current plan and the code standards.

A reminder is injected every `every` prompts and after a compaction. It names the newest plan folder and the
`standards` file, if they exist.
"""

from __future__ import annotations

from hookline.core.events import PostCompact, UserPromptSubmit
from hookline.core.hook import hook
from hookline.core.response import Response, inject
from hookline.core.state import State
from hookline.core.untrusted_text import format_rows, format_title
from hookline.hooks._context import load_session_info
from hookline.hooks.iteration_context import is_due


@hook(priority=60, nature="advice")
def dev_rules_reminder(
    event: UserPromptSubmit | PostCompact,
    state: State,
    *,
    every: int = 5,
    standards: str = "docs/code-standards.md",
) -> Response | None:
    if "iteration-context" in state.injecting_hooks or event.subagent is not None:
        return None
    if isinstance(event, UserPromptSubmit) and not is_due(state.facts.get("prompts", 0), every):
        return None
    newest, is_file = state.facts.get("newest_folder"), state.facts.get("is_file")
    plan = newest(load_session_info(event, state).plans) if newest else ""
    standards_path = standards if is_file and state.root and is_file(f"{state.root}/{standards}") else ""
    text = format_rows((("current plan", plan), ("code standards to follow", standards_path)))
    return inject(f"{format_title('Reminder')}\n{text}") if text else None
