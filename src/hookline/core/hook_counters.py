"""What hooks did, as counters of the session: how many ran in how long, which failed, which stopped what."""

from collections.abc import Iterable, Mapping

from hookline.core.events import Stop
from hookline.core.outcome import Outcome

RUNS, TIME = "hooks:runs", "hooks:microseconds"
FAILED, BLOCKED, WENT_ON = "hooks:failed:", "hooks:blocked:", "hooks:went-on:"
OURS = "hooks:"
_FAILURES = ("failed", "timed-out")


def counted(outcome: Outcome) -> dict[str, int]:
    """What *outcome* adds to the session's counters."""
    steps = [step for step in outcome.trail if _ran(step.hook, step.said)]
    counts = {RUNS: len(steps), TIME: round(sum([step.ms for step in steps]) * 1000)}
    stopped = WENT_ON if isinstance(outcome.event, Stop) else BLOCKED
    for step in steps:
        if step.said == "block" or step.said in _FAILURES:
            name = f"{stopped if step.said == 'block' else FAILED}{step.hook}"
            counts[name] = counts.get(name, 0) + 1
    return counts


def _ran(hook: str, said: str) -> bool:
    return said != "skipped" and hook != "hookline" and not hook.startswith("turn-summary.")


def together(many: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """All of them in one, without what is not ours."""
    whole: dict[str, int] = {}
    for counts in many:
        for name, count in counts.items():
            if name.startswith(OURS):
                whole[name] = whole.get(name, 0) + count
    return whole


def since(now: Mapping[str, int], before: Mapping[str, int]) -> dict[str, int]:
    return {name: count - before.get(name, 0) for name, count in now.items() if count > before.get(name, 0)}


def named(counts: Mapping[str, int], what: str) -> dict[str, int]:
    """How often, by the names of the hooks that did it."""
    return {name.removeprefix(what): count for name, count in counts.items() if name.startswith(what)}
