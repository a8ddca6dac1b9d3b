"""Hold built-in guards against labelled rows: what they stop of what they must, and what else."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from hookline.cli._guard.rows import APART, CWD, HOME, WANTED, Row, right, said, warning
from hookline.core import chain
from hookline.core.hook import Hook, configure, named
from hookline.core.outcome import Outcome
from hookline.core.state import Facts, State
from hookline.core.values import replace
from hookline.runtime.facts import MACHINE_FACTS
from hookline.system.paths import Places, find

STRICT = {"shell": "block"}
"""The settings under which `strict_expect` holds, for every hook that has them."""
TOTAL = "all"


class Scored(Struct, frozen=True, kw_only=True):
    """One row with its verdict."""

    row: Row
    expect: str
    said: str
    rules: tuple[str, ...]
    right: bool
    heard: bool
    """Whether any of the hooks listens for such an event."""
    failed: tuple[str, ...] = ()
    """The hooks that did not answer, with why."""


class Share(Struct, frozen=True, kw_only=True):
    """How one tier, or one category of it, came out."""

    tier: str
    category: str
    wanted: int
    caught: int
    harmless: int
    flagged: int

    @property
    def recall(self) -> float | None:
        """None where there is nothing to catch."""
        return self.caught / self.wanted if self.wanted else None

    @property
    def false_alarms(self) -> float | None:
        return self.flagged / self.harmless if self.harmless else None


def chosen(hooks: Sequence[Hook], only: Sequence[str]) -> list[Hook]:
    """The built-in guards, or those of *only*; raises `LookupError` for a name that there is not."""
    guards = [hook for hook in hooks if hook.source == "built-in" and hook.nature == "policy"]
    for name in only:
        if named(guards, name) is None:
            there = ", ".join(sorted(hook.name for hook in guards))
            raise LookupError(f"no built-in guard is called {name!r}; there are: {there}")
    wanted = [named(guards, name) for name in only] if only else [hook for hook in guards if hook.enabled]
    return [replace(hook, enabled=True) for hook in wanted if hook is not None]


def score(rows: Sequence[Row], hooks: Sequence[Hook], *, strict: bool = False) -> list[Scored]:
    """Every row judged; with *strict* those that say what is expected under `STRICT`, under it."""
    hooks = [_strict(hook) for hook in hooks] if strict else hooks
    labelled = [row for row in rows if row.strict] if strict else list(rows)
    ground, warns = replace(find({"HOME": HOME}, CWD), root=CWD), warning(rows)
    wanted = [(row, row.strict if strict else row.expect) for row in labelled]
    return [_scored(row, expect, hooks, ground, warns=warns) for row, expect in wanted]


def _strict(hook: Hook) -> Hook:
    return configure(hook, {key: value for key, value in STRICT.items() if key in hook.settings})


def _scored(row: Row, expect: str, hooks: Sequence[Hook], ground: Places, *, warns: bool) -> Scored:
    known = Facts({name: _supplier(value) for name, value in row.facts.items()}, MACHINE_FACTS, ground)
    outcome = chain.run(row.event, State(now=0.0, facts=known), hooks)
    return Scored(
        row=row,
        expect=expect,
        said=said(outcome),
        rules=outcome.rules,
        right=right(row, expect, outcome, warns=warns),
        heard=bool(outcome.trail),
        failed=_failures(outcome),
    )


def _supplier(value: Any) -> Any:
    return lambda: value


def _failures(outcome: Outcome) -> tuple[str, ...]:
    return tuple(f"hook {step.hook!r} {step.note}" for step in outcome.trail if step.said == "failed")


def by_tier(scored: Sequence[Scored]) -> list[Share]:
    """A share for every tier, and one for all of them but the contested."""
    tiers = _shares(scored, lambda one: (one.row.tier, TOTAL))
    counted = [one for one in scored if one.row.tier != APART]
    return [*tiers, *_shares(counted, lambda one: (TOTAL, TOTAL))] if len(tiers) > 1 else tiers


def by_category(scored: Sequence[Scored]) -> list[Share]:
    return _shares(scored, lambda one: (one.row.tier, one.row.category))


def _shares(scored: Sequence[Scored], key: Any) -> list[Share]:
    counts: dict[tuple[str, str], Counter[tuple[bool, bool]]] = {}
    for one in scored:
        counts.setdefault(key(one), Counter())[one.expect in WANTED, one.right] += 1
    order = sorted(counts, key=lambda place: place[0] == APART)  # stable: as they came, those apart last
    return [_share(tier, category, counts[tier, category]) for tier, category in order]


def _share(tier: str, category: str, counts: Mapping[tuple[bool, bool], int]) -> Share:
    return Share(
        tier=tier,
        category=category,
        wanted=counts.get((True, True), 0) + counts.get((True, False), 0),
        caught=counts.get((True, True), 0),
        harmless=counts.get((False, True), 0) + counts.get((False, False), 0),
        flagged=counts.get((False, False), 0),
    )


def failures(scored: Sequence[Scored]) -> Counter[str]:
    return Counter(text for one in scored for text in one.failed)
