"""What one hook answers, and the builders that say it in a word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from hookline.core.frozen import NOTHING, Frozen, frozen
from hookline.core.values import replace

Verdict: TypeAlias = 'Literal["pass", "allow", "ask", "block"]'
WEIGHT: Mapping[Verdict, int] = {"pass": 0, "allow": 1, "ask": 2, "block": 3}
"""Block beats ask beats allow."""


class Notify(Struct, frozen=True, kw_only=True):
    """An effect: tell the user something through the terminal."""

    title: str
    text: str


class Count(Struct, frozen=True, kw_only=True):
    """An effect: add to one of the session's counters, atomically in the store."""

    name: str
    by: int = 1


class Keep(Struct, frozen=True, kw_only=True):
    """An effect: keep this event with its outcome in the audit trail."""


class Mirror(Struct, frozen=True, kw_only=True):
    """An effect: have the session's state file say this, for others to read; with nothing, remove it."""

    key: str
    """What the file is called after: the folder and the name of the session."""
    says: Mapping[str, Any] = NOTHING
    tidy: bool = False
    """Whether files that sessions of long ago left behind go."""


class Post(Struct, frozen=True, kw_only=True):
    """An effect: send this as JSON to a web address, with a few tries."""

    to: str
    says: Mapping[str, Any] = NOTHING


class Measure(Struct, frozen=True, kw_only=True):
    """An effect: a figure for whoever watches over the agents, such as the score of a loop; see `figures`."""

    name: str
    value: float


class Stage(Struct, frozen=True, kw_only=True):
    """An effect: a part of what the user is shown once a turn has ended; `stage.PARTS` has them all."""

    part: str
    how: str = ""
    within: float = 0.5
    """Seconds."""


class End(Struct, frozen=True, kw_only=True):
    """An effect: end the run, where the host can; elsewhere whoever wants it must stop the rest by itself."""

    reason: str


def ending(effects: Iterable[Effect]) -> str:
    """Why the run is to end; empty where it goes on."""
    return next((one.reason for one in effects if isinstance(one, End)), "")


class ErrorSeen(Struct, frozen=True, kw_only=True):
    """An effect: keep what became of an error, for whoever meets it next."""

    key: str
    text: str = ""
    """The error, where it was seen now."""
    command: str = ""
    """What failed so."""
    fix: str = ""
    """What seems to have helped."""
    gain: float = 0.0
    """What this adds to its confidence, besides having been seen."""


class Learn(Struct, frozen=True, kw_only=True):
    """An effect: remember what the recording of a session tells, once the answer is out."""

    session: str
    host: str
    transcript: str


class Enrich(Struct, frozen=True, kw_only=True):
    """An effect: have a command say what else is worth remembering of a session, once the answer is out."""

    command: str
    within: float
    """Seconds."""
    session: str
    host: str
    transcript: str


class HandOver(Struct, frozen=True, kw_only=True):
    """An effect: keep what a session leaves to the next one, before the answer is out."""

    why: str = ""
    """What it was made for: compaction, budget, rotation or end; empty where it only adds to another."""
    text: str = ""
    details: Mapping[str, Any] = NOTHING


Effect = Notify | Count | Keep | Mirror | Post | Measure | Stage | ErrorSeen | Learn | Enrich | End | HandOver


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """The answer of one hook; empty, it passes."""

    verdict: Verdict = "pass"
    reason: str = ""
    rule: str = ""
    """Which rule of the hook decided, so that it can be shown and excepted singly."""
    span: tuple[int, int] | None = None
    """The part of a command line that the rule is about."""
    context: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    changes: Mapping[str, Any] = field(default_factory=Frozen)
    """Changed fields of the event."""
    replace_context: bool = False
    effects: tuple[Effect, ...] = ()
    memory: Mapping[str, Any] = field(default_factory=Frozen)
    """What the session shall remember; read back as `State.memory`."""
    private: bool = False
    """Whether its context is not kept in the trail: it is kept elsewhere, where it can be forgotten."""
    note: str = field(default="", compare=False)
    """What is kept in the trail only; no part of the answer."""

    def plus(self, other: Response) -> Response:
        """Both answers in one; of two verdicts the stricter holds."""
        heavier = other if WEIGHT[other.verdict] > WEIGHT[self.verdict] else self
        return replace(
            heavier,
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
    """Give the agent text to read; with *replace*, instead of what earlier hooks gave."""
    return Response(context=_texts("inject", context), rule=rule, span=span, replace_context=replace)


def block(reason: str, *, rule: str = "", span: tuple[int, int] | None = None) -> Response:
    """Prevent it, and tell the agent why and what is safe instead."""
    return Response(verdict="block", reason=_text("block", reason), rule=rule, span=span)


def ask(reason: str, *, rule: str = "", span: tuple[int, int] | None = None) -> Response:
    """Let a person decide; where the host cannot ask, it is prevented."""
    return Response(verdict="ask", reason=_text("ask", reason), rule=rule, span=span)


def allow(reason: str = "", *, rule: str = "") -> Response:
    """Spare the person the question; never outweighs another hook's block or ask."""
    return Response(verdict="allow", reason=reason, rule=rule)


def modify(*, reason: str = "", rule: str = "", **changes: Any) -> Response:
    """Change fields of the event: `modify(input={...})` before a tool, `modify(output=...)` after it."""
    if not changes:
        raise TypeError("modify() needs a changed field, such as input= or output=")
    return Response(reason=reason, rule=rule, changes=frozen(changes))


def warn(*warnings: str) -> Response:
    """Tell the user, not the agent."""
    return Response(warnings=_texts("warn", warnings))


def effect(*effects: Effect) -> Response:
    """Want something done after the answer, off its path."""
    return Response(effects=effects)


def remember(**values: Any) -> Response:
    """Keep values for this session; newer ones win."""
    return Response(memory=frozen(values))


def _text(builder: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError(f"{builder}() takes a non-empty text, not {value!r}")
    return value


def _texts(builder: str, values: tuple[Any, ...]) -> tuple[str, ...]:
    if not values:
        raise TypeError(f"{builder}() needs at least one text")
    return tuple(_text(builder, value) for value in values)
