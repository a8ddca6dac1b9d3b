"""The contract of a host: a table of its moments and tools, and a function that encodes outcomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from hookline.core.conversation import Talk
from hookline.core.events import Can, Event, PostToolUse
from hookline.core.frozen import NOTHING, Frozen, frozen, thawed
from hookline.core.install_table import Wiring
from hookline.core.outcome import Outcome
from hookline.core.response import Response
from hookline.core.usage import Recording
from hookline.core.values import replace

WHOLE = "."
"""The place of an output that may be text as a whole."""
CONTEXT_CAP = 9_500
"""Characters: the strictest host drops or cuts context of 10,000."""
CONTINUATIONS = 7
"""Below the cap of 8 that most hosts have themselves."""
GUEST = "hookline_guest"
"""The mark that we put on a payload which came through the files of another host."""


class Reply(Struct, frozen=True, kw_only=True):
    """What the host reads back."""

    stdout: str = ""
    stderr: str = ""
    code: int = 0
    unwritten_code: int = 0  # the exit code if stdout cannot be written


class Moment(Struct, frozen=True, kw_only=True):
    """One row of a host's table: our event, what an answer may do there, where each field lies."""

    event: type[Event]
    can: frozenset[Can]
    fields: Mapping[str, str]
    given: Mapping[str, Any] = NOTHING
    """Fields that the moment itself says, such as success=False."""
    within: float | None = None
    """Seconds that the host gives at this moment, where it is less than elsewhere."""
    looks_like: Callable[[Mapping[str, Any]], bool] = lambda payload: False
    """Whether a payload is really something else, which only looks like this moment."""
    really: Moment | None = None
    """What it is then; None is nothing of ours."""
    fits: Callable[[Any, Any], bool] = lambda old, new: True
    """Whether the host can make the old value the new one, where it cannot make every change."""

    def saying(self, **given: Any) -> Moment:
        """The same row, at which these fields are always so."""
        return replace(self, given=frozen(given))

    def due(self, seconds: float) -> Moment:
        """The same row, with less time to answer than the host gives elsewhere."""
        return replace(self, within=seconds)

    def unless(self, looks_like: Callable[[Mapping[str, Any]], bool], really: Moment | None) -> Moment:
        """The same row, for hosts whose payloads are not always what they look like."""
        return replace(self, looks_like=looks_like, really=really)

    def only_if(self, fits: Callable[[Any, Any], bool]) -> Moment:
        """The same row, for hosts that cannot make every change."""
        return replace(self, fits=fits)


def moment(event: type[Event], *can: Can, **where: str) -> Moment:
    """A row: our *event*, what can be done, and for each of our fields the host's (dots lead inwards)."""
    return Moment(event=event, can=frozenset(can), fields=Frozen(where))


class Tool(Struct, frozen=True, kw_only=True):
    """One row of a host's tools: our kind, and where command, path, pattern, content and output lie."""

    kind: str
    places: Mapping[str, str]


def tool(kind: str, **places: str) -> Tool:
    return Tool(kind=kind, places=Frozen(places))


class Said(Struct, frozen=True, kw_only=True):
    """What a host's `encode` is handed: only what the host can express at this moment."""

    name: str
    """The moment in the host's words."""
    event: Event
    """As the host sent it."""
    outcome: Outcome

    @property
    def changed(self) -> Any:
        """The changed input or output, None where nothing was changed."""
        return changed(self.event, self.outcome.event)


def changed(before: Event, after: Event) -> Any:
    """The input or output that hooks changed, in the shape the host sent; None where nothing was changed."""
    key = before.changes
    new, old = (getattr(after, key), getattr(before, key)) if key else (None, None)
    if new is old or new == old:
        return None
    return _fitted(before, new, old) if isinstance(before, PostToolUse) else new


def _fitted(event: PostToolUse, new: Any, old: Any) -> Any:
    """Changed output as text, put where this tool's own output object has its text."""
    place = event.places.get("output")
    if isinstance(new, Mapping) and isinstance(old, Mapping):
        return {**old, **new}
    if isinstance(new, str) and place == WHOLE:
        return new
    if not isinstance(new, str) or not isinstance(old, Mapping):
        return new if type(new) is type(old) else None
    if not place or not isinstance(value_at(old, place), str):
        return None
    whole = thawed(old)
    set_value(whole, place, new)
    if isinstance(value_at(old, event.places.get("errors", "")), str):
        set_value(whole, event.places["errors"], "")
    return whole


class Dialect(Struct, frozen=True, kw_only=True):
    """A host's reply language, which hooks written for that host already speak."""

    name: str
    keys: frozenset[str]
    """Top-level keys by which an answer in it is recognised."""
    read: Callable[[Event, Mapping[str, Any]], Response]
    payload: Callable[[Event], Mapping[str, Any]]
    """The event in that host's own words."""
    env: Mapping[str, str] = NOTHING
    """Environment that scripts written for that host expect: name → what it holds (`project`)."""
    host: Callable[[], Host] | None = None
    """Whose it is, for its words for tools and moments."""


class Host(Struct, frozen=True, kw_only=True):
    """An agent program with a hook system."""

    name: str
    about: str
    moments: Mapping[str, Moment]
    tools: Mapping[str, Tool]
    encode: Callable[[Said], Reply]
    names_event: str
    """Where a payload says which moment it is."""
    common: Mapping[str, str]
    """Fields that lie in the same place at every moment."""
    proved: str = ""
    """How we know all this: by running which version."""
    documented: str = ""
    """Where nobody ran it: by which documents."""
    tool_kind: Callable[[str], Tool | None] = lambda name: None
    """For tools that no table can list, such as those of MCP servers."""
    unpacked: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda payload: payload
    """For hosts that send objects as text, or a field in several places: the payload that the table means."""
    failure: Callable[[Mapping[str, Any]], str] = lambda payload: ""
    """For hosts that tell of a failed tool only in its result: what went wrong, empty where nothing did."""
    recorded: Callable[[str, str], str] | None = None
    """For hosts that tell of a failed tool only in the session's recording: from the last lines there and
    the call's name to what went wrong, empty where nothing did."""
    check: Callable[[Mapping[str, Any]], None] = lambda payload: None
    """For hosts that publish a schema: raises `Unreadable` where a payload breaks it."""
    blocking_code: int = 2
    warning_code: int = 0
    """The exit code at which it shows its user what stands on stderr; 0 where it has another way."""
    silence: Callable[[str], str] = lambda name: ""
    """What is printed at a moment where nothing is to be said, for hosts that take nothing for something."""
    within: float = 55.0
    """Seconds for the whole answer, less than the host waits."""
    context_cap: int = CONTEXT_CAP
    """Characters of context that one answer may carry."""
    continuations: int = CONTINUATIONS
    """How often everything together may make a turn go on; below the host's own cap."""
    shows_notices: bool = False
    """Whether its replies carry what a terminal is to show; else we write to the terminal ourselves."""
    headless_env: Mapping[str, str] = NOTHING
    """Variables, with their values, by which a run is known that nobody sits at."""
    prompt_may_come_first: bool = False
    """Whether the first prompt may be told before the session's start, which then still comes."""
    dialect: Dialect | None = None
    telltales: tuple[str, ...] = ()
    """Variables that only processes of this host have in their environment."""
    project_env: str = ""
    """The variable by which the host names the project's folder, which stays when the agent moves."""
    settings: tuple[str, ...] = ()
    """The user's own files in which this host's hooks are wired."""
    repository_switches: tuple[str, ...] = ()
    """The repository's own files that can set this host's environment, under the key `env`."""
    repository_env: tuple[str, ...] = ()
    """The repository's own files of variables that this host loads, and that are there for other programs."""
    program: str = ""
    """What a person types to start it."""
    folders: tuple[str, ...] = ()
    """What is there where it is in use: the user's with `~`, the repository's from its root."""
    wiring: Wiring | None = None
    runs_hooks_of: tuple[str, ...] = ()
    """Files of other hosts whose hooks it runs by itself: the user's with `~`, else the repository's."""
    headless: tuple[str, ...] = ()
    """How it is run without a person; without `{prompt}` that is on stdin, `{model}` is there if named."""
    free: Mapping[str, tuple[str, ...]] = NOTHING
    """Words that let it work without asking, by how much it may do; the first is usual."""
    sent: Callable[[Mapping[str, Any], Mapping[str, str]], bool] | None = None
    """Whether a payload and an environment are this host's, where `telltales` are not enough to tell."""
    run_by: Mapping[str, tuple[str, ...]] = NOTHING
    """Other hosts that run what is wired for this one, each with the variables or fields that hint at it."""
    one_by_one: bool = False
    """Whether it runs the hooks of a moment one after another, the next when the last has answered."""
    passing: tuple[str, ...] = ()
    """Variables that it sets at some moments only, and that say nothing about who asks."""
    usage: Recording | None = None
    """How its recordings report tokens; None if they do not."""
    ends: tuple[type[Event], ...] = ()
    """Moments at which an answer can end the run for good."""
    talk: Talk | None = None
    """How its recordings report messages and tool calls; None if they are not read."""


def row_of(host: Host, name: str, payload: Mapping[str, Any]) -> Moment | None:
    """The row that holds for a *payload*, which may not be what it looks like."""
    row = host.moments.get(name)
    while row is not None and row.looks_like(payload):
        row = row.really
    return row


def value_at(payload: Any, path: str) -> Any:
    """Return the value at the dotted *path*, or None."""
    for key in path.split("."):
        if not isinstance(payload, Mapping):
            return None
        payload = payload.get(key)
    return payload


def set_value(payload: dict[str, Any], path: str, value: Any) -> None:
    *outer, last = path.split(".")
    for key in outer:
        payload = payload.setdefault(key, {})
    payload[last] = value
