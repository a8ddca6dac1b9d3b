"""The contract of a host: a table of its moments and tools, and a function that encodes outcomes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from hookline.core.conversation import ConversationReader
from hookline.core.events import Ability, Event, PostToolUse
from hookline.core.frozen import EMPTY, Frozen, freeze, thaw
from hookline.core.install_table import InstallMethod
from hookline.core.outcome import Outcome
from hookline.core.response import Response
from hookline.core.usage import UsageReader
from hookline.core.values import replace

WHOLE_OUTPUT = "."
"""The `output` key of a tool whose whole output may be a string."""
ANY_OUTPUT = "*"
"""The `output` key of a tool whose whole output may be any value."""
CONTEXT_CAP = 9_500
"""Maximum characters of context; the strictest host drops or truncates 10,000."""
MAX_CONTINUATIONS = 7
"""Maximum continuations of a turn, below the limit of 8 that most hosts have."""
GUEST_KEY = "hookline_guest"
"""The key that marks a payload from a host that runs the hooks in another host's settings files."""


class Reply(Struct, frozen=True, kw_only=True):
    """The output and exit code for the host."""

    stdout: str = ""
    stderr: str = ""
    code: int = 0
    unwritten_code: int = 0  # the exit code if stdout cannot be written


class Moment(Struct, frozen=True, kw_only=True):
    """One row of a host's table: our event, the abilities of a reply, and the path of each field."""

    event: type[Event]
    abilities: frozenset[Ability]
    fields: Mapping[str, str]
    values: Mapping[str, Any] = EMPTY
    """Values of fields that are implied by the moment, such as success=False."""
    timeout: float | None = None
    """Seconds that the host waits at this moment, if fewer than at others."""
    is_other: Callable[[Mapping[str, Any]], bool] = lambda payload: False
    """Returns whether a payload belongs to another moment in spite of its name."""
    other_row: Moment | None = None
    """The row for such a payload; None if it is not an event."""
    fits: Callable[[Any, Any], bool] = lambda old, new: True
    """Returns whether the host can change the old value to the new one."""

    def with_values(self, **values: Any) -> Moment:
        """Return a copy of this row with fixed values for some fields."""
        return replace(self, values=freeze(values))

    def with_timeout(self, seconds: float) -> Moment:
        """Return a copy of this row at which the host waits only *seconds*."""
        return replace(self, timeout=seconds)

    def unless(self, is_other: Callable[[Mapping[str, Any]], bool], other_row: Moment | None) -> Moment:
        """Return a copy of this row that redirects payloads with a true *is_other* to *other_row*."""
        return replace(self, is_other=is_other, other_row=other_row)

    def only_if(self, fits: Callable[[Any, Any], bool]) -> Moment:
        """Return a copy of this row that allows only changes for which *fits* is true."""
        return replace(self, fits=fits)


def moment(event: type[Event], *can: Ability, **paths: str) -> Moment:
    """Return a row: our *event*, the abilities of a reply, and the host's dotted path of each field."""
    return Moment(event=event, abilities=frozenset(can), fields=Frozen(paths))


class Tool(Struct, frozen=True, kw_only=True):
    """One row of a host's tools: our kind, and the keys of command, path, pattern, content and output."""

    kind: str
    input_keys: Mapping[str, str]


def tool(kind: str, **places: str) -> Tool:
    return Tool(kind=kind, input_keys=Frozen(places))


class ReplyContext(Struct, frozen=True, kw_only=True):
    """The argument of a host's `encode`; the outcome has only parts that the host can express here."""

    name: str
    """The host's name of the moment."""
    event: Event
    """The event as the host sent it."""
    outcome: Outcome

    @property
    def changed(self) -> Any:
        """The changed input or output; None if nothing was changed."""
        return find_change(self.event, self.outcome.event)


def find_change(before: Event, after: Event) -> Any:
    """Return the input or output that hooks changed, in the host's shape; None if nothing was changed."""
    key = before.changeable_field
    new, old = (getattr(after, key), getattr(before, key)) if key else (None, None)
    if new is old or new == old:
        return None
    return _fit_output(before, new, old) if isinstance(before, PostToolUse) else new


def _fit_output(event: PostToolUse, new: Any, old: Any) -> Any:
    """Return *new* in the shape that the host accepts; None if there is none.

    Text goes to the key at which the tool's output has its text, and an object of another shape becomes text.
    A part of the tool's own shape gets the other values of *old*, but not the texts that it replaces.
    """
    place, objects = event.input_keys.get("output"), isinstance(new, Mapping) and isinstance(old, Mapping)
    if place == ANY_OUTPUT or (objects and (place == WHOLE_OUTPUT or new.keys() >= old.keys())):
        return new
    if objects and new.keys() <= old.keys():
        return _replace_texts(event, {**thaw(old), **thaw(new)}, {}, kept=new) if place else None
    if type(new) is type(old) and not objects:
        return new
    text = new if isinstance(new, str) else json.dumps(thaw(new), ensure_ascii=False)
    if place == WHOLE_OUTPUT or (isinstance(old, str) and not isinstance(new, str)):
        return text
    if not place or not isinstance(value_at(old, place), str):
        return None
    return _replace_texts(event, thaw(old), {place: text})


def _replace_texts(
    event: PostToolUse, output: dict[str, Any], texts: Mapping[str, str], kept: Mapping[str, Any] = EMPTY
) -> dict[str, Any]:
    for name in ("output", "errors"):
        place = event.input_keys.get(name, "")
        if isinstance(value_at(output, place), str) and value_at(kept, place) is None:
            set_value(output, place, texts.get(place, ""))
    return output


class Dialect(Struct, frozen=True, kw_only=True):
    """The payloads and replies of a host, for hooks that were written for that host."""

    name: str
    keys: frozenset[str]
    """Top-level keys by which a reply in this dialect is recognised."""
    read: Callable[[Event, Mapping[str, Any]], Response]
    payload: Callable[[Event], Mapping[str, Any]]
    """Returns the event as that host's payload."""
    env: Mapping[str, str] = EMPTY
    """Environment variables that scripts for that host expect: name → value (`project` is the folder)."""
    host: Callable[[], Host] | None = None
    """Returns the host, for its names of tools and moments."""


class Host(Struct, frozen=True, kw_only=True):
    """An agent program with a hook system."""

    name: str
    about: str
    moments: Mapping[str, Moment]
    tools: Mapping[str, Tool]
    encode: Callable[[ReplyContext], Reply]
    event_key: str
    """The key of a payload that names the moment."""
    common_paths: Mapping[str, str]
    """Dotted paths of fields that are the same at every moment."""
    tested_version: str = ""
    """The version with which this table was tested."""
    documented: str = ""
    """The documents that this table is based on, if the host was not run."""
    find_tool: Callable[[str], Tool | None] = lambda name: None
    """Returns the row of a tool that no table can list, such as one of an MCP server."""
    normalize: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda payload: payload
    """Normalises a payload to the paths of the table, for hosts that send objects as text or move fields."""
    find_error: Callable[[Mapping[str, Any]], str] = lambda payload: ""
    """Returns the error in a tool's result, for hosts that report failures only there; empty if none."""
    find_recorded_error: Callable[[str, str], str] | None = None
    """Returns the error of a call, from the last lines of the transcript and the call's id; empty if none.
    For hosts that report failures only in the transcript."""
    check_payload: Callable[[Mapping[str, Any]], None] = lambda payload: None
    """Raises `Unreadable` if a payload violates the schema that the host publishes."""
    blocking_code: int = 2
    warning_code: int = 0
    """The exit code at which the host shows stderr to its user; 0 if it shows warnings in another way."""
    encode_empty_reply: Callable[[str], str] = lambda name: ""
    """Returns the empty reply at a moment, for hosts that do not accept an empty stdout."""
    timeout: float = 55.0
    """Seconds for the whole answer, fewer than the host waits."""
    context_cap: int = CONTEXT_CAP
    """Maximum characters of context in one reply."""
    continuations: int = MAX_CONTINUATIONS
    """Maximum continuations of a turn by all hooks together; below the host's own limit."""
    silent_mark: str = ""
    """Text near the start of the transcripts of runs in which the host shows no warnings."""
    shows_notices: bool = False
    """True if its replies can carry terminal notifications; else we write to the terminal ourselves."""
    headless_env: Mapping[str, str] = EMPTY
    """Environment variables, with their values, that identify a run without a person."""
    prompt_may_come_first: bool = False
    """True if the first prompt may be sent before the session's start."""
    dialect: Dialect | None = None
    env_markers: tuple[str, ...] = ()
    """Environment variables that only processes of this host have."""
    project_env: str = ""
    """The environment variable with the project's folder, whichever folder the agent works in."""
    settings: tuple[str, ...] = ()
    """The user's files that contain this host's hooks."""
    repository_switches: tuple[str, ...] = ()
    """Files of the repository that can set this host's environment, under the key `env`."""
    repository_env: tuple[str, ...] = ()
    """Files of environment variables in the repository, meant for other programs, that this host loads."""
    program: str = ""
    """The command that starts the host."""
    folders: tuple[str, ...] = ()
    """Folders that exist if the host is in use: the user's with `~`, the repository's from its root."""
    install: InstallMethod | None = None
    runs_hooks_of: tuple[str, ...] = ()
    """Settings files of other hosts whose hooks it runs too: the user's with `~`, else the repository's."""
    headless: tuple[str, ...] = ()
    """Command line without a person; without `{prompt}` the prompt is on stdin, `{model}` is optional."""
    permission_arguments: Mapping[str, tuple[str, ...]] = EMPTY
    """Arguments that let it work without asking, by permission level; the first level is the default."""
    recognises: Callable[[Mapping[str, Any], Mapping[str, str]], bool] | None = None
    """Returns whether a payload and an environment are this host's, if `env_markers` are not sufficient."""
    run_by: Mapping[str, tuple[str, ...]] = EMPTY
    """Other hosts that run the hooks of this one, each with variables or fields that indicate it."""
    sequential_hooks: bool = False
    """True if it runs the hooks of a moment sequentially."""
    transient_env: tuple[str, ...] = ()
    """Environment variables that it sets at some moments only, so they do not identify the caller."""
    usage: UsageReader | None = None
    """Reader of token usage in its transcripts; None if they do not contain it."""
    run_ending_events: tuple[type[Event], ...] = ()
    """Events at which a reply can end the run."""
    conversation: ConversationReader | None = None
    """Reader of messages and tool calls in its transcripts; None if they are not read."""


def find_row(host: Host, name: str, payload: Mapping[str, Any]) -> Moment | None:
    """Return the row for a *payload* of the moment *name*, after redirection by `Moment.unless`."""
    row = host.moments.get(name)
    while row is not None and row.is_other(payload):
        row = row.other_row
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
