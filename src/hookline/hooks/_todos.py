"""What a call of the host's todo tool says, wherever its table has it."""

from collections.abc import Mapping
from typing import Any

from hookline.events import PostToolUse
from hookline.todos import listed, single


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
