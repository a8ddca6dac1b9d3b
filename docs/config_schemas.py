"""The JSON Schemas of `hookline.toml` and `hooks.json`, from the tables that the parser reads."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from about_configuration import ENTRY_NOTES, OPTION_NOTES

from hookline import hooks, hosts, kinds, sinks, stores
from hookline.core.events import EVENTS
from hookline.policy.entries import ENTRY, MAX_TIMEOUT_SECONDS, PRIORITIES
from hookline.policy.model import FAILURES
from hookline.policy.parse_files import CHOICES, MAX_VALUES, OPTIONS

DIALECT = "https://json-schema.org/draft/2020-12/schema"
NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}
FAILURE = {"enum": list(FAILURES)}
PRIORITY = {"type": "integer", "minimum": PRIORITIES[0], "maximum": PRIORITIES[-1]}
COMMON = {"enabled": {"type": "boolean"}, "priority": PRIORITY, "on_failure": FAILURE, "on_timeout": FAILURE}
"""Settings of every built-in hook."""


def build_schemas() -> dict[str, dict[str, Any]]:
    """Return the schema of each file, by the name of its own file."""
    return {"hookline.toml": _toml_schema(), "hooks": _hooks_schema()}


def _toml_schema() -> dict[str, Any]:
    options = {key: _option(key, types) for key, types in OPTIONS.items()}
    tables = {
        "hooks": {"type": "object", "properties": dict(map(_hook, hooks.names()))},
        "sinks": _table(dict(map(_sink, sinks.names()))),
    }
    return {"$schema": DIALECT, "title": "hookline.toml", **_table({**options, **tables})}


def _option(key: str, types: Iterable[type]) -> dict[str, Any]:
    schema = _types(types, OPTION_NOTES.get(key, ""))
    choices = {**CHOICES, "store": stores.names()}.get(key)
    if choices:
        schema["enum"] = list(choices)
    if key in MAX_VALUES:
        schema |= {"exclusiveMinimum": 0, "maximum": MAX_VALUES[key]}
    return schema


def _hook(name: str) -> tuple[str, dict[str, Any]]:
    hook = hooks.load(name)
    settings = {key: _describe_type(kind) for key, kind in hook.types.items()}
    return hook.name, {"description": hook.about, **_table({**settings, **COMMON})}


def _sink(name: str) -> tuple[str, dict[str, Any]]:
    opener: Any = sinks.load(name)
    settings = {key: _describe_type(opener.__annotations__[key]) for key in opener.__kwdefaults__}
    return name, {
        "description": sinks.about(name),
        **_table({**settings, "enabled": COMMON["enabled"]}),
    }


def _describe_type(kind: Any) -> dict[str, Any]:
    schema, definitions = msgspec.json.schema_components([kind])
    if definitions:
        raise TypeError(f"a setting of type {kind!r} needs definitions")
    return dict(schema[0])


def _hooks_schema() -> dict[str, Any]:
    entries = {"type": "array", "items": {"oneOf": [_entry(kinds.load(name)) for name in kinds.names()]}}
    events = _table({name: {"$ref": "#/$defs/entries"} for name in EVENTS})
    keys = {"$schema": {"type": "string"}, "version": {"const": 1}, "hooks": events}
    return {"$schema": DIALECT, "title": "hooks.json", "$defs": {"entries": entries}, **_table(keys)}


def _entry(kind: Any) -> dict[str, Any]:
    general = {key: _types(types, ENTRY_NOTES.get(key, "")) for key, types in ENTRY.items()}
    general["priority"] |= PRIORITY
    general["timeout"] |= {"exclusiveMinimum": 0, "maximum": MAX_TIMEOUT_SECONDS}
    general["hosts"] |= {"items": {"enum": list(hosts.names())}}
    for key in ("on_failure", "on_timeout"):
        general[key] |= FAILURE
    own = {key: _types(types, "") for key, types in kind.fields.items()}
    return {"title": f"{kind.name} hook", "required": [kind.key], **_table({**general, **own})}


def _types(types: Iterable[type], about: str) -> dict[str, Any]:
    names = [NAMES[kind] for kind in types]
    names = ["number"] if names == ["integer", "number"] else names
    return {"type": names[0] if len(names) == 1 else names} | ({"description": about} if about else {})


def _table(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "additionalProperties": False}
