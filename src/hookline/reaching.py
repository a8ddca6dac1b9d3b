"""Which hooks run for an event: not those that a person switched off, nor those that we are in already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hookline.events import Event
from hookline.hook import Hook

DEPTH = "HOOKLINE_DEPTH"
"""The variable that names the hooks in whose process tree this runs."""
DEEPEST = 8


def reachable(
    hooks: Sequence[Hook], event: Event, off: Sequence[Hook], env: Mapping[str, str]
) -> tuple[list[Hook], list[Hook]]:
    """The hooks that may run, and those that this very process tree is already in."""
    above = [name for name in env.get(DEPTH, "").split(":") if name]
    on = [hook for hook in hooks if hook.enabled and hook not in off]
    if not above:
        return on, []
    inside = [h for h in on if h.kind != "built-in" and (h.name in above or len(above) >= DEEPEST)]
    return [hook for hook in on if hook not in inside], [hook for hook in inside if hook.listens(event)]


def switched_off(hooks: Sequence[Hook], event: Event) -> list[Hook]:
    """The guards that a person may switch off for a while."""
    guards = [h for h in hooks if h.enabled and h.source == "built-in" and h.nature == "policy"]
    return [hook for hook in guards if hook.listens(event)]
