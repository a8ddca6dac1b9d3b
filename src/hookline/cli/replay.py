"""Hold recorded sessions against a policy: what it would have stopped, asked about or changed, and why."""

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import islice

from hookline.cli._command import Command
from hookline.cli._output import dump, visible
from hookline.cli._replay.calls import Heard, heard
from hookline.cli._replay.parallel import crew
from hookline.cli._replay.policy import Called, Policy, Verdict
from hookline.cli._replay.report import Report
from hookline.cli._replay.show import Advance, progress, show

EVERY = 512
"""Lines between two steps of the bar."""


def run(args: Namespace) -> int:
    _check(args.files)
    with ExitStack() as stack:
        policies = [stack.enter_context(closing(policy)) for policy in _policies(args)]
        for problem in policies[0].problems:
            print(f"hookline: {visible(problem)}", file=sys.stderr)
        judges = [_judge(policy, stack) for policy in policies]
        began = time.perf_counter()
        with progress(args.files) as advance:
            report = _replayed(args.files, judges, advance)
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


Judges = Sequence[Callable[[Sequence[Called]], Sequence[Verdict]]]


def _judge(policy: Policy, stack: ExitStack) -> Callable[[Sequence[Called]], Sequence[Verdict]]:
    size = 0 if policy.pure else 1
    carried = stack.enter_context(crew(policy.judged, size))
    return lambda called: policy.judge(called, carried)


def _replayed(files: Sequence[str], judges: Judges, advance: Advance) -> Report:
    report, seen = Report(), set[object]()
    for file in files:
        known = False
        for some in _batches(heard(file, seen)):
            _say(report, file, some, judges)
            known = known or any(one.reader is not None for one in some)
            advance(sum(one.line.size for one in some), report.calls)
        if not known:
            report.strange.append(file)
    return report


def _batches(lines: Iterator[Heard]) -> Iterator[Sequence[Heard]]:
    """So many lines that a step of the bar is seen, and all processors have something to do."""
    while some := list(islice(lines, EVERY)):
        yield some


def _say(report: Report, file: str, some: Sequence[Heard], judges: Judges) -> None:
    called = [(event, one.reader.words) for one in some if one.reader for event in one.events]
    told = [iter(judge(called)) for judge in judges]
    for one in some:
        report.hear(file, one)
        for event in one.events if one.reader else ():
            verdict, *others = (next(verdicts) for verdicts in told)
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
