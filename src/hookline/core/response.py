"""The response of a hook, its effects, and functions that build responses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from hookline.core.frozen import EMPTY, Frozen, freeze
from hookline.core.values import replace

Verdict: TypeAlias = 'Literal["pass", "allow", "ask", "block"]'
WEIGHT: Mapping[Verdict, int] = {"pass": 0, "allow": 1, "ask": 2, "block": 3}
"""Block beats ask beats allow."""


class Notify(Struct, frozen=True, kw_only=True):
    """An effect: show the user a terminal notification."""

    title: str
    text: str


class Count(Struct, frozen=True, kw_only=True):
    """An effect: add to one of the session's counters, atomically in the store."""

    name: str
    by: int = 1


class RecordEvent(Struct, frozen=True, kw_only=True):
    """An effect: record this event with its outcome in the audit trail."""


class Mirror(Struct, frozen=True, kw_only=True):
    """An effect: write the session's state file for other programs; without content, remove the file."""

    key: str
    """Folder and name of the session, from which the file's name is derived."""
    content: Mapping[str, Any] = EMPTY
    tidy: bool = False
    """True to remove files of old sessions too."""


class Post(Struct, frozen=True, kw_only=True):
    """An effect: send JSON to a URL, with a few retries."""

    to: str
    content: Mapping[str, Any] = EMPTY


class Measure(Struct, frozen=True, kw_only=True):
    """An effect: report a figure to telemetry, such as the score of a loop; see `hookline.core.metrics`."""

    name: str
    value: float


class SummaryPart(Struct, frozen=True, kw_only=True):
    """An effect: show the user a part of the summary after a turn; `runtime.turn_summary` has the parts."""

    part: str
    text: str = ""
    timeout: float = 0.5
    """Timeout in seconds."""


class End(Struct, frozen=True, kw_only=True):
    """An effect: end the run, if the host can; otherwise the hook has to block the following calls itself."""

    reason: str


def find_end_reason(effects: Iterable[Effect]) -> str:
    """Return the reason to end the run, or an empty string."""
    return next((item.reason for item in effects if isinstance(item, End)), "")


class ErrorSeen(Struct, frozen=True, kw_only=True):
    """An effect: record an error, its fix, or a change of confidence, for later sessions."""

    key: str
    text: str = ""
    """The error message, if the error was seen now."""
    command: str = ""
    """The command that failed."""
    fix: str = ""
    """The probable fix."""
    gain: float = 0.0
    """Gain of confidence, besides that for the error being seen."""


class Learn(Struct, frozen=True, kw_only=True):
    """An effect: extract memories from a session's transcript, after the reply is sent."""

    session: str
    host: str
    transcript: str
    prompt: str = ""
    """The text to learn from instead of the transcript."""
    by_agent: bool = False
    """True if another agent writes the prompts of the session."""


class Enrich(Struct, frozen=True, kw_only=True):
    """An effect: let a command extract further memories from a session, after the reply is sent."""

    command: str
    within: float
    """Timeout in seconds."""
    session: str
    host: str
    transcript: str


class HandOver(Struct, frozen=True, kw_only=True):
    """An effect: store a handoff for the next session, before the reply is sent."""

    why: str = ""
    """The occasion: compaction, budget, rotation or end; empty if it only adds to another handoff."""
    text: str = ""
    details: Mapping[str, Any] = EMPTY


Effect = (
    Notify
    | Count
    | RecordEvent
    | Mirror
    | Post
    | Measure
    | SummaryPart
    | ErrorSeen
    | Learn
    | Enrich
    | End
    | HandOver
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """The response of one hook; an empty one passes."""

    verdict: Verdict = "pass"
    reason: str = ""
    rule: str = ""
    """The rule of the hook that decided, so that it can be shown and excepted."""
    span: tuple[int, int] | None = None
    """The part of a command line that the rule is about."""
    context: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    changes: Mapping[str, Any] = field(default_factory=Frozen)
    """Changed fields of the event."""
    replace_context: bool = False
    effects: tuple[Effect, ...] = ()
    memory: Mapping[str, Any] = field(default_factory=Frozen)
    """Values to remember for the session; hooks read them from `State.memory`."""
    private: bool = False
    """True if its context stays out of the trail, because it is stored where it can be forgotten."""
    note: str = field(default="", compare=False)
    """A note for the trail only; not part of the reply."""

    def plus(self, other: Response) -> Response:
        """Return both responses merged; the stricter verdict wins."""
        stricter = other if WEIGHT[other.verdict] > WEIGHT[self.verdict] else self
        return replace(
            stricter,
            context=self.context + other.context,
            warnings=self.warnings + other.warnings,
            changes=Frozen({**self.changes, **other.changes}),
            replace_context=self.replace_context or other.replace_context,
            effects=self.effects + other.effects,
            memory=Frozen({**self.memory, **other.memory}),
            private=self.private or other.private,
            note=self.note or other.note,
        )


def passed() -> Response:
    return Response()


def inject(
    *context: str, rule: str = "", span: tuple[int, int] | None = None, replace: bool = False
) -> Response:
    """Inject text into the agent's context; with *replace*, instead of that of earlier hooks."""
    return Response(context=_check_texts("inject", context), rule=rule, span=span, replace_context=replace)


def block(reason: str, *, rule: str = "", span: tuple[int, int] | None = None) -> Response:
    """Block the action; *reason* tells the agent why, and what is safe instead."""
    return Response(verdict="block", reason=_check_text("block", reason), rule=rule, span=span)


def ask(reason: str, *, rule: str = "", span: tuple[int, int] | None = None) -> Response:
    """Let a person decide; if the host cannot ask, the action is blocked."""
    return Response(verdict="ask", reason=_check_text("ask", reason), rule=rule, span=span)


def allow(reason: str = "", *, rule: str = "") -> Response:
    """Skip the host's permission prompt; a block or ask of another hook has precedence."""
    return Response(verdict="allow", reason=reason, rule=rule)


def modify(*, reason: str = "", rule: str = "", **changes: Any) -> Response:
    """Change fields of the event: `modify(input={...})` before a tool, `modify(output=...)` after it."""
    if not changes:
        raise TypeError("modify() requires a changed field, such as input= or output=")
    return Response(reason=reason, rule=rule, changes=freeze(changes))


def warn(*warnings: str) -> Response:
    """Show a warning to the user, not to the agent."""
    return Response(warnings=_check_texts("warn", warnings))


def effect(*effects: Effect) -> Response:
    """Request effects, which run after the reply is sent."""
    return Response(effects=effects)


def remember(**values: Any) -> Response:
    """Remember values for this session; they replace earlier values of the same names."""
    return Response(memory=freeze(values))


def _check_text(builder: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError(f"{builder}() requires a non-empty text, not {value!r}")
    return value


def _check_texts(builder: str, values: tuple[Any, ...]) -> tuple[str, ...]:
    if not values:
        raise TypeError(f"{builder}() requires at least one text")
    return tuple(_check_text(builder, value) for value in values)
