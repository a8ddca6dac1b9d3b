"""A tool call of one host as another would tell of it, and an answer about it back again.

Hooks that were written for one host look for its tools by name, and for a file or a command where that host
puts them. The tables of both say where each lies; what no table names stays as it is.
"""

from collections.abc import Mapping
from typing import Any

from hookline.core.events import Event, OnError, PermissionRequest, PostToolUse, PreToolUse
from hookline.core.frozen import Frozen, frozen, thawed
from hookline.core.host import WHOLE, Host, Tool
from hookline.core.patch import Part
from hookline.core.response import Response, block
from hookline.core.values import replace

CALLS = (PreToolUse, PermissionRequest, PostToolUse, OnError)
MOVED = ("command", "path", "pattern", "content")
"""What lies in an input under another name at another host."""
FILES = ("read", "write", "edit")


def reworded(host: Host, event: Event) -> tuple[Event, ...]:
    """The *event* as *host* would tell of it: of a patch one call a file, else one."""
    if not isinstance(event, CALLS) or event.host == host.name:
        return (event,)
    parts = () if isinstance(event, OnError) else event.patch
    if parts and (calls := [_part(host, event, part) for part in parts]):
        return tuple(calls)
    name = _name(host, event.tool, event.kind)
    return (event if name is None else _call(host, event, name),)


def _name(host: Host, tool: str, kind: str) -> str | None:
    """The *host*'s own name for that kind of tool: the first in its table, unless it has the very same."""
    if tool in host.tools and host.tools[tool].kind == kind:
        return tool
    return next((name for name, row in host.tools.items() if row.kind == kind), None)


def _call(host: Host, event: Any, name: str) -> Event:
    row = host.tools[name]
    keys = _keys(event, row)
    told = {key: value for key, value in event.input.items() if key not in keys}
    told |= {new: event.input[old] for old, new in keys.items()}
    if row.kind in FILES and (path := row.places.get("path")) in told:
        told[path] = _absolute(told[path], event.cwd)
    changed: Any = replace(event, tool=name, input=frozen(told))
    if isinstance(event, PostToolUse):
        changed = replace(changed, output=_output(event, row))
    return _placed(changed, row)


def _part(host: Host, event: Any, part: Part) -> Event:
    """One file of a patch, as the call that would write or change it alone."""
    name = _name(host, "", part.kind)
    if name is None:
        return event  # type: ignore[no-any-return]  # whatever it is, it is the event
    row = host.tools[name]
    told = {row.places.get("path", "path"): _absolute(part.path, event.cwd)}
    told[row.places.get("content", "content")] = part.content
    return _placed(replace(event, tool=name, kind=row.kind, input=frozen(told)), row)


def _placed(event: Any, row: Tool) -> Event:
    return event if isinstance(event, OnError) else replace(event, places=row.places)


def _keys(event: Any, row: Tool) -> dict[str, str]:
    """For each key of the input that has another name there: that name."""
    places: Mapping[str, str] = Frozen() if isinstance(event, OnError) else event.places
    ours = {place: places.get(place, place) for place in MOVED if place in row.places}
    return {old: row.places[place] for place, old in ours.items() if old in event.input}


def _absolute(path: Any, cwd: str) -> Any:
    """As hosts whose tools want whole paths send it."""
    if not isinstance(path, str) or not cwd or path.startswith(("/", "~", "\\")) or ":" in path[:3]:
        return path
    return f"{cwd.rstrip('/')}/{path.removeprefix('./')}"


def _output(event: PostToolUse, row: Tool) -> Any:
    """The text of what came out, where that host's own tool has it."""
    place, text = row.places.get("output"), _text(event.output, event.places.get("output", ""))
    if not place or place == WHOLE or text is None:
        return event.output
    whole: dict[str, Any] = {}
    for at, said in ((place, text), (row.places.get("errors", ""), "")):
        if at:
            _put(whole, at, said)
    return frozen(whole)


def _text(output: Any, place: str) -> str | None:
    for key in place.split(".") if place and place != WHOLE else ():
        output = output.get(key) if isinstance(output, Mapping) else None
    if place == WHOLE and isinstance(output, Mapping):  # which of its texts is meant, no table says
        return next((text for text in output.values() if isinstance(text, str)), None)
    return output if isinstance(output, str) else None


def _put(whole: dict[str, Any], place: str, value: Any) -> None:
    *outer, last = place.split(".")
    for key in outer:
        whole = whole.setdefault(key, {})
    whole[last] = value


def returned(event: Event, told: Event, answer: Response) -> Response:
    """An *answer* about the call as it was *told*, as one about the *event* that really happened."""
    if told is event or not answer.changes:
        return answer
    if isinstance(event, PreToolUse | PostToolUse | PermissionRequest) and event.patch:
        return _unpatched(answer)
    return replace(answer, changes=frozen(dict(_changes(event, told, answer.changes))))


def _unpatched(answer: Response) -> Response:
    """Nothing that a hook wants to change is silently left as it was."""
    told = replace(answer, changes=Frozen())
    if "input" not in answer.changes:
        return told.plus(Response(warnings=("a hook wanted to change the output of a patch; it stays",)))
    return block("a hook wanted to change a file of this patch, which cannot be done; change it alone").plus(
        told
    )


def _changes(event: Any, told: Any, changes: Mapping[str, Any]) -> Any:
    row = Tool(kind=told.kind, places=told.places)
    for key, value in changes.items():
        if key == "input" and isinstance(value, Mapping):
            yield key, _input(event, told, _keys(event, row), value)
        elif key == "output" and (text := _text(value, told.places.get("output", ""))) is not None:
            yield key, text
        else:
            yield key, value


def _input(event: Any, told: Any, keys: Mapping[str, str], new: Mapping[str, Any]) -> dict[str, Any]:
    names = {theirs: ours for ours, theirs in keys.items()}
    same = {key for key in new if key in told.input and new[key] == told.input[key]}
    back = {names.get(key, key): value for key, value in new.items()}
    kept = {names.get(key, key) for key in same}
    whole = {key: event.input.get(key, value) if key in kept else value for key, value in back.items()}
    return dict(thawed(whole))
