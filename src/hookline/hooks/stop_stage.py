"""Show the user, once a turn has ended, what its hooks did and which prompt may come next.

Nothing of it reaches the model. A turn that an error of the model's service ended has no such stage, nor has
one that a hook makes go on.
"""

from __future__ import annotations

from typing import Literal

from hookline.events import PostToolUse, Stop
from hookline.hook import hook
from hookline.hooks._todos import noted
from hookline.response import Response, Stage, effect, remember
from hookline.state import State


@hook(priority=92, nature="observer")
def stop_stage(
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
