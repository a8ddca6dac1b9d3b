"""The result of a replay and its output.

Every verdict is counted, and all but passes are grouped by the rule that decided. The output shows verdicts
by rule with examples.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from hookline import hosts
from hookline.cli._output import print_table, sanitize
from hookline.cli._replay.calls import ParsedLine, ToolEvent
from hookline.cli._replay.policy import ACTIONS, Verdict
from hookline.core.audit import summarize_event
from hookline.core.events import PreToolUse
from hookline.core.hook import Hook
from hookline.core.values import replace
from hookline.redact import redact

MAX_UNREAD = 20
"""Unreadable lines that are listed."""


class Group(Struct, kw_only=True):
    """Calls or results with the same verdict by the same rules."""

    of: str
    """"call" or "result"."""
    verdict: Verdict
    other: Verdict | None = None
    """The verdict of the other policy; None without one."""
    times: int = 0
    sessions: set[str] = field(default_factory=set)
    calls: list[dict[str, Any]] = field(default_factory=list)
    """Each call or result: file, line, session, content, and the reason of the decisive verdict."""

    @property
    def change(self) -> str:
        """Change by the other policy; empty without one."""
        if self.other is None:
            return ""
        blocked = (self.verdict.action == "block", self.other.action == "block")
        return {(False, True): "newly blocked", (True, False): "no longer blocked"}.get(blocked, "changed")

    def add(self, event: ToolEvent, file: str, line: int, reason: str) -> None:
        self.times += 1
        self.sessions.add(event.session)
        what = summarize_event(event) or summarize_event(_add_places(event))
        call = {"file": file, "line": line, "session": event.session, "what": what, "reason": redact(reason)}
        self.calls.append(call)


class ReplayReport(Struct, kw_only=True):
    """Counts of the lines and verdicts so far."""

    sessions: set[str] = field(default_factory=set)
    actions: dict[str, Counter[str]] = field(default_factory=lambda: {"call": Counter(), "result": Counter()})
    others: dict[str, Counter[str]] = field(default_factory=lambda: {"call": Counter(), "result": Counter()})
    """The counts under the other policy."""
    groups: dict[object, Group] = field(default_factory=dict)
    failed: Counter[str] = field(default_factory=Counter)
    unread: list[dict[str, Any]] = field(default_factory=list)
    """The first lines that could not be read."""
    unread_lines: int = 0
    partial: int = 0
    unrecognised: list[str] = field(default_factory=list)
    """Files without any recognised line."""

    @property
    def calls(self) -> int:
        return self.actions["call"].total()

    @property
    def results(self) -> int:
        return self.actions["result"].total()

    def add_line(self, file: str, parsed: ParsedLine) -> None:
        """Count the line itself."""
        self.partial += parsed.partial
        if parsed.line.wrong and parsed.line.wrong != "empty":
            self.unread_lines += 1
            if len(self.unread) < MAX_UNREAD:
                self.unread.append({"file": file, "line": parsed.line.number, "why": parsed.line.wrong})

    def add_verdict(
        self, event: ToolEvent, where: tuple[str, int], verdict: Verdict, other: Verdict | None
    ) -> None:
        """Count the verdict of the policy, and that of the other policy if there is one."""
        of = "call" if isinstance(event, PreToolUse) else "result"
        self.sessions.add(event.session)
        for result, counts in ((verdict, self.actions), (other, self.others)):
            if result is not None:
                counts[of][result.action] += 1
                self.failed.update(result.failed)
        if verdict.action == "pass" if other is None else verdict.short == other.short:
            return
        key = (of, verdict.short, other.short if other else "")
        if key not in self.groups:
            self.groups[key] = Group(
                of=of, verdict=_redact_reason(verdict), other=other and _redact_reason(other)
            )
        self.groups[key].add(event, *where, (other.reason if other else "") or verdict.reason)

    def sort_groups(self) -> list[Group]:
        """Return the groups, most severe first, then most frequent."""
        return sorted(self.groups.values(), key=lambda g: (_rank(g.other or g.verdict), -g.times))

    def facts(self) -> dict[str, Any]:
        """Return the report for JSON output."""
        others = {of: _count_actions(counts) for of, counts in self.others.items()}
        return {
            "calls": self.calls,
            "results": self.results,
            "sessions": len(self.sessions),
            "actions": {of: _count_actions(counts) for of, counts in self.actions.items()},
            **({"against": others} if self.others["call"] else {}),
            "groups": [_group_facts(group) for group in self.sort_groups()],
            "failed": dict(self.failed),
            "partial": self.partial,
            "unread": {"lines": self.unread_lines, "first": self.unread},
            "strange": self.unrecognised,
        }


def _add_places(event: ToolEvent) -> ToolEvent:
    """Return the event with the position of its path, as defined by the host that recorded it."""
    row = hosts.load(event.host).tools.get(event.tool) if event.host in hosts.names() else None
    return replace(event, input_keys=row.input_keys) if row else event


def _redact_reason(verdict: Verdict) -> Verdict:
    return replace(verdict, reason=redact(verdict.reason))


def _rank(verdict: Verdict) -> int:
    return ACTIONS.index(verdict.action)


def _count_actions(counter: Mapping[str, int]) -> dict[str, int]:
    return {action: counter.get(action, 0) for action in ACTIONS}


def _group_facts(group: Group) -> dict[str, Any]:
    facts = {"of": group.of, **_verdict_facts(group.verdict)}
    if group.other is not None:
        facts |= {"change": group.change, "against": _verdict_facts(group.other)}
    return {**facts, "times": group.times, "sessions": len(group.sessions), "calls": group.calls}


def _verdict_facts(verdict: Verdict) -> dict[str, Any]:
    return {"action": verdict.action, "rules": list(verdict.rules), "reason": verdict.reason}


CHANGES = ("newly blocked", "no longer blocked", "changed")
MAX_EXAMPLES = 3
"""Calls of a group that are shown without `--all`."""
MAX_LINES = 5
"""Unreadable lines whose position is shown."""


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
