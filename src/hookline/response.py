"""What one hook answers, and the builders that say it in a word."""

from __future__ import annotations

from hookline.frozen import Frozen, frozen
from hookline.record import field, record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal, TypeAlias

Verdict: TypeAlias = 'Literal["pass", "allow", "ask", "block"]'
WEIGHT: Mapping[Verdict, int] = {"pass": 0, "allow": 1, "ask": 2, "block": 3}
"""Block beats ask beats allow."""


@record
class Notify:
    """An effect: tell the user something through the terminal."""

    title: str
    text: str


@record
class Count:
    """An effect: add to one of the session's counters, atomically in the store."""

    name: str
    by: int = 1


@record
class Keep:
    """An effect: keep this event with its outcome in the audit trail."""


@record
class Measure:
    """An effect: a figure for whoever watches over the agents, such as the score of a loop; see `figures`."""

    name: str
    value: float


@record
class Stage:
    """An effect: a part of what the user is shown once a turn has ended; `stage.PARTS` has them all."""

    part: str
    how: str = ""
    within: float = 0.5
    """Seconds."""


Effect = Notify | Count | Keep | Measure | Stage


@record
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
