"""Hold recorded sessions against a policy: what it would have stopped, asked about or changed, and why."""

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import ExitStack, closing

from hookline.cli._command import Command
from hookline.cli._replay import Heard, heard
from hookline.cli._replay_policy import Policy
from hookline.cli._replay_report import Report
from hookline.cli._replay_show import Advance, progress, show
from hookline.cli._show import dump, visible

EVERY = 64
"""Lines between two steps of the bar."""


def run(args: Namespace) -> int:
    _check(args.files)
    with ExitStack() as stack:
        policies = [stack.enter_context(closing(policy)) for policy in _policies(args)]
        for problem in policies[0].problems:
            print(f"hookline: {visible(problem)}", file=sys.stderr)
        began = time.perf_counter()
        with progress(args.files) as advance:
            report = _replayed(args.files, policies, advance)
        if args.json:
            dump(report.facts())
        else:
            show(report, time.perf_counter() - began)
    return 1 if report.strange else 0


def _check(files: Sequence[str]) -> None:
    """Raise `OSError` for a file that cannot be read, before hours are spent on the others."""
    for file in files:
        if file != "-":
            open(file, "rb").close()


def _policies(args: Namespace) -> list[Policy]:
    usual = Policy(args.cwd, args.only, args.without)
    if not args.against:
        return [usual]
    try:
        return [usual, Policy(args.cwd, args.only, args.without, settings=args.against)]
    except BaseException:
        usual.close()
        raise


def _replayed(files: Sequence[str], policies: Sequence[Policy], advance: Advance) -> Report:
    report, seen = Report(), set[object]()
    for file in files:
        known = False
        size = 0
        for number, one in enumerate(heard(file, seen), 1):
            report.hear(file, one)
            _judge(report, file, one, policies)
            known = known or one.reader is not None
            size += one.line.size
            if number % EVERY == 0:
                advance(size, report.calls)
                size = 0
        advance(size, report.calls)
        if not known:
            report.strange.append(file)
    return report


def _judge(report: Report, file: str, one: Heard, policies: Sequence[Policy]) -> None:
    for event in one.events:
        words = one.reader.words if one.reader else ""
        verdict, *others = (policy.judge(event, words) for policy in policies)
        report.say(event, (file, one.line.number), verdict, others[0] if others else None)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="a recording; - is stdin")
    parser.add_argument(
        "--against", default="", metavar="OTHER.toml", help="what would change with these as your settings"
    )
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="run only this hook")
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="leave this hook out")
    parser.add_argument("--cwd", default="", metavar="DIR", help="the project whose configuration holds")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


COMMAND = Command(
    about="Hold recorded sessions against the policy: what would be stopped, asked about, changed, and why.",
    examples="""
hookline replay ~/.claude/projects/*/*.jsonl
hookline replay ~/.codex/sessions/2026/*/*/*.jsonl --against stricter.toml
hookline log --json --since 7d | hookline replay -
hookline replay session.jsonl --json | jq '.groups[] | {action, rules, times}'

Reads transcripts of Claude Code, rollouts of Codex and our own trail, also as the store's file; they are told
apart by what is in them. Every call is judged by itself, before it runs, and its result after; nothing is
recorded. Calls that resumed and forked sessions repeat count once; a patch counts once per file.
The trail keeps the beginning of a command and no results, so that is what is judged of it.
Where only built-ins judge, calls that are the same are judged once.
Hooks of the user's own do run, as they are configured; observers do not. What is shown is redacted.
""",
    run=run,
    arguments=arguments,
    exits=(
        "0 whatever would have happened; 1 when a file cannot be read or holds no recording; "
        "2 when it was called wrongly, or OTHER.toml is wrong; 130 when it was interrupted"
    ),
)
