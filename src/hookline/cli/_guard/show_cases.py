"""Check a file of test cases for the guards, and show the results."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from hookline import hosts
from hookline.cli._dry_run import Judge
from hookline.cli._guard import cases
from hookline.cli._guard.cases import Checked
from hookline.cli._output import print_table, sanitize
from hookline.redact import redact


def check_file(file: str, root: str) -> list[Checked]:
    """Return the results of the cases in *file* for the project at *root*."""
    expected = cases.read(file)
    with ExitStack() as stack:
        judges = dict[str, Judge]()
        for name in dict.fromkeys(case.host for case in expected):
            judges[name] = Judge(hosts.load(name), root)
            stack.callback(judges[name].close)
        for problem in next(iter(judges.values())).setup.user_messages:
            print(f"hookline: {sanitize(problem)}", file=sys.stderr)
        return list(cases.check(file, expected, judges.__getitem__, root))


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
