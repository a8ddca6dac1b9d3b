"""Judge recorded sessions by a policy: which calls it would have stopped, asked about or changed, and why."""

import multiprocessing
import os
import signal
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from typing import Any, TypeVar

from hookline.cli._output import dump, sanitize
from hookline.cli._progress import Advance, show_progress
from hookline.cli._replay.calls import ParsedLine, parse_file
from hookline.cli._replay.policy import EventForHost, Policy, Verdict
from hookline.cli._replay.report import ReplayReport, show

BATCH_LINES = 512
"""Lines between two updates of the progress bar."""


def run(args: Namespace) -> int:
    _check(args.files)
    with ExitStack() as stack:
        policies = [stack.enter_context(closing(policy)) for policy in _load_policies(args)]
        for problem in policies[0].problems:
            print(f"hookline: {sanitize(problem)}", file=sys.stderr)
        judges = [_build_judge(policy, stack) for policy in policies]
        start = time.perf_counter()
        with show_progress(args.files) as advance:
            report = _replay_files(args.files, judges, advance)
        if args.json:
            dump(report.facts())
        else:
            show(report, time.perf_counter() - start, policies[0].hooks, show_all=args.all)
    return 1 if report.unrecognised else 0


def _check(files: Sequence[str]) -> None:
    """Raise `OSError` for a file that cannot be read, before much time is spent on the others."""
    for file in files:
        if file != "-":
            open(file, "rb").close()


def _load_policies(args: Namespace) -> list[Policy]:
    configured = Policy(args.cwd, args.only, args.without)
    if not args.against:
        return [configured]
    try:
        return [configured, Policy(args.cwd, args.only, args.without, settings=args.against)]
    except BaseException:
        configured.close()
        raise


Judges = Sequence[Callable[[Sequence[EventForHost]], Sequence[Verdict]]]


def _build_judge(policy: Policy, stack: ExitStack) -> Callable[[Sequence[EventForHost]], Sequence[Verdict]]:
    size = 0 if policy.pure else 1
    judge_many = stack.enter_context(open_pool(policy.judge_payload, size))
    return lambda events: policy.judge(events, judge_many)


def _replay_files(files: Sequence[str], judges: Judges, advance: Advance) -> ReplayReport:
    report, seen = ReplayReport(), set[object]()
    for file in files:
        recognised = False
        for batch in _batches(parse_file(file, seen)):
            _add_verdicts(report, file, batch, judges)
            recognised = recognised or any(parsed.reader is not None for parsed in batch)
            advance(sum(parsed.line.size for parsed in batch), report.calls)
        if not recognised:
            report.unrecognised.append(file)
    return report


def _batches(lines: Iterator[ParsedLine]) -> Iterator[Sequence[ParsedLine]]:
    """Yield batches small enough for visible progress and large enough for all processors."""
    while batch := list(islice(lines, BATCH_LINES)):
        yield batch


def _add_verdicts(report: ReplayReport, file: str, batch: Sequence[ParsedLine], judges: Judges) -> None:
    events = [
        (event, parsed.reader.payload_host) for parsed in batch if parsed.reader for event in parsed.events
    ]
    verdict_iterators = [iter(judge(events)) for judge in judges]
    for parsed in batch:
        report.add_line(file, parsed)
        for event in parsed.events if parsed.reader else ():
            verdict, *others = (next(verdicts) for verdicts in verdict_iterators)
            report.add_verdict(event, (file, parsed.line.number), verdict, others[0] if others else None)


_T = TypeVar("_T")
Work = Callable[[Any], _T]
CHUNK_SIZE = 16
"""Payloads that are sent to a process together."""
_work: Work[Any] | None = None


@contextmanager
def open_pool(work: Work[_T], size: int = 0) -> Iterator[Callable[[Sequence[Any]], Iterable[_T]]]:
    """Yield a function that applies *work* to a list of payloads, in order.

    With one processor, or without fork, it runs in this process. It must be entered before this program has
    threads, because a process that is forked later may hang.
    """
    global _work  # noqa: PLW0603 -- forked processes inherit it
    size = (size or _count_processors()) if hasattr(os, "fork") else 1
    if size == 1:
        yield lambda payloads: [work(payload) for payload in payloads]
        return
    _work = work
    with multiprocessing.get_context("fork").Pool(size, _reset_signals) as pool:
        yield lambda payloads: pool.map(_run_work, payloads, CHUNK_SIZE)


def _count_processors() -> int:
    """Return the processors that this program may use, if the system reports them, else all."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _reset_signals() -> None:
    """Let the parent end a worker, whatever handler it has inherited; the parent also handles SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _run_work(payload: Any) -> Any:
    if _work is None:
        raise RuntimeError("the worker process has no function to run")
    return _work(payload)
