"""What a host is: a table of moments, and how a payload becomes events and an outcome becomes a reply.

Everything that holds for all hosts is here, so that a host's own file is a table and an `encode`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from hookline.events import Can, Event, PostToolUse, Subagent
from hookline.frozen import NOTHING, Frozen, frozen, thawed
from hookline.record import field, fields, record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.kind import Dialect
    from hookline.outcome import Outcome
    from hookline.wiring import Wiring

WHOLE = "."
"""The place of an output that may be text as a whole."""
CONTEXT_CAP = 9_500
"""Characters: the strictest host drops or cuts context of 10,000."""
CONTINUATIONS = 7
"""Below the cap of 8 that most hosts have themselves."""
GUEST = "hookline_guest"
"""The mark that we put on a payload which came through the files of another host."""


@record
class Reply:
    """What the host reads back."""

    stdout: str = ""
    stderr: str = ""
    code: int = 0
    unwritten_code: int = 0  # the exit code if stdout cannot be written


@record
class Moment:
    """One row of a host's table: our event, what an answer may do there, where each field lies."""

    event: type[Event]
    can: frozenset[Can]
    fields: Mapping[str, str]
    given: Mapping[str, Any] = field(default=NOTHING)
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


@record
class Tool:
    """One row of a host's tools: our kind, and where command, path, pattern, content and output lie."""

    kind: str
    places: Mapping[str, str]


def tool(kind: str, **places: str) -> Tool:
    return Tool(kind=kind, places=Frozen(places))


@record
class Said:
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
    if not place or not isinstance(_find(old, place), str):
        return None
    whole = thawed(old)
    _put(whole, place, new)
    if isinstance(_find(old, event.places.get("errors", "")), str):
        _put(whole, event.places["errors"], "")
    return whole


@record
class Host:
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
    headless_env: Mapping[str, str] = field(default=NOTHING)
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
    free: Mapping[str, tuple[str, ...]] = field(default=NOTHING)
    """Words that let it work without asking, by how much it may do; the first is usual."""
    sent: Callable[[Mapping[str, Any], Mapping[str, str]], bool] | None = None
    """Whether a payload and an environment are this host's, where `telltales` are not enough to tell."""
    run_by: Mapping[str, tuple[str, ...]] = field(default=NOTHING)
    """Other hosts that run what is wired for this one, each with the variables or fields that hint at it."""
    one_by_one: bool = False
    """Whether it runs the hooks of a moment one after another, the next when the last has answered."""
    passing: tuple[str, ...] = ()
    """Variables that it sets at some moments only, and that say nothing about who asks."""
    usage: str = ""
    """Where it is told how its recordings tell of tokens: `_module:RECORDING`, beside its file."""
    ends: tuple[type[Event], ...] = ()
    """Moments at which an answer can end the run for good."""
    talk: str = ""
    """Where it is told how they tell of what was said and done: `_module:TALK`, beside its file."""


class Unreadable(ValueError):
    """A payload that cannot be an event; the message names the field and never repeats what was sent."""


def decode(host: Host, payload: Any, name: str = "") -> tuple[str, Event] | None:
    """The moment's native name and our event; None for moments that are none of ours."""
    if not isinstance(payload, Mapping):
        raise Unreadable(f"a {host.name} payload is a JSON object, not {_type(payload)}")
    host.check(payload)
    payload = host.unpacked(payload)
    name = name or _needed_name(host, payload)
    row = row_of(host, name, payload)
    if row is None:
        return None
    values = dict(row.given)
    where = {**host.common, **row.fields}
    for ours, theirs in where.items():
        found = _find(payload, theirs) if "." in theirs else payload.get(theirs)
        if found is not None:
            values[ours] = found
    if row.event is PostToolUse and "success" not in values and (error := host.failure(payload)):
        values |= {"success": False, "error": values.get("error") or error}
    return name, _build(host, row, values, payload, where)


def row_of(host: Host, name: str, payload: Mapping[str, Any]) -> Moment | None:
    """The row that holds for a *payload*, which may not be what it looks like."""
    row = host.moments.get(name)
    while row is not None and row.looks_like(payload):
        row = row.really
    return row


def _needed_name(host: Host, payload: Mapping[str, Any]) -> str:
    name, told = payload.get(host.names_event), f"{host.names_event!r} is missing or no text"
    if isinstance(name, str) and name:
        return name
    raise Unreadable(f"the payload does not say which event it is: {told}")


def _find(payload: Any, path: str) -> Any:
    for key in path.split("."):
        if not isinstance(payload, Mapping):
            return None
        payload = payload.get(key)
    return payload


def _build(
    host: Host, row: Moment, values: dict[str, Any], payload: Mapping[str, Any], where: Mapping[str, str]
) -> Event:
    helper = _words(values.pop("subagent_id", "")), _words(values.pop("subagent_type", ""))
    checked, odd = _checked(host, row, values, where)
    checked.setdefault("host", host.name)
    if any(helper):
        checked["subagent"] = Subagent(id=helper[0], type=helper[1])
    if row.event.changes in where:
        checked["lies_at"] = Frozen({row.event.changes: where[row.event.changes]})
    return row.event(**checked, native=frozen(payload), odd=tuple(odd))


def _checked(
    host: Host, row: Moment, values: Mapping[str, Any], where: Mapping[str, str]
) -> tuple[dict[str, Any], list[str]]:
    """The *values* of an event, and what of them is left out; raises `Unreadable`."""
    known, needed = _known(row.event)  # type: ignore[arg-type]  # mypy asks the class for its instances' hash
    checked: dict[str, Any] = {}
    odd = list[str]()
    for key, value in values.items():
        kind = known.get(key, "")
        if kind == "str" and type(value) is str:  # as most are
            checked[key] = value
        elif wrong := _wrong(kind, value):
            told = f"field {where.get(key, key)!r} of the {row.event.__name__} payload of {host.name} {wrong}"
            if key in needed or key == "input":
                raise Unreadable(told)
            odd.append(f"{told}; it was left out")
        elif kind:
            checked[key] = frozen(_seconds(value) if key == "at" else value)
    for key in () if needed <= checked.keys() else sorted(needed - checked.keys()):
        payload = f"the {row.event.__name__} payload of {host.name}"
        raise Unreadable(f"{payload} needs {where.get(key, key)!r}, which is missing")
    return checked | _tool_facts(host, checked) if "places" in known else checked, odd


@cache
def _known(event: type[Event]) -> tuple[Mapping[str, str], frozenset[str]]:
    """How the fields of a class of events are annotated, and which of them must be given."""
    return {f.name: f.type for f in fields(event)}, frozenset(f.name for f in fields(event) if f.needed)


def _tool_facts(host: Host, values: Mapping[str, Any]) -> dict[str, Any]:
    row = host.tools.get(values["tool"]) or host.tool_kind(values["tool"])
    if row is None:
        return {}
    return {"kind": values.get("kind", row.kind), "places": row.places}


def _words(value: Any) -> str:
    return value if isinstance(value, str) else ""


_CHECKS: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "bool": (bool,),
    "float": (int, float),
    "float | None": (int, float),
    "Mapping[str, Any]": (dict, Mapping),
    "tuple[Any, ...]": (list, tuple),
}


def _wrong(kind: str, value: Any) -> str:
    """What is wrong with the type of a value; never the value."""
    wanted = _CHECKS.get(kind)
    if wanted is None or (isinstance(value, wanted) and (bool in wanted or not isinstance(value, bool))):
        return ""
    timely = kind == "float" and isinstance(_seconds(value), float)
    return "" if timely else f"is {_type(value)}, not {_plain(kind)}"


def _seconds(when: Any) -> Any:
    """A moment that a host writes as text, in Unix seconds; what is no moment stays for the complaint."""
    from datetime import UTC, datetime  # noqa: PLC0415 -- few hosts say when

    if not isinstance(when, str):
        return when
    try:
        moment = datetime.fromisoformat(when)
    except ValueError:
        return when
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _plain(kind: str) -> str:
    names = {"str": "text", "bool": "true or false", "Mapping[str, Any]": "an object"}
    return names.get(kind, "a list" if kind == "tuple[Any, ...]" else "a number")


def _type(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number" if isinstance(value, int | float) else "something else")


def compose(host: Host, event: Event, name: str = "") -> dict[str, Any]:
    """The payload that *host* would send for *event*: the table read backwards."""
    telling = [(n, row) for n, row in host.moments.items() if _tells(row, event)]
    name = name or max(telling, key=lambda one: len(one[1].given), default=("", None))[0]
    row = host.moments.get(name) or Moment(event=type(event), can=frozenset(), fields=Frozen())
    payload: dict[str, Any] = {host.names_event: name or event.name}
    values = {
        f.name: getattr(event, f.name)
        for f in fields(event)
        if f.name not in ("native", "places", "subagent")
    }
    unsaid = {f.name: (None,) for f in fields(event) if f.default != ""}
    values["at"] = _stamp(event.at)
    if event.subagent:
        values |= {"subagent_id": event.subagent.id, "subagent_type": event.subagent.type}
    for ours, theirs in {**host.common, **row.fields}.items():
        if values.get(ours) not in unsaid.get(ours, (None, "")) and ours not in row.given:
            _put(payload, theirs, values[ours])
    return payload


def _stamp(at: float) -> str | None:
    from datetime import UTC, datetime  # noqa: PLC0415 -- few hosts say when

    return datetime.fromtimestamp(at, UTC).isoformat() if at else None


def _tells(row: Moment, event: Event) -> bool:
    return row.event is type(event) and all(getattr(event, key) == value for key, value in row.given.items())


def _put(payload: dict[str, Any], path: str, value: Any) -> None:
    *outer, last = path.split(".")
    for key in outer:
        payload = payload.setdefault(key, {})
    payload[last] = value
