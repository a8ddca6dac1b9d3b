"""What a replay found: every verdict counted, and those that are no pass grouped by the rule that decided."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from hookline import hosts
from hookline.cli._replay.calls import Heard, ToolEvent
from hookline.cli._replay.policy import ACTIONS, Verdict
from hookline.core.audit import summary
from hookline.core.events import PreToolUse
from hookline.core.values import replace
from hookline.redact import redact

EXAMPLES = 3
"""Calls that are shown of a group."""
UNREAD = 20
"""Lines that are named of those that could not be read."""


class Group(Struct, kw_only=True):
    """Calls or results of which the same was said by the same rules."""

    of: str
    """call or result."""
    verdict: Verdict
    other: Verdict | None = None
    """What the other policy says; None where there is none."""
    times: int = 0
    sessions: set[str] = field(default_factory=set)
    examples: list[dict[str, Any]] = field(default_factory=list)

    @property
    def change(self) -> str:
        """What the other policy changes; empty where there is none."""
        if self.other is None:
            return ""
        blocked = (self.verdict.action == "block", self.other.action == "block")
        return {(False, True): "newly blocked", (True, False): "no longer blocked"}.get(blocked, "changed")

    def add(self, event: ToolEvent, file: str, line: int) -> None:
        self.times += 1
        self.sessions.add(event.session)
        if len(self.examples) < EXAMPLES:
            what = summary(event) or summary(_placed(event))
            if what not in [example["what"] for example in self.examples]:
                self.examples.append({"file": file, "line": line, "session": event.session, "what": what})


class Report(Struct, kw_only=True):
    """What was heard and said so far."""

    sessions: set[str] = field(default_factory=set)
    actions: dict[str, Counter[str]] = field(default_factory=lambda: {"call": Counter(), "result": Counter()})
    others: dict[str, Counter[str]] = field(default_factory=lambda: {"call": Counter(), "result": Counter()})
    """The same under the other policy."""
    groups: dict[object, Group] = field(default_factory=dict)
    failed: Counter[str] = field(default_factory=Counter)
    unread: list[dict[str, Any]] = field(default_factory=list)
    """The first lines that could not be read."""
    unread_lines: int = 0
    partial: int = 0
    strange: list[str] = field(default_factory=list)
    """Files in which nobody recognised anything."""

    @property
    def calls(self) -> int:
        return self.actions["call"].total()

    @property
    def results(self) -> int:
        return self.actions["result"].total()

    def hear(self, file: str, heard: Heard) -> None:
        """What is to be said of the line itself."""
        self.partial += heard.partial
        if heard.line.wrong and heard.line.wrong != "empty":
            self.unread_lines += 1
            if len(self.unread) < UNREAD:
                self.unread.append({"file": file, "line": heard.line.number, "why": heard.line.wrong})

    def say(self, event: ToolEvent, where: tuple[str, int], verdict: Verdict, other: Verdict | None) -> None:
        """Count what the policy says, and what another would, if there is one."""
        of = "call" if isinstance(event, PreToolUse) else "result"
        self.sessions.add(event.session)
        for said, counts in ((verdict, self.actions), (other, self.others)):
            if said is not None:
                counts[of][said.action] += 1
                self.failed.update(said.failed)
        if verdict.action == "pass" if other is None else verdict.short == other.short:
            return
        key = (of, verdict.short, other.short if other else "")
        if key not in self.groups:
            self.groups[key] = Group(of=of, verdict=_redacted(verdict), other=other and _redacted(other))
        self.groups[key].add(event, *where)

    def in_order(self) -> list[Group]:
        """The gravest first, then the most frequent."""
        return sorted(self.groups.values(), key=lambda g: (_gravity(g.other or g.verdict), -g.times))

    def facts(self) -> dict[str, Any]:
        """For a program."""
        others = {of: _counted(counts) for of, counts in self.others.items()}
        return {
            "calls": self.calls,
            "results": self.results,
            "sessions": len(self.sessions),
            "actions": {of: _counted(counts) for of, counts in self.actions.items()},
            **({"against": others} if self.others["call"] else {}),
            "groups": [_fact(group) for group in self.in_order()],
            "failed": dict(self.failed),
            "partial": self.partial,
            "unread": {"lines": self.unread_lines, "first": self.unread},
            "strange": self.strange,
        }


def _placed(event: ToolEvent) -> ToolEvent:
    """With where its path lies, by the words of the host that recorded it."""
    row = hosts.load(event.host).tools.get(event.tool) if event.host in hosts.names() else None
    return replace(event, places=row.places) if row else event


def _redacted(verdict: Verdict) -> Verdict:
    return replace(verdict, reason=redact(verdict.reason))


def _gravity(verdict: Verdict) -> int:
    return ACTIONS.index(verdict.action)


def _counted(counter: Mapping[str, int]) -> dict[str, int]:
    return {action: counter.get(action, 0) for action in ACTIONS}


def _fact(group: Group) -> dict[str, Any]:
    said = {"of": group.of, **_said(group.verdict)}
    if group.other is not None:
        said |= {"change": group.change, "against": _said(group.other)}
    return {**said, "times": group.times, "sessions": len(group.sessions), "examples": group.examples}


def _said(verdict: Verdict) -> dict[str, Any]:
    return {"action": verdict.action, "rules": list(verdict.rules), "reason": verdict.reason}
