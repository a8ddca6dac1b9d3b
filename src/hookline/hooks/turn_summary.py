"""Show the user, once a turn has ended, what its hooks did and which prompt may come next.

Nothing of it reaches the model. A turn that an error of the model's service ended has no such stage, nor has
one that a hook makes go on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from hookline.core.events import PostToolUse, Stop
from hookline.core.hook import hook
from hookline.core.response import Response, Stage, effect, remember
from hookline.core.state import State
from hookline.core.todos import listed, single


def noted(event: PostToolUse) -> Mapping[str, Any]:
    """What is to be remembered: a whole list, or the one task that was made or changed."""
    at = event.places
    if "todos" in at:
        return listed(event.input.get(at["todos"]), at.get("text", ""), at.get("status", ""))
    made = _inside(event.output, at["made"]) if "made" in at else event.input.get(at.get("id", ""))
    text, status = (event.input.get(at.get(name, "")) for name in ("text", "status"))
    return single(str(made), text or "", status or "") if made else {}


def _inside(value: Any, path: str) -> Any:
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
        return _todos(event) if event.kind == "todo" and suggest else None
    parts = [Stage(part="summary", how=summary, within=within)] if summary != "never" else []
    parts += [Stage(part="next-prompt", within=within)] if suggest else []
    return effect(*parts) if parts else None


def _todos(event: PostToolUse) -> Response | None:
    found = noted(event) if event.success else {}
    return remember(**found) if found else None
