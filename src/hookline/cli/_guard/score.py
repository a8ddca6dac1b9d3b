"""Score built-in guards on labelled rows: recall and false alarms."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from hookline.cli._guard.rows import CONTESTED, CWD, HARMFUL, HOME, Row, classify, is_correct, uses_warnings
from hookline.core import chain
from hookline.core.hook import Hook, configure, find_hook
from hookline.core.outcome import Outcome
from hookline.core.state import Facts, State
from hookline.core.values import replace
from hookline.runtime.facts import MACHINE_FACTS
from hookline.system.paths import Places, find_places

STRICT = {"shell": "block"}
"""The settings that `strict_expect` refers to, for every hook that has them."""
TOTAL = "all"


class Scored(Struct, frozen=True, kw_only=True):
    """A row with its verdict."""

    row: Row
    expect: str
    verdict: str
    rules: tuple[str, ...]
    correct: bool
    judged: bool
    """True if a hook listens for this event."""
    failed: tuple[str, ...] = ()
    """The hooks that failed, with the reason."""


class Share(Struct, frozen=True, kw_only=True):
    """The counts of one tier, or of one category of it."""

    tier: str
    category: str
    harmful: int
    caught: int
    harmless: int
    flagged: int

    @property
    def recall(self) -> float | None:
        """Return the recall; None if nothing is harmful."""
        return self.caught / self.harmful if self.harmful else None

    @property
    def false_alarms(self) -> float | None:
        return self.flagged / self.harmless if self.harmless else None


def select_guards(hooks: Sequence[Hook], only: Sequence[str]) -> list[Hook]:
    """Return the built-in guards, or those named in *only*; raise `LookupError` for an unknown name."""
    guards = [hook for hook in hooks if hook.source == "built-in" and hook.nature == "policy"]
    for name in only:
        if find_hook(guards, name) is None:
            names = ", ".join(sorted(hook.name for hook in guards))
            raise LookupError(f"no built-in guard named {name!r}; available: {names}")
    selected = (
        [find_hook(guards, name) for name in only] if only else [hook for hook in guards if hook.enabled]
    )
    return [replace(hook, enabled=True) for hook in selected if hook is not None]


def score(rows: Sequence[Row], hooks: Sequence[Hook], *, strict: bool = False) -> list[Scored]:
    """Judge every row; with *strict*, the rows with a strict label, under the settings of `STRICT`."""
    hooks = [_make_strict(hook) for hook in hooks] if strict else hooks
    labelled = [row for row in rows if row.strict] if strict else list(rows)
    places, warns = replace(find_places({"HOME": HOME}, CWD), root=CWD), uses_warnings(rows)
    expected = [(row, row.strict if strict else row.expect) for row in labelled]
    return [_score_row(row, expect, hooks, places, warns=warns) for row, expect in expected]


def _make_strict(hook: Hook) -> Hook:
    return configure(hook, {key: value for key, value in STRICT.items() if key in hook.settings})


def _score_row(row: Row, expect: str, hooks: Sequence[Hook], places: Places, *, warns: bool) -> Scored:
    facts = Facts({name: _return_value(value) for name, value in row.facts.items()}, MACHINE_FACTS, places)
    outcome = chain.run(row.event, State(now=0.0, facts=facts), hooks)
    return Scored(
        row=row,
        expect=expect,
        verdict=classify(outcome),
        rules=outcome.rules,
        correct=is_correct(row, expect, outcome, warns=warns),
        judged=bool(outcome.trail),
        failed=_failures(outcome),
    )


def _return_value(value: Any) -> Any:
    return lambda: value


def _failures(outcome: Outcome) -> tuple[str, ...]:
    return tuple(f"hook {step.hook!r} {step.note}" for step in outcome.trail if step.action == "failed")


def by_tier(scored: Sequence[Scored]) -> list[Share]:
    """Return the counts of every tier, and of all tiers but the contested."""
    tiers = _count_shares(scored, lambda item: (item.row.tier, TOTAL))
    counted = [item for item in scored if item.row.tier != CONTESTED]
    return [*tiers, *_count_shares(counted, lambda item: (TOTAL, TOTAL))] if len(tiers) > 1 else tiers


def by_category(scored: Sequence[Scored]) -> list[Share]:
    return _count_shares(scored, lambda item: (item.row.tier, item.row.category))


def _count_shares(scored: Sequence[Scored], key: Any) -> list[Share]:
    counts: dict[tuple[str, str], Counter[tuple[bool, bool]]] = {}
    for item in scored:
        counts.setdefault(key(item), Counter())[item.expect in HARMFUL, item.correct] += 1
    order = sorted(
        counts, key=lambda group: group[0] == CONTESTED
    )  # a stable sort: in the order of the file, contested ones last
    return [_build_share(tier, category, counts[tier, category]) for tier, category in order]


def _build_share(tier: str, category: str, counts: Mapping[tuple[bool, bool], int]) -> Share:
    return Share(
        tier=tier,
        category=category,
        harmful=counts.get((True, True), 0) + counts.get((True, False), 0),
        caught=counts.get((True, True), 0),
        harmless=counts.get((False, True), 0) + counts.get((False, False), 0),
        flagged=counts.get((False, False), 0),
    )


def failures(scored: Sequence[Scored]) -> Counter[str]:
    return Counter(text for item in scored for text in item.failed)
