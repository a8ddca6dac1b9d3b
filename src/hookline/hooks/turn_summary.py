"""Show the user a summary of each turn, and suggest the next prompt.

The model does not see it. It is skipped after an API error, and if a hook continues the turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from hookline.core.events import PostToolUse, Stop
from hookline.core.hook import hook
from hookline.core.response import Response, SummaryPart, effect, remember
from hookline.core.state import State
from hookline.core.todos import encode_list, encode_task


def read_todos(event: PostToolUse) -> Mapping[str, Any]:
    """Return the notes to remember: a whole list, or the one task that was created or changed."""
    places = event.input_keys
    if "todos" in places:
        return encode_list(event.input.get(places["todos"]), places.get("text", ""), places.get("status", ""))
    task_id = (
        _value_at(event.output, places["made"]) if "made" in places else event.input.get(places.get("id", ""))
    )
    text, status = (event.input.get(places.get(name, "")) for name in ("text", "status"))
    return encode_task(str(task_id), text or "", status or "") if task_id else {}


def _value_at(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


@hook(priority=92, nature="observer")
def turn_summary(
    event: PostToolUse | Stop,
    state: State,
    *,
    summary: Literal["troubles", "always", "never"] = "troubles",
    suggest: bool = True,
    within: float = 0.5,
) -> Response | None:
    if event.subagent is not None:
        return None
    if isinstance(event, PostToolUse):
        return _remember_todos(event) if event.kind == "todo" and suggest else None
    parts = [SummaryPart(part="summary", text=summary, timeout=within)] if summary != "never" else []
    parts += [SummaryPart(part="next-prompt", timeout=within)] if suggest else []
    return effect(*parts) if parts else None


def _remember_todos(event: PostToolUse) -> Response | None:
    notes = read_todos(event) if event.success else {}
    return remember(**notes) if notes else None
