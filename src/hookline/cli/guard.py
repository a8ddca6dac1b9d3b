"""Test the guards with a project's own test cases, or score them on a labelled file."""

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from hookline.cli._arguments.guard import TESTS
from hookline.cli._guard.score import (
    STRICT,
    Scored,
    Share,
    by_category,
    by_tier,
    failures,
    read_rows,
    score,
    select_guards,
)
from hookline.cli._guard.show_cases import case_facts, check_file, show_cases
from hookline.cli._output import dump, print_table, sanitize
from hookline.runtime.setup import load_setup
from hookline.system.paths import FOLDER, project_root


def test(args: Namespace) -> int:
    root = project_root(os.path.abspath(args.cwd or os.getcwd()))
    file = args.file or os.path.relpath(os.path.join(root, FOLDER, TESTS))
    checked = check_file(file, root)
    if args.json:
        dump(case_facts(checked))
    else:
        show_cases(file, checked)
    return 0 if all(result.holds for result in checked) else 1


def show_scores(args: Namespace) -> int:
    labelled = read_rows(args.file)
    setup = load_setup(dict(os.environ), os.getcwd())
    setup.resources.close()
    for problem in setup.user_messages:
        print(f"hookline: {sanitize(problem)}", file=sys.stderr)
    guards = select_guards(setup.hooks, args.only)
    results = score(labelled, guards)
    strict_results = score(labelled, guards, strict=True)
    if args.json:
        dump(score_facts(results) | ({"strict": score_facts(strict_results)} if strict_results else {}))
        return 0
    print(f"{len(results):,} rows against {', '.join(guard.name for guard in guards)}\n")
    show_score(results, misses=args.misses)
    if strict_results:
        settings = ", ".join(f"{key} = {value!r}" for key, value in STRICT.items())
        print(f"\n{len(strict_results):,} rows with a strict label, with {settings}\n")
        show_score(strict_results, misses=args.misses)
    return 0


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
