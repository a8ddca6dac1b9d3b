"""Show how guards came out: a table of expectations, or of shares by tier and category."""

from collections.abc import Sequence
from typing import Any

from hookline.cli._guard.cases import Checked
from hookline.cli._guard.score import Scored, Share, by_category, by_tier, failures
from hookline.cli._output import table, visible
from hookline.redact import redact

LINE = 100
"""Characters of a command that a table shows; a failure is shown whole."""


def show_cases(file: str, checked: Sequence[Checked]) -> None:
    rows = [(_mark(one), str(one.case.line), *_words(one), one.case.why) for one in checked]
    table(("", "line", "expected", "got", "what", "why"), rows)
    failed = [one for one in checked if not one.holds]
    for one in failed:
        print(f"\n{visible(file)}:{one.case.line}: expected {_wanted(one)}, got {_got(one)}")
        for text in (one.what, one.reason):
            for line in redact(text).splitlines():
                print(f"  {visible(line)}")
    print(f"\n{len(checked) - len(failed):,} of {len(checked):,} hold")


def _mark(one: Checked) -> str:
    return "ok" if one.holds else "FAILED"


def _words(one: Checked) -> tuple[str, str, str]:
    text = redact(one.what).replace("\n", " ⏎ ")
    return one.case.expect, one.got, text if len(text) <= LINE else f"{text[: LINE - 1]}…"


def _wanted(one: Checked) -> str:
    return f"{one.case.expect} by {one.case.rule}" if one.case.rule else one.case.expect


def _got(one: Checked) -> str:
    return f"{one.got} by {', '.join(one.rules)}" if one.rules else one.got


def case_facts(checked: Sequence[Checked]) -> dict[str, Any]:
    return {
        "cases": len(checked),
        "failed": sum(not one.holds for one in checked),
        "results": [
            {
                "line": one.case.line,
                "holds": one.holds,
                "expect": one.case.expect,
                "got": one.got,
                "rules": list(one.rules),
                "reason": redact(one.reason),
                "what": redact(one.what),
                "why": one.case.why,
            }
            for one in checked
        ],
    }


def show_score(scored: Sequence[Scored], *, misses: bool) -> None:
    columns = ("tier", "category", "to stop", "stopped", "recall", "harmless", "flagged", "false alarms")
    table(columns, map(_row, by_category(scored)))
    print()
    table(columns, map(_row, by_tier(scored)))
    unheard = sum(not one.heard for one in scored)
    if unheard:
        print(f"\n{unheard:,} rows are about a moment that none of these guards listens for")
    for trouble, times in failures(scored).most_common():
        print(f"\n{times:,} times {visible(trouble)}")
    wrong = [one for one in scored if not one.right]
    if misses and wrong:
        print()
        rows = [(o.row.id, o.row.tier, o.expect, " ".join((o.said, *o.rules)), o.row.shown) for o in wrong]
        table(("id", "tier", "expected", "said", "what"), rows)


def _row(share: Share) -> tuple[str, ...]:
    numbers = (share.wanted, share.caught, _percent(share.recall), share.harmless, share.flagged)
    return (share.tier, share.category, *map(str, numbers), _percent(share.false_alarms))


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.2%}"


def score_facts(scored: Sequence[Scored]) -> dict[str, Any]:
    return {
        "rows": len(scored),
        "tiers": [_share_fact(share) for share in by_tier(scored)],
        "categories": [_share_fact(share) for share in by_category(scored)],
        "unheard": sum(not one.heard for one in scored),
        "failed": dict(failures(scored)),
        "misses": [
            {
                "id": one.row.id,
                "tier": one.row.tier,
                "category": one.row.category,
                "expect": one.expect,
                "said": one.said,
                "rules": list(one.rules),
                "what": one.row.shown,
            }
            for one in scored
            if not one.right
        ],
    }


def _share_fact(share: Share) -> dict[str, Any]:
    return {
        "tier": share.tier,
        "category": share.category,
        "wanted": share.wanted,
        "caught": share.caught,
        "recall": share.recall,
        "harmless": share.harmless,
        "flagged": share.flagged,
        "falseAlarms": share.false_alarms,
    }
