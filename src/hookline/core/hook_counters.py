"""Counters of a session about its hooks: runs, time, failures and blocks."""

from collections.abc import Iterable, Mapping

from hookline.core.events import Stop
from hookline.core.outcome import Outcome

RUNS, MICROSECONDS = "hooks:runs", "hooks:microseconds"
FAILED, BLOCKED, CONTINUED = "hooks:failed:", "hooks:blocked:", "hooks:went-on:"
PREFIX = "hooks:"
_FAILED_ACTIONS = ("failed", "timed-out")


def count_outcome(outcome: Outcome) -> dict[str, int]:
    """Return what *outcome* adds to the session's counters."""
    steps = [step for step in outcome.trail if _is_hook_run(step.hook, step.action)]
    counts = {RUNS: len(steps), MICROSECONDS: round(sum([step.ms for step in steps]) * 1000)}
    stopped = CONTINUED if isinstance(outcome.event, Stop) else BLOCKED
    for step in steps:
        if step.action == "block" or step.action in _FAILED_ACTIONS:
            name = f"{stopped if step.action == 'block' else FAILED}{step.hook}"
            counts[name] = counts.get(name, 0) + 1
    return counts


def _is_hook_run(hook: str, said: str) -> bool:
    return said != "skipped" and hook != "hookline" and not hook.startswith("turn-summary.")


def sum_counters(sets: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the sums of the hook counters in several sets of counters."""
    totals: dict[str, int] = {}
    for counts in sets:
        for name, count in counts.items():
            if name.startswith(PREFIX):
                totals[name] = totals.get(name, 0) + count
    return totals


def subtract_counters(now: Mapping[str, int], before: Mapping[str, int]) -> dict[str, int]:
    return {name: count - before.get(name, 0) for name, count in now.items() if count > before.get(name, 0)}


def select_counters(counts: Mapping[str, int], prefix: str) -> dict[str, int]:
    """Return the counters that start with *prefix*, keyed by the rest of their names: the hook."""
    return {name.removeprefix(prefix): count for name, count in counts.items() if name.startswith(prefix)}
