"""Remind the agent, every few prompts and after a compaction, of the plan at hand and the code standards.

It names the newest folder of the plans, and `docs/code-standards.md`, where they exist. It is silent when
iteration-context has spoken at the same prompt.
"""

from __future__ import annotations

from hookline.core.events import PostCompact, UserPromptSubmit
from hookline.core.hook import hook
from hookline.core.response import Response, inject
from hookline.core.state import State
from hookline.hooks._context import format_rows, load_session_info
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
    text = format_rows((("the plan at hand", plan), ("the code standards to keep to", standards_path)))
    return inject(f"[Reminder]\n{text}") if text else None
