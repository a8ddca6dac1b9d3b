"""The moments of an agent's life, one frozen class each, in our words for every host.

A class says what happened, what a hook may do about it (`may`) and how long one configured
hook may take (`limit`, in seconds). A new event is one class here and a row in each host that has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from hookline.core.frozen import Frozen
from hookline.core.patch import Part, parts


class Unreadable(ValueError):
    """A payload that cannot be an event; the message names the field and never repeats what was sent."""


class Can(str):
    """What an answer may do at a moment."""

    __slots__ = ()


ALL = BLOCK, ASK, ALLOW, INJECT, MODIFY = (*map(Can, ("block", "ask", "allow", "inject", "modify")),)
"""Everything that one may do."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Subagent:
    """The helper agent that an event belongs to."""

    id: str = ""
    type: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """What every event knows."""

    may: ClassVar[frozenset[Can]] = frozenset()
    limit: ClassVar[float] = 5.0
    changes: ClassVar[str] = ""
    """The field that `modify` changes, if any."""
    prevents: ClassVar[bool] = True
    """Whether a block prevents something; where it does not, it is feedback and does not end the chain."""
    gate: ClassVar[bool] = False
    """Whether blocks here count as strikes."""
    to_agent: ClassVar[bool] = True
    """Whether context given here is read by the agent itself, now."""

    session: str = ""
    host: str = ""
    cwd: str = ""
    at: float = 0.0
    """When it happened, in Unix seconds."""
    agent: str = ""
    repository: str = ""
    branch: str = ""
    turn: str = ""
    """The host's own name of the turn, empty where it has none."""
    mode: str = ""
    """The permission mode that the host is in."""
    transcript: str = ""
    subagent: Subagent | None = None
    ends_at: float | None = None
    """When the time budget ends, where the host itself says so; in Unix seconds."""
    native: Mapping[str, Any] = field(default_factory=Frozen, compare=False, repr=False)
    """The host's own payload, for hooks that were written for that host."""
    lies_at: Mapping[str, str] = field(default_factory=Frozen, compare=False, repr=False)
    """Where in it our fields lie, so that a change is made there too."""
    odd: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """What of the payload could not be read and was left out, in sentences."""

    @property
    def name(self) -> str:
        return type(self).__name__

    @property
    def matters(self) -> tuple[str, ...]:
        """What a declared hook's `match` is held against; empty means that it always fits."""
        return ()


@dataclass(frozen=True, kw_only=True, slots=True)
class _ToolEvent(Event):
    tool: str
    """The tool's name in the host's words."""
    kind: str = "other"
    """What sort of tool it is, in ours: shell, read, write, edit, search, ..."""
    input: Mapping[str, Any] = field(default_factory=Frozen)
    call: str = ""
    """The host's own name of this call."""
    places: Mapping[str, str] = field(default_factory=Frozen, compare=False, repr=False)
    """Where command, path, pattern, content and output lie in what the host sent."""

    @property
    def matters(self) -> tuple[str, ...]:
        return (self.tool, self.kind)

    @property
    def command(self) -> str | None:
        """The command line of a shell tool."""
        return self._at("command")

    @property
    def path(self) -> str | None:
        """The file; of a patch the first, `patch` has them all."""
        return self._at("path") or next((part.path for part in self.patch), None)

    @property
    def pattern(self) -> str | None:
        return self._at("pattern")

    @property
    def content(self) -> str | None:
        patch = self.patch
        return "\n".join(part.content for part in patch) if patch else self._at("content")

    @property
    def patch(self) -> tuple[Part, ...]:
        """The files of a patch, where the tool takes one."""
        return parts(self._at("patch") or "") if "patch" in self.places else ()

    def _at(self, place: str) -> str | None:
        key = self.places.get(place)
        if key is None and place in self.places.values():
            return None  # what lies under that name is another thing of ours
        value = self.input.get(key or place)
        return value if isinstance(value, str) else None


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionStart(Event):
    """A session begins, resumes, or goes on after compaction."""

    may = frozenset({INJECT})
    limit = 10.0
    source: str = ""

    @property
    def matters(self) -> tuple[str, ...]:
        return (self.source,)


@dataclass(frozen=True, kw_only=True, slots=True)
class UserPromptSubmit(Event):
    """A person's prompt arrives."""

    may = frozenset({BLOCK, INJECT})
    prompt: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnStart(Event):
    """A turn begins."""

    may = frozenset({BLOCK, INJECT})
    prompt: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class PreModelCall(Event):
    """The model is about to be called."""

    may = frozenset({BLOCK, INJECT, MODIFY})
    limit = 10.0
    changes = "messages"
    gate = True
    model: str = ""
    messages: tuple[Any, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PostModelCall(Event):
    """The model has answered."""

    may = frozenset({INJECT, MODIFY})
    limit = 30.0
    changes = "response"
    model: str = ""
    response: Any = None
    usage: Mapping[str, Any] = field(default_factory=Frozen)


@dataclass(frozen=True, kw_only=True, slots=True)
class PreToolUse(_ToolEvent):
    """A tool is about to run."""

    may = frozenset({BLOCK, ASK, ALLOW, INJECT, MODIFY})
    changes = "input"


@dataclass(frozen=True, kw_only=True, slots=True)
class PermissionRequest(_ToolEvent):
    """The host is about to ask a person."""

    may = frozenset({BLOCK, ALLOW})


@dataclass(frozen=True, kw_only=True, slots=True)
class PostToolUse(_ToolEvent):
    """A tool ran, whether it worked or not."""

    may = frozenset({BLOCK, INJECT, MODIFY})
    limit = 30.0
    changes = "output"
    prevents = False
    output: Any = None
    success: bool = True
    error: str = ""
    duration_ms: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class OnError(Event):
    """A tool call or a managed action failed."""

    may = frozenset({INJECT})
    error: str
    tool: str = ""
    kind: str = "other"
    input: Mapping[str, Any] = field(default_factory=Frozen)
    call: str = ""

    @property
    def matters(self) -> tuple[str, ...]:
        return (self.tool, self.kind) if self.tool else ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PreCompact(Event):
    """Context is about to be compacted."""

    to_agent = False
    may = frozenset({INJECT})
    limit = 10.0
    trigger: str = ""
    instructions: str = ""

    @property
    def matters(self) -> tuple[str, ...]:
        return (self.trigger,)


@dataclass(frozen=True, kw_only=True, slots=True)
class PostCompact(Event):
    """Context was compacted."""

    may = frozenset({INJECT})
    limit = 10.0
    trigger: str = ""
    summary: str = ""

    @property
    def matters(self) -> tuple[str, ...]:
        return (self.trigger,)


@dataclass(frozen=True, kw_only=True, slots=True)
class SubagentStart(Event):
    """A helper agent begins."""

    to_agent = False
    may = frozenset({INJECT})

    @property
    def matters(self) -> tuple[str, ...]:
        return (self.subagent.type,) if self.subagent else ()


@dataclass(frozen=True, kw_only=True, slots=True)
class SubagentStop(Event):
    """A helper agent ends."""

    may = frozenset({BLOCK})
    limit = 10.0
    again: bool = False
    last_text: str = ""

    @property
    def matters(self) -> tuple[str, ...]:
        return (self.subagent.type,) if self.subagent else ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Notification(Event):
    """The host tells its user something."""

    to_agent = False
    kind: str = ""
    text: str = ""

    @property
    def matters(self) -> tuple[str, ...]:
        return (self.kind,)


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnEnd(Event):
    """The agent is about to end its turn."""

    may = frozenset({BLOCK, INJECT})
    limit = 10.0
    gate = True
    again: bool = False
    """Whether a hook has already made this turn go on."""
    last_text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop(Event):
    """The turn has ended."""

    may = frozenset({BLOCK})
    limit = 30.0
    again: bool = False
    last_text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class OnBudgetExceeded(Event):
    """A time or token threshold was crossed."""

    may = frozenset({BLOCK, INJECT})
    threshold: str = ""
    """What is running out: time or tokens."""
    percent: float = 100.0

    @property
    def matters(self) -> tuple[str, ...]:
        return (self.threshold,)


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionEnd(Event):
    """The session ends or rotates."""

    limit = 10.0
    reason: str = ""

    @property
    def matters(self) -> tuple[str, ...]:
        return (self.reason,)


EVENTS: Mapping[str, type[Event]] = Frozen(
    {
        name: value
        for name, value in list(globals().items())
        if isinstance(value, type) and issubclass(value, Event) and value is not Event and name[0] != "_"
    }
)
"""Every event by its name, in the order of a session's life."""
