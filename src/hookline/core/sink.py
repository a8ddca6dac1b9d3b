"""What a sink is: where telemetry goes; and the one value that is sent there."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct

from hookline.core.frozen import NOTHING

Stretch = Literal["session", "turn", "tool"]


class Ended(Struct, frozen=True, kw_only=True):
    """A stretch of time that is over: a session, a turn of it, or a tool call in that."""

    of: Stretch
    name: str
    """Which one: the session's run, the turn's number, the call."""
    began: float
    at: float
    tool: str = ""
    """Of a call that was left open: its tool."""
    turn: int = 0
    """Of a call that was left open: the turn that it was in."""
    told: bool = True
    """Whether somebody said that it ended; False where the next one simply began."""


class Ran(Struct, frozen=True, kw_only=True):
    """What one hook did, in figures only."""

    hook: str
    said: str
    ms: float = 0.0
    rule: str = ""
    nature: str = "policy"
    failure: str = ""
    """failed or timed-out; empty where it answered."""


class Report(Struct, frozen=True, kw_only=True):
    """One event with its outcome as telemetry: redacted, in figures, and without what anybody wrote."""

    id: str
    """Unique: the same in every sink, and as often as it is sent."""
    at: float
    session: str
    host: str
    event: str
    cwd: str = ""
    run: int = 0
    """How often this session has begun."""
    turn: int = 0
    """Which turn of the session it belongs to; 0 is none."""
    call: str = ""
    tool: str = ""
    agent: str = ""
    """The sort of helper agent that it belongs to."""
    model: str = ""
    action: str = "pass"
    rules: tuple[str, ...] = ()
    ms: float = 0.0
    """What all hooks together took."""
    hooks: tuple[Ran, ...] = ()
    figures: Mapping[str, Any] = NOTHING
    """By the names of `figures.FIGURES`."""
    ended: tuple[Ended, ...] = ()
    content: Mapping[str, str] = NOTHING
    """What was written and read, redacted; only for a sink whose user turned `content` on."""


class SinkFailed(Exception):
    """A sink that cannot take anything now; the message says why, to the user."""


class Sink(Protocol):
    """Every sink passes `hookline.testing.sinks.check_sink`; one is opened by its file's `open_sink`.

    Its settings are the keyword-only parameters of that function. `content` must be one of them.
    """

    def export(self, reports: Sequence[Report]) -> None:
        """Send the *reports*; whoever raises `SinkFailed` or `OSError` is handed the same ones again."""

    def close(self) -> None: ...


class Choice(Struct, frozen=True, kw_only=True):
    """A sink that somebody configured."""

    name: str
    settings: Mapping[str, Any]
    """All of them, also those that nobody set."""
    given: Mapping[str, str] = NOTHING
    """Where each that is not the default was set."""
    enabled: bool = True
    own: bool = True
    """Whether all of it is the user's own word; False where a trusted project had a say."""
