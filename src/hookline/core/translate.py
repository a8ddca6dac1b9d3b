"""Translation of tool calls from one host to another, and of responses back.

A hook that was written for one host expects the tool names and input keys of that host. The tables of both
hosts map them; names that are in no table stay unchanged.
"""

from collections.abc import Mapping
from typing import Any

from hookline.core.events import Event, OnError, PermissionRequest, PostToolUse, PreToolUse
from hookline.core.frozen import Frozen, freeze, thaw
from hookline.core.host import WHOLE_OUTPUT, Host, Tool
from hookline.core.patch import FilePatch
from hookline.core.response import Response, block
from hookline.core.values import replace

CALL_EVENTS = (PreToolUse, PermissionRequest, PostToolUse, OnError)
MOVED_FIELDS = ("command", "path", "pattern", "content")
"""Fields of an input that have different keys in different hosts."""
FILE_KINDS = ("read", "write", "edit")


def translate_event(host: Host, event: Event) -> tuple[Event, ...]:
    """Return *event* as *host* would send it; a patch becomes one call per file."""
    if not isinstance(event, CALL_EVENTS) or event.host == host.name:
        return (event,)
    parts = () if isinstance(event, OnError) else event.patch
    if parts and (calls := [_translate_file(host, event, part) for part in parts]):
        return tuple(calls)
    name = _find_tool_name(host, event.tool, event.kind)
    return (event if name is None else _translate_call(host, event, name),)


def _find_tool_name(host: Host, tool: str, kind: str) -> str | None:
    """Return *host*'s name for a tool: the same name if it has that tool, else the first of the same kind."""
    if tool in host.tools and host.tools[tool].kind == kind:
        return tool
    return next((name for name, row in host.tools.items() if row.kind == kind), None)


def _translate_call(host: Host, event: Any, name: str) -> Event:
    row = host.tools[name]
    keys = _map_keys(event, row)
    new_input = {key: value for key, value in event.input.items() if key not in keys}
    new_input |= {new: event.input[old] for old, new in keys.items()}
    if row.kind in FILE_KINDS and (path := row.input_keys.get("path")) in new_input:
        new_input[path] = _make_absolute(new_input[path], event.cwd)
    changed: Any = replace(event, tool=name, input=freeze(new_input))
    if isinstance(event, PostToolUse):
        changed = replace(changed, output=_translate_output(event, row))
    return _with_places(changed, row)


def _translate_file(host: Host, event: Any, part: FilePatch) -> Event:
    name = _find_tool_name(host, "", part.kind)
    if name is None:
        return event  # type: ignore[no-any-return]  # the event is typed as Any
    row = host.tools[name]
    new_input = {row.input_keys.get("path", "path"): _make_absolute(part.path, event.cwd)}
    new_input[row.input_keys.get("content", "content")] = part.content
    return _with_places(replace(event, tool=name, kind=row.kind, input=freeze(new_input)), row)


def _with_places(event: Any, row: Tool) -> Event:
    return event if isinstance(event, OnError) else replace(event, input_keys=row.input_keys)


def _map_keys(event: Any, row: Tool) -> dict[str, str]:
    """Return the keys of the event's input that the tool *row* has too, mapped to the names there."""
    input_keys: Mapping[str, str] = Frozen() if isinstance(event, OnError) else event.input_keys
    own_keys = {place: input_keys.get(place, place) for place in MOVED_FIELDS if place in row.input_keys}
    return {old: row.input_keys[place] for place, old in own_keys.items() if old in event.input}


def _make_absolute(path: Any, cwd: str) -> Any:
    if not isinstance(path, str) or not cwd or path.startswith(("/", "~", "\\")) or ":" in path[:3]:
        return path
    return f"{cwd.rstrip('/')}/{path.removeprefix('./')}"


def _translate_output(event: PostToolUse, row: Tool) -> Any:
    """Return the output with its text at the key that the tool *row* uses."""
    place, text = row.input_keys.get("output"), _find_text(event.output, event.input_keys.get("output", ""))
    if not place or place == WHOLE_OUTPUT or text is None:
        return event.output
    output: dict[str, Any] = {}
    for path, value in ((place, text), (row.input_keys.get("errors", ""), "")):
        if path:
            _set_path(output, path, value)
    return freeze(output)


def _find_text(output: Any, place: str) -> str | None:
    for key in place.split(".") if place and place != WHOLE_OUTPUT else ():
        output = output.get(key) if isinstance(output, Mapping) else None
    if place == WHOLE_OUTPUT and isinstance(output, Mapping):  # no table says which string is meant
        return next((text for text in output.values() if isinstance(text, str)), None)
    return output if isinstance(output, str) else None


def _set_path(target: dict[str, Any], path: str, value: Any) -> None:
    *outer, last = path.split(".")
    for key in outer:
        target = target.setdefault(key, {})
    target[last] = value


def translate_response(event: Event, translated: Event, response: Response) -> Response:
    """Return the response to the *translated* event, a translation, as a response to the original *event*."""
    if translated is event or not response.changes:
        return response
    if isinstance(event, PreToolUse | PostToolUse | PermissionRequest) and event.patch:
        return _refuse_patch_change(response)
    return replace(response, changes=freeze(dict(_translate_changes(event, translated, response.changes))))


def _refuse_patch_change(response: Response) -> Response:
    # A change that cannot be made must not be dropped silently.
    unchanged = replace(response, changes=Frozen())
    if "input" not in response.changes:
        return unchanged.plus(
            Response(warnings=("a hook tried to change the output of a patch; the output is unchanged",))
        )
    return block(
        "a hook tried to change one file of this patch, which is not possible; edit that file separately"
    ).plus(unchanged)


def _translate_changes(event: Any, translated: Any, changes: Mapping[str, Any]) -> Any:
    row = Tool(kind=translated.kind, input_keys=translated.input_keys)
    for key, value in changes.items():
        if key == "input" and isinstance(value, Mapping):
            yield key, _translate_input(event, translated, _map_keys(event, row), value)
        elif (
            key == "output"
            and (text := _find_text(value, translated.input_keys.get("output", ""))) is not None
        ):
            yield key, text
        else:
            yield key, value


def _translate_input(
    event: Any, translated: Any, keys: Mapping[str, str], new: Mapping[str, Any]
) -> dict[str, Any]:
    names = {new_key: old_key for old_key, new_key in keys.items()}
    unchanged = {key for key in new if key in translated.input and new[key] == translated.input[key]}
    renamed = {names.get(key, key): value for key, value in new.items()}
    kept_keys = {names.get(key, key) for key in unchanged}
    merged = {
        key: event.input.get(key, value) if key in kept_keys else value for key, value in renamed.items()
    }
    return dict(thaw(merged))
