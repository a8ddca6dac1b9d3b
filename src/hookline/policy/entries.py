"""Declarations from the entries of hooks.json and mcp.json; an invalid entry is reported and left out.

The commands that a user lists in a setting of a built-in hook are declarations too. So each command has its
own timeout, process group and name in the audit trail, and a project's commands require trust.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hookline.core.events import EVENTS
from hookline.core.frozen import Frozen, freeze
from hookline.core.hook import Hook, find_hook, is_valid_name
from hookline.core.kind import Declaration, Kind
from hookline.core.values import replace
from hookline.policy.line_numbers import Path
from hookline.policy.model import FAILURES
from hookline.policy.strict_reader import Reader, keys_named, without_repeats

ENTRY: Mapping[str, tuple[type, ...]] = {
    "name": (str,),
    "priority": (int,),
    "match": (str,),
    "timeout": (int, float),
    "on_failure": (str,),
    "on_timeout": (str,),
    "observer": (bool,),
    "hosts": (list,),
}
"""Fields of an entry of any kind, and their types."""
MAX_TIMEOUT_SECONDS = 600
PRIORITIES = range(-1000, 1001)
Kinds = Mapping[str, Kind]


def declare_entries(reader: Reader, data: Mapping[str, Any], kinds: Kinds) -> Iterator[Declaration]:
    """Yield declarations of the entries under `hooks`, also under a repeated key `hooks`."""
    counts = Counter[str]()
    for hooks_key in keys_named(data, "hooks"):
        events = data[hooks_key]
        for event in reader.known_keys(reader.table(events, (hooks_key,)), (hooks_key,), EVENTS, "event"):
            for path, entry in _list_entries(reader, events, (hooks_key, event)):
                counts[event] += 1
                default_name = f"{reader.file.source}.{event.lower()}.{{}}-{counts[event]}"
                yield from declare_entry(reader, entry, path, kinds, event, default_name)


def _list_entries(reader: Reader, events: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    for key in keys_named(events, path[1]):
        entry_path = (path[0], key)
        if isinstance(events[key], list):
            yield from (((*entry_path, str(number)), entry) for number, entry in enumerate(events[key]))
        else:
            reader.check_type(events[key], (list,), entry_path)


def declare_entry(
    reader: Reader, entry: Any, path: Path, kinds: Kinds, event: str, default_name: str
) -> Iterator[Declaration]:
    """Yield the hook that an entry declares, with *default_name* if it has no name."""
    keys = {kind.key: kind for kind in kinds.values()}
    table = reader.table(entry, path)
    declared_kinds = [keys[key] for key in table if key in keys]
    if isinstance(entry, Mapping) and len(declared_kinds) != 1:
        reader.report(path, f"an entry must have exactly one of these keys: {', '.join(sorted(keys))}")
    if len(declared_kinds) == 1:
        fields = _valid_fields(reader, table, path, declared_kinds[0])
        if len(fields) == len(table):
            yield _declare(
                reader,
                declared_kinds[0],
                fields,
                path,
                EVENTS[event],
                default_name.format(declared_kinds[0].name),
            )


def _valid_fields(reader: Reader, entry: Mapping[str, Any], path: Path, kind: Kind) -> dict[str, Any]:
    allowed = {**ENTRY, **kind.fields}
    return {
        key: without_repeats(entry[key]) if isinstance(entry[key], Mapping) else entry[key]
        for key in reader.known_keys(entry, path, allowed, f"field of a {kind.name} hook")
        if reader.check_type(entry[key], allowed[key], (*path, key))
        and _check_value(reader, key, entry[key], (*path, key))
    }


def _check_value(reader: Reader, key: str, value: Any, path: Path) -> bool:
    text = _CHECKS[key](value) if key in _CHECKS else ""
    if text:
        reader.report(path, f"{key!r} {text}")
    return not text


def _check_failure(value: str) -> str:
    return "" if value in FAILURES else f"must be one of {', '.join(FAILURES)}, not {value!r}"


def _check_timeout(value: float) -> str:
    valid = 0 < value <= MAX_TIMEOUT_SECONDS
    return "" if valid else f"must be more than 0 and at most {MAX_TIMEOUT_SECONDS} seconds, not {value!r}"


def check_priority(value: Any) -> str:
    """Return an error message for an invalid priority, else an empty string."""
    if type(value) is int and value in PRIORITIES:
        return ""
    return f"must be a whole number from {PRIORITIES[0]} to {PRIORITIES[-1]}, not {value!r:.40}"


def _check_name(value: str) -> str:
    return (
        ""
        if is_valid_name(value)
        else f"must have only lower-case letters, digits, '.', '_' and '-', not {value!r}"
    )


def _check_match(value: str) -> str:
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError) as error:
        return f"must be a regular expression, not {value!r}: {error}"
    return ""


def _check_hosts(value: list[str]) -> str:
    return "" if value else "must name at least one host, such as ['codex']; omit it for all hosts"


def check_import(value: str) -> str:
    """Return an error message for an invalid import path, else an empty string."""
    module, colon, name = value.partition(":")
    if all(part.isidentifier() for part in module.split(".")) and (not colon or _is_hook_name(name)):
        return ""
    return f"must be an import path such as 'package.module:name', not {value!r}"


def _is_hook_name(name: str) -> bool:
    return name.isidentifier() or is_valid_name(name)


def _check_tool(value: str) -> str:
    server, _, tool = value.partition(".")
    return "" if server and tool else f"must be a server and its tool, such as 'memory.load', not {value!r}"


_CHECKS: Mapping[str, Callable[[Any], str]] = {
    "hosts": _check_hosts,
    "match": _check_match,
    "name": _check_name,
    "on_failure": _check_failure,
    "on_timeout": _check_failure,
    "priority": check_priority,
    "python": check_import,
    "timeout": _check_timeout,
    "tool": _check_tool,
}


def _declare(
    reader: Reader, kind: Kind, entry: Mapping[str, Any], path: Path, event: Any, default_name: str
) -> Declaration:
    return Declaration(
        kind=kind.name,
        name=entry.get("name", default_name),
        on=(event,),
        spec=freeze({key: value for key, value in entry.items() if key in kind.fields}),
        source=reader.file.source,
        origin=reader.origin(path),
        root=reader.file.root,
        **{key: freeze(entry[key]) for key in ENTRY if key in entry and key != "name"},
    )


PART_OF = "part_of"


def declare_checks(
    reader: Reader, tables: Mapping[str, Any], hooks: Sequence[Hook], kinds: Kinds
) -> Iterator[Declaration]:
    """Yield declarations of the commands that the *tables* of settings list for the *hooks* that run some."""
    for name, table in tables.items():
        hook = find_hook(hooks, name)
        if hook is not None and isinstance(table, Mapping):
            commands = table.get(hook.commands_setting)
            for number, command in enumerate(commands if isinstance(commands, list) else ()):
                yield from _declare_check(
                    reader, command, ("hooks", name, hook.commands_setting, str(number)), hook, kinds
                )


def _declare_check(
    reader: Reader, command: Any, path: Path, hook: Hook, kinds: Kinds
) -> Iterator[Declaration]:
    table = {"command": command} if isinstance(command, str) else command
    if not isinstance(table, Mapping) or "command" not in table:
        subject = f"item {int(path[-1]) + 1} of {hook.commands_setting!r} of hook {hook.name!r}"
        reader.report(path, f"{subject} must be a command, or a table with a `command`")
        return
    default_name = f"{hook.name}.{reader.file.source}-{int(path[-1]) + 1}"
    defaults = {"priority": hook.priority, "on_failure": "block", "on_timeout": "warn"}
    entry_table = {
        **defaults,
        **({"on_timeout": table["on_failure"]} if "on_failure" in table else {}),
        **table,
    }
    for declaration in declare_entry(reader, entry_table, path, kinds, hook.on[0].__name__, default_name):
        yield replace(declaration, spec=Frozen({**declaration.spec, PART_OF: hook.name}))
