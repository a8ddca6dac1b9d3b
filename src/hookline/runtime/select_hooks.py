"""Which hooks run for an event: not those that a person switched off, nor those that we are in already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hookline.core.events import Event
from hookline.core.hook import Hook, named

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


def limited(hooks: Sequence[Hook], only: Sequence[str], without: Sequence[str]) -> list[Hook]:
    """None but *only*, and none of *without*, parts along with the whole; `LookupError` for a wrong name."""
    kept = {_named(hooks, name).name for name in only} or {hook.name for hook in hooks}
    left_out = {_named(hooks, name).name for name in without}
    known = [(hook, {hook.name, hook.part_of}) for hook in hooks]
    return [hook for hook, names in known if names & kept and not names & left_out]


def _named(hooks: Sequence[Hook], name: str) -> Hook:
    found = named(hooks, name)
    if found is None:
        there = ", ".join(sorted(hook.name for hook in hooks))
        raise LookupError(f"no hook is called {name!r}; there are: {there}")
    return found
