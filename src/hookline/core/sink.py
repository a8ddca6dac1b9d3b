"""The contract of a sink, a destination of telemetry, and the reports that it receives."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct, field

from hookline.core.frozen import EMPTY

SpanKind = Literal["session", "turn", "tool"]


class EndedSpan(Struct, frozen=True, kw_only=True):
    """A span that has ended: a session, a turn or a tool call."""

    of: SpanKind
    name: str
    """The number of the session's run or of the turn, or the id of the call."""
    began: float
    at: float
    tool: str = ""
    """The tool of a call whose end was not reported."""
    turn: int = 0
    """The turn of a call whose end was not reported."""
    end_reported: bool = field(default=True, name="told")
    """True if the end was reported; False if it was concluded from the start of the next span."""


class HookRun(Struct, frozen=True, kw_only=True):
    """The run of one hook, without any text of the session."""

    hook: str
    action: str = field(name="said")
    ms: float = 0.0
    rule: str = ""
    nature: str = "policy"
    failure: str = ""
    """`failed` or `timed-out`; empty if it answered."""


class Report(Struct, frozen=True, kw_only=True):
    """One event with its outcome as telemetry: redacted, and by default without the texts of the session."""

    id: str
    """Unique: the same in every sink and for every retry."""
    at: float
    session: str
    host: str
    event: str
    cwd: str = ""
    run: int = 0
    """Number of times that this session was started."""
    turn: int = 0
    """Number of the turn in the session; 0 is none."""
    call: str = ""
    tool: str = ""
    agent: str = ""
    """The type of the subagent, if any."""
    model: str = ""
    action: str = "pass"
    rules: tuple[str, ...] = ()
    ms: float = 0.0
    """Milliseconds that all hooks took together."""
    hooks: tuple[HookRun, ...] = ()
    figures: Mapping[str, Any] = EMPTY
    """Values by the names in `metrics.FIGURES`."""
    ended: tuple[EndedSpan, ...] = ()
    content: Mapping[str, str] = EMPTY
    """The texts of the session, redacted; only if the user enabled `content` for the sink."""


class SinkFailed(Exception):
    """A sink that cannot export now; the message is for the user."""


class Sink(Protocol):
    """A destination of telemetry, opened by the function `open_sink` of its module.

    The keyword-only parameters of `open_sink` are the settings; `content` must be one of them. Every sink
    passes `hookline.testing.sinks.check_sink`.
    """

    def export(self, reports: Sequence[Report]) -> None:
        """Send *reports*; after `SinkFailed` or `OSError` the same reports are passed again."""

    def close(self) -> None: ...


class ConfiguredSink(Struct, frozen=True, kw_only=True):
    """A configured sink."""

    name: str
    settings: Mapping[str, Any]
    """All settings, including defaults."""
    origins: Mapping[str, str] = EMPTY
    """The origin of each setting that is not a default."""
    enabled: bool = True
    own: bool = True
    """True if all settings are the user's; False if a trusted project set some."""
