"""Output of a replay: verdicts by rule with examples, and a progress bar on a terminal."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from hookline.cli._output import print_table, sanitize
from hookline.cli._replay.policy import ACTIONS, Verdict
from hookline.cli._replay.report import Group, ReplayReport
from hookline.core.hook import Hook

CHANGES = ("newly blocked", "no longer blocked", "changed")
MAX_EXAMPLES = 3
"""Calls of a group that are shown without `--all`."""
MAX_LINES = 5
"""Unreadable lines whose position is shown."""
Advance = Callable[[int, int], None]
"""Called with the bytes read since the last call, and the number of calls so far."""


@contextmanager
def progress(files: Iterable[str]) -> Iterator[Advance]:
    """Show a progress bar on stderr if it is a terminal."""
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
    except OSError:  # stdin, or a file whose error is reported when it is read
        return 0


def show(report: ReplayReport, seconds: float, hooks: Sequence[Hook], *, show_all: bool) -> None:
    """Print the report; *hooks* are those whose settings may change a verdict."""
    groups, settings = report.sort_groups(), {hook.name: hook.settings for hook in hooks}
    limit = None if show_all else MAX_EXAMPLES
    if any(group.other for group in groups):
        for change in CHANGES:
            _show_changes(change, [group for group in groups if group.change == change], limit)
    elif groups:
        rows = [(*_format_head(group), str(group.times), str(len(group.sessions))) for group in groups]
        print_table(("action", "type", "rule", "count", "sessions"), rows)
        print()
        for group in groups:
            _show_group(" ".join(_format_head(group)), group, limit)
            _show_settings(group, settings)
            print()
    _show_summary(report, seconds)


def _format_head(group: Group) -> tuple[str, str, str]:
    return group.verdict.action, group.of, ", ".join(group.verdict.rules)


def _show_changes(change: str, groups: list[Group], limit: int | None) -> None:
    if groups:
        print(f"{change}: {sum(group.times for group in groups):,}\n")
    for group in groups:
        then = group.other or group.verdict
        _show_group(
            f"{_count(group.times, group.of)}: {_describe(group.verdict)} → {_describe(then)}",
            group,
            limit,
        )
        print()


def _describe(verdict: Verdict) -> str:
    return f"{verdict.action} by {', '.join(verdict.rules)}" if verdict.rules else verdict.action


def _show_group(title: str, group: Group, limit: int | None) -> None:
    """Print the calls of a group below their reasons: all, or the first *limit* that differ."""
    print(sanitize(title))
    distinct, by_reason = dict[str, Any](), dict[str, list[Any]]()
    for call in group.calls:
        distinct.setdefault(call["what"], call)
    for call in group.calls if limit is None else [*distinct.values()][:limit]:
        by_reason.setdefault(call["reason"], []).append(call)
    for reason, shown in by_reason.items():
        for line in reason.splitlines():
            print(f"  {sanitize(line)}")
        for call in shown:
            print(f"    {sanitize(call['file'])}:{call['line']}  {sanitize(call['what'])}")


def _show_settings(group: Group, settings: Mapping[str, Mapping[str, Any]]) -> None:
    """Print the settings under which the group's calls would pass."""
    for rule_id in group.verdict.rules:
        name, _, rule = rule_id.partition(":")
        if name not in settings:
            continue
        excepted = rule and "allow" in settings[name]
        value = f'allow = ["{rule}"]' if excepted else "enabled = false"
        print(f"  to let these pass, in hookline.toml: hooks.{name}.{value}")


def _show_summary(report: ReplayReport, seconds: float) -> None:
    total = f"{_count(report.calls, 'call')} and {_count(report.results, 'result')}"
    print(f"{total} of {_count(len(report.sessions), 'session')} in {seconds:.1f} s")
    for of, counts in report.actions.items():
        print(f"{of}s: {_format_counts(counts)}")
    for of, counts in report.others.items() if report.others["call"] else ():
        print(f"{of}s with the other settings: {_format_counts(counts)}")
    for failure, times in report.failed.most_common():
        print(f"{_count(times, 'time')}: {sanitize(failure)}")
    if report.partial:
        print(f"judged only by the recorded beginning: {_count(report.partial, 'call')}")
    if report.unread_lines:
        first = [
            f"{unread['file']}:{unread['line']} ({unread['why']})" for unread in report.unread[:MAX_LINES]
        ]
        positions = sanitize(", ".join(first)) + (", ..." if report.unread_lines > MAX_LINES else "")
        print(f"unreadable: {_count(report.unread_lines, 'line')}: {positions}")
    for file in report.unrecognised:
        print(f"{sanitize(file)}: no recorded session in a known format")


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _format_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts.get(action, 0):,} {action}" for action in ACTIONS)
