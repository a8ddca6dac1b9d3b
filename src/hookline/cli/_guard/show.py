"""Output of `hookline guard`: results of test cases, and scores by tier and category."""

from collections.abc import Sequence
from typing import Any

from hookline.cli._guard.cases import Checked
from hookline.cli._guard.score import Scored, Share, by_category, by_tier, failures
from hookline.cli._output import print_table, sanitize
from hookline.redact import redact

MAX_LENGTH = 100
"""Characters of a command in the table; failed cases are repeated in full."""


def show_cases(file: str, checked: Sequence[Checked]) -> None:
    rows = [
        (_format_mark(result), str(result.case.line), *_format_words(result), result.case.why)
        for result in checked
    ]
    print_table(("test", "line", "expected", "actual", "call", "comment"), rows)
    failed = [result for result in checked if not result.holds]
    for result in failed:
        print(
            f"\n{sanitize(file)}:{result.case.line}: "
            f"expected {_describe_expected(result)}, got {_describe_got(result)}"
        )
        for text in (result.what, result.reason):
            for line in redact(text).splitlines():
                print(f"  {sanitize(line)}")
    print(f"\n{len(checked) - len(failed):,} of {len(checked):,} tests passed")


def _format_mark(result: Checked) -> str:
    return "ok" if result.holds else "FAILED"


def _format_words(result: Checked) -> tuple[str, str, str]:
    text = redact(result.what).replace("\n", " ⏎ ")
    return result.case.expect, result.got, text if len(text) <= MAX_LENGTH else f"{text[: MAX_LENGTH - 1]}…"


def _describe_expected(result: Checked) -> str:
    return f"{result.case.expect} by {result.case.rule}" if result.case.rule else result.case.expect


def _describe_got(result: Checked) -> str:
    return f"{result.got} by {', '.join(result.rules)}" if result.rules else result.got


def case_facts(checked: Sequence[Checked]) -> dict[str, Any]:
    return {
        "cases": len(checked),
        "failed": sum(not result.holds for result in checked),
        "results": [
            {
                "line": result.case.line,
                "holds": result.holds,
                "expect": result.case.expect,
                "got": result.got,
                "rules": list(result.rules),
                "reason": redact(result.reason),
                "what": redact(result.what),
                "why": result.case.why,
            }
            for result in checked
        ],
    }


def show_score(scored: Sequence[Scored], *, misses: bool) -> None:
    columns = ("tier", "category", "harmful", "caught", "recall", "harmless", "flagged", "false alarms")
    print_table(columns, map(_format_share, by_category(scored)))
    print()
    print_table(columns, map(_format_share, by_tier(scored)))
    unjudged = sum(not item.judged for item in scored)
    if unjudged:
        print(f"\n{unjudged:,} rows are events that these guards do not handle")
    for failure, times in failures(scored).most_common():
        print(f"\n{times:,} times {sanitize(failure)}")
    wrong = [item for item in scored if not item.correct]
    if misses and wrong:
        print()
        rows = [
            (miss.row.id, miss.row.tier, miss.expect, " ".join((miss.verdict, *miss.rules)), miss.row.shown)
            for miss in wrong
        ]
        print_table(("id", "tier", "expected", "actual", "call"), rows)


def _format_share(share: Share) -> tuple[str, ...]:
    numbers = (share.harmful, share.caught, _format_percent(share.recall), share.harmless, share.flagged)
    return (share.tier, share.category, *map(str, numbers), _format_percent(share.false_alarms))


def _format_percent(share: float | None) -> str:
    return "" if share is None else f"{share:.2%}"


def score_facts(scored: Sequence[Scored]) -> dict[str, Any]:
    return {
        "rows": len(scored),
        "tiers": [_share_facts(share) for share in by_tier(scored)],
        "categories": [_share_facts(share) for share in by_category(scored)],
        "unheard": sum(not item.judged for item in scored),
        "failed": dict(failures(scored)),
        "misses": [
            {
                "id": item.row.id,
                "tier": item.row.tier,
                "category": item.row.category,
                "expect": item.expect,
                "said": item.verdict,
                "rules": list(item.rules),
                "what": item.row.shown,
            }
            for item in scored
            if not item.correct
        ],
    }


def _share_facts(share: Share) -> dict[str, Any]:
    return {
        "tier": share.tier,
        "category": share.category,
        "wanted": share.harmful,
        "caught": share.caught,
        "recall": share.recall,
        "harmless": share.harmless,
        "flagged": share.flagged,
        "falseAlarms": share.false_alarms,
    }
