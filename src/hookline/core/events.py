"""The events of an agent's session, one frozen class each, independent of the host.

A class has the data of the event, the actions that a hook may take (`may`) and the timeout of a configured
hook (`limit`, in seconds). A new event is one class here and a row in the table of each host that has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import Struct, field

from hookline.core.frozen import Frozen
from hookline.core.patch import FilePatch, parse_patch


class Unreadable(ValueError):
    """A payload that is not a valid event; the message names the field and never repeats its value."""


class Ability(str):
    """An action that a response may take at an event."""

    __slots__ = ()


ALL_ABILITIES = BLOCK, ASK, ALLOW, INJECT, MODIFY = (
    *map(Ability, ("block", "ask", "allow", "inject", "modify")),
)
"""All actions."""


class Subagent(Struct, frozen=True, kw_only=True):
    """The subagent that an event belongs to."""

    id: str = ""
    type: str = ""


UNCOMPARED_FIELDS = frozenset({"input_keys", "left_out", "native", "native_paths", "payload_problems"})
"""Fields about the payload, which may differ in equal events."""


class Event(Struct, frozen=True, kw_only=True, eq=False):
    """The fields that every event has."""

    abilities: ClassVar[frozenset[Ability]] = frozenset()
    timeout: ClassVar[float] = 5.0
    changeable_field: ClassVar[str] = ""
    """The field that `modify` changes, if any."""
    block_prevents: ClassVar[bool] = True
    """True if a block prevents something; if not, it is feedback and does not end the chain."""
    counts_strikes: ClassVar[bool] = False
    """True if blocks here count as strikes."""
    to_agent: ClassVar[bool] = True
    """True if the agent itself reads injected context at once."""

    session: str = ""
    host: str = ""
    cwd: str = ""
    at: float = 0.0
    """Time of the event in Unix seconds."""
    agent: str = ""
    repository: str = ""
    branch: str = ""
    turn: str = ""
    """The host's id of the turn; empty if it has none."""
    mode: str = ""
    """The current permission mode of the host."""
    transcript: str = ""
    subagent: Subagent | None = None
    ends_at: float | None = None
    """End of the time budget in Unix seconds, if the host reports one."""
    used_tokens: int | None = None
    """Tokens in the context now, if the host reports them with the event; as are the next four."""
    max_tokens: int | None = None
    effective_limit: int | None = None
    """Tokens that may be used; `max_tokens` without a reserve for the answer."""
    percent_used: float | None = None
    cost_usd: float | None = None
    native: Mapping[str, Any] = field(default_factory=Frozen)
    """The host's payload, for hooks that were written for that host."""
    native_paths: Mapping[str, str] = field(default_factory=Frozen)
    """Dotted paths of the event's fields in `native`, so that a change is made there too."""
    payload_problems: tuple[str, ...] = ()
    """Sentences about fields of the payload that were invalid and left out."""
    left_out: int = 0
    """Number of values that are missing in the event, because the payload has too many."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _compared_values(self) == _compared_values(other)

    def __hash__(self) -> int:
        return hash(tuple(_compared_values(self).values()))

    def __repr__(self) -> str:
        values = [f"{name}={value!r}" for name, value in _compared_values(self).items()]
        return f"{self.name}({', '.join(values)})"

    @property
    def name(self) -> str:
        return type(self).__name__

    @property
    def reports_usage(self) -> bool:
        """True if the host reports tokens or cost with the event."""
        figures = (self.used_tokens, self.max_tokens, self.effective_limit, self.percent_used, self.cost_usd)
        return figures != (None,) * len(figures)

    @property
    def match_texts(self) -> tuple[str, ...]:
        """The texts that a configured hook's `match` is compared with; if empty, every hook matches."""
        return ()


def _compared_values(event: Any) -> dict[str, Any]:
    names = event.__struct_fields__
    return {name: getattr(event, name) for name in names if name not in UNCOMPARED_FIELDS}


class _ToolEvent(Event, frozen=True, kw_only=True):
    tool: str
    """The host's name of the tool."""
    kind: str = "other"
    """Our kind of tool: shell, read, write, edit, search, ..."""
    input: Mapping[str, Any] = field(default_factory=Frozen)
    call: str = ""
    """The host's id of this call."""
    input_keys: Mapping[str, str] = field(default_factory=Frozen)
    """The host's keys for command, path, pattern, content and output."""

    @property
    def match_texts(self) -> tuple[str, ...]:
        return (self.tool, self.kind)

    @property
    def command(self) -> str | None:
        """The command line of a shell tool."""
        return self._input_text("command")

    @property
    def path(self) -> str | None:
        """The path of the file; for a patch that of the first file, `patch` has them all."""
        return self._input_text("path") or next((part.path for part in self.patch), None)

    @property
    def pattern(self) -> str | None:
        return self._input_text("pattern")

    @property
    def content(self) -> str | None:
        patch = self.patch
        return "\n".join(part.content for part in patch) if patch else self._input_text("content")

    @property
    def patch(self) -> tuple[FilePatch, ...]:
        """The files of a patch, if the tool takes one."""
        return parse_patch(self._input_text("patch") or "") if "patch" in self.input_keys else ()

    def _input_text(self, field_name: str) -> str | None:
        key = self.input_keys.get(field_name)
        if key is None and field_name in self.input_keys.values():
            return None  # the host uses this key for another of our fields
        value = self.input.get(key or field_name)
        return value if isinstance(value, str) else None


class SessionStart(Event, frozen=True, kw_only=True):
    """A session starts, resumes, or continues after compaction."""

    abilities = frozenset({INJECT})
    timeout = 10.0
    source: str = ""

    @property
    def match_texts(self) -> tuple[str, ...]:
        return (self.source,)


class UserPromptSubmit(Event, frozen=True, kw_only=True):
    """The user submits a prompt."""

    abilities = frozenset({BLOCK, INJECT})
    prompt: str


class TurnStart(Event, frozen=True, kw_only=True):
    """A turn starts."""

    abilities = frozenset({BLOCK, INJECT})
    prompt: str = ""


class PreModelCall(Event, frozen=True, kw_only=True):
    """The model is about to be called."""

    abilities = frozenset({BLOCK, INJECT, MODIFY})
    timeout = 10.0
    changeable_field = "messages"
    counts_strikes = True
    model: str = ""
    messages: tuple[Any, ...] = ()


class PostModelCall(Event, frozen=True, kw_only=True):
    """The model has answered."""

    abilities = frozenset({INJECT, MODIFY})
    timeout = 30.0
    changeable_field = "response"
    model: str = ""
    response: Any = None
    usage: Mapping[str, Any] = field(default_factory=Frozen)


class PreToolUse(_ToolEvent, frozen=True, kw_only=True):
    """A tool is about to run."""

    abilities = frozenset({BLOCK, ASK, ALLOW, INJECT, MODIFY})
    changeable_field = "input"


class PermissionRequest(_ToolEvent, frozen=True, kw_only=True):
    """The host is about to ask the user for permission."""

    abilities = frozenset({BLOCK, ALLOW})


class PostToolUse(_ToolEvent, frozen=True, kw_only=True):
    """A tool call has ended, successfully or not."""

    abilities = frozenset({BLOCK, INJECT, MODIFY})
    timeout = 30.0
    changeable_field = "output"
    block_prevents = False
    output: Any = None
    success: bool = True
    error: str = ""
    duration_ms: float | None = None


class OnError(Event, frozen=True, kw_only=True):
    """A tool call or a managed action failed."""

    abilities = frozenset({INJECT})
    error: str
    tool: str = ""
    kind: str = "other"
    input: Mapping[str, Any] = field(default_factory=Frozen)
    call: str = ""

    @property
    def match_texts(self) -> tuple[str, ...]:
        return (self.tool, self.kind) if self.tool else ()


class PreCompact(Event, frozen=True, kw_only=True):
    """The context is about to be compacted."""

    to_agent = False
    abilities = frozenset({INJECT})
    timeout = 10.0
    trigger: str = ""
    instructions: str = ""

    @property
    def match_texts(self) -> tuple[str, ...]:
        return (self.trigger,)


class PostCompact(Event, frozen=True, kw_only=True):
    """The context was compacted."""

    abilities = frozenset({INJECT})
    timeout = 10.0
    trigger: str = ""
    summary: str = ""

    @property
    def match_texts(self) -> tuple[str, ...]:
        return (self.trigger,)


class SubagentStart(Event, frozen=True, kw_only=True):
    """A subagent starts."""

    to_agent = False
    abilities = frozenset({INJECT})

    @property
    def match_texts(self) -> tuple[str, ...]:
        return (self.subagent.type,) if self.subagent else ()


class SubagentStop(Event, frozen=True, kw_only=True):
    """A subagent ends."""

    abilities = frozenset({BLOCK})
    timeout = 10.0
    again: bool = False
    last_text: str = ""

    @property
    def match_texts(self) -> tuple[str, ...]:
        return (self.subagent.type,) if self.subagent else ()


class Notification(Event, frozen=True, kw_only=True):
    """The host notifies the user."""

    to_agent = False
    kind: str = ""
    text: str = ""

    @property
    def match_texts(self) -> tuple[str, ...]:
        return (self.kind,)


class TurnEnd(Event, frozen=True, kw_only=True):
    """The agent is about to end its turn."""

    abilities = frozenset({BLOCK, INJECT})
    timeout = 10.0
    counts_strikes = True
    again: bool = False
    """True if a hook has already continued this turn."""
    last_text: str = ""


class Stop(Event, frozen=True, kw_only=True):
    """The turn has ended."""

    abilities = frozenset({BLOCK})
    timeout = 30.0
    again: bool = False
    last_text: str = ""


class OnBudgetExceeded(Event, frozen=True, kw_only=True):
    """A time or token threshold was crossed."""

    abilities = frozenset({BLOCK, INJECT})
    threshold: str = ""
    """The budget that crossed a threshold: time or tokens."""
    percent: float = 100.0

    @property
    def match_texts(self) -> tuple[str, ...]:
        return (self.threshold,)


class SessionEnd(Event, frozen=True, kw_only=True):
    """The session ends or is rotated."""

    timeout = 10.0
    reason: str = ""

    @property
    def match_texts(self) -> tuple[str, ...]:
        return (self.reason,)


EVENTS: Mapping[str, type[Event]] = Frozen(
    {
        name: value
        for name, value in list(globals().items())
        if isinstance(value, type) and issubclass(value, Event) and value is not Event and name[0] != "_"
    }
)
"""Every event class by its name, in the order in which a session has them."""
