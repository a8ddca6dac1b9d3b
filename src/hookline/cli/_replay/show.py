"""Show a person what a replay found, by rule, with examples; and how far it is, where there is a terminal."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from hookline.cli._output import table, visible
from hookline.cli._replay.policy import ACTIONS, Verdict
from hookline.cli._replay.report import Group, Report

CHANGES = ("newly blocked", "no longer blocked", "changed")
NAMED = 5
"""Lines that could not be read of which a person is told where."""
Advance = Callable[[int, int], None]
"""Told how many bytes were read since, and how many calls there are by now."""


@contextmanager
def progress(files: Iterable[str]) -> Iterator[Advance]:
    """A bar on stderr while somebody watches; nothing otherwise."""
    if not sys.stderr.isatty():
        yield lambda size, calls: None
        return
    console = Console(stderr=True)
    counted = TextColumn("{task.fields[calls]:,} calls")
    columns = (counted, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=console.is_dumb_terminal) as bar:
        task = bar.add_task("", total=sum(map(_size, files)) or None, calls=0)
        yield lambda size, calls: bar.update(task, advance=size, calls=calls)


def _size(file: str) -> int:
    try:
        return os.path.getsize(file)
    except OSError:  # stdin, or a file that reading will complain about
        return 0


def show(report: Report, seconds: float) -> None:
    groups = report.in_order()
    if any(group.other for group in groups):
        for change in CHANGES:
            _show_changes(change, [group for group in groups if group.change == change])
    elif groups:
        rows = [(*_head(group), str(group.times), str(len(group.sessions))) for group in groups]
        table(("action", "of", "rule", "times", "sessions"), rows)
        print()
        for group in groups:
            _show_group(" ".join(_head(group)), group)
    _show_summary(report, seconds)


def _head(group: Group) -> tuple[str, str, str]:
    return group.verdict.action, group.of, ", ".join(group.verdict.rules)


def _show_changes(change: str, groups: list[Group]) -> None:
    if groups:
        print(f"{change}: {sum(group.times for group in groups):,}\n")
    for group in groups:
        then = group.other or group.verdict
        _show_group(f"{_number(group.times, group.of)}: {_said(group.verdict)} → {_said(then)}", group)


def _said(verdict: Verdict) -> str:
    return f"{verdict.action} by {', '.join(verdict.rules)}" if verdict.rules else verdict.action


def _show_group(title: str, group: Group) -> None:
    print(visible(title))
    reason = (group.other.reason if group.other else "") or group.verdict.reason
    for line in reason.splitlines():
        print(f"  {visible(line)}")
    for example in group.examples:
        print(f"  {visible(example['file'])}:{example['line']}  {visible(example['what'])}")
    print()


def _show_summary(report: Report, seconds: float) -> None:
    heard = f"{_number(report.calls, 'call')} and {_number(report.results, 'result')}"
    print(f"{heard} of {_number(len(report.sessions), 'session')} in {seconds:.1f} s")
    for of, counts in report.actions.items():
        print(f"{of}s: {_counts(counts)}")
    for of, counts in report.others.items() if report.others["call"] else ():
        print(f"{of}s against: {_counts(counts)}")
    for trouble, times in report.failed.most_common():
        print(f"{_number(times, 'time')}: {visible(trouble)}")
    if report.partial:
        print(f"judged by its beginning, because the trail keeps no more: {_number(report.partial, 'call')}")
    if report.unread_lines:
        first = [f"{one['file']}:{one['line']} ({one['why']})" for one in report.unread[:NAMED]]
        named = visible(", ".join(first)) + (", ..." if report.unread_lines > NAMED else "")
        print(f"could not be read: {_number(report.unread_lines, 'line')}: {named}")
    for file in report.strange:
        print(f"{visible(file)}: no recorded session of a kind that is known here")


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts.get(action, 0):,} {action}" for action in ACTIONS)
