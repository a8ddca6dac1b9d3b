"""Parsing of hookline.toml, hooks.json and mcp.json into layers of settings and declarations.

Every error becomes a `Problem` with file, line and the allowed values; the rest of the file still applies.
MCP servers are validated before any is started.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from hookline.core.frozen import Frozen, freeze
from hookline.core.kind import Declaration, Kind
from hookline.core.registry import describe_unknown
from hookline.core.values import replace
from hookline.policy.entries import ENTRY, check_import, declare_entries
from hookline.policy.line_numbers import Path, json_lines, toml_lines
from hookline.policy.model import FAILURES, File, Layer, Problem, SettingValue
from hookline.policy.strict_reader import (
    Reader,
    describe_type,
    has_valid_numbers,
    keep_repeats,
    keys_named,
    without_repeats,
)

__all__ = [
    "CHOICES",
    "ENTRY",
    "FAILURES",
    "OPTIONS",
    "File",
    "Layer",
    "Problem",
    "SettingValue",
    "read_hooks",
    "read_mcp",
    "read_toml",
]

OPTIONS: Mapping[str, tuple[type, ...]] = {
    "profile": (str,),
    "import": (list,),
    "store": (str,),
    "store_address": (str,),
    "keep_days": (int, float),
    "keep_records": (int,),
    "answer_within": (int, float),
    "approvals": (str,),
    "approvals_within": (int, float),
    "context_cap": (int,),
    "continuations": (int,),
}
"""Options of hookline.toml besides `[hooks.<name>]`, and their types."""
CHOICES: Mapping[str, tuple[str, ...]] = {
    "profile": ("default", "none", "unattended"),
    "approvals": ("host", "wait"),
}
"""Values of options that have only these."""
MAX_VALUES = {
    "answer_within": 86_400,
    "approvals_within": 86_400,
    "context_cap": 10_000_000,
    "continuations": 1_000,
    "keep_days": 36_500,
    "keep_records": 1_000_000_000,
}
"""Largest values accepted; a larger one is taken for a typing error."""


NOTHING_APPLIES = "it is ignored until it is fixed"
PREVIOUS_APPLIES = "its previous content applies until it is fixed"


Declared = Callable[[Reader, Mapping[str, Any]], Iterable[Declaration]]
"""Function that returns the hooks that settings of other hooks declare."""


def read_toml(
    file: File,
    stores: Iterable[str] = (),
    sinks: Iterable[str] = (),
    declared: Declared = lambda reader, tables: (),
) -> Layer:
    """Return the layer of a `hookline.toml`; *stores* and *sinks* are the names that may appear in it."""
    names = [*stores], [*sinks]
    return _parse_layer(
        file, tomllib.loads, lambda data: _toml_layer(Reader(file, toml_lines), data, *names, declared)
    )


def read_hooks(file: File, kinds: Mapping[str, Kind]) -> Layer:
    """Return the layer of a `hooks.json`: `{"version": 1, "hooks": {EVENT: [entry, ...]}}`."""
    return _read_json(file, kinds, ("$schema", "version", "hooks"))


def read_mcp(file: File, kinds: Mapping[str, Kind]) -> Layer:
    """Return the layer of an `mcp.json`: servers, and hooks that are tools of these servers."""
    return _read_json(file, kinds, ("$schema", "version", "hooks", "mcpServers"))


def _parse_layer(file: File, parse: Callable[[str], Any], layer: Callable[[Any], Layer]) -> Layer:
    try:
        data = parse(file.text)
    except RecursionError:
        return _broken_layer(file, "it is nested too deeply")
    except ValueError as error:
        return _broken_layer(file, str(error))
    return layer(data)


def _broken_layer(file: File, text: str) -> Layer:
    match = re.search(r"\bline (\d+)", text)
    line = int(match[1]) if match else file.text.count("\n") + 1 if "end of document" in text else 1
    language = "TOML" if file.name.endswith(".toml") else "JSON"
    message = f"invalid {language}: {text}; {NOTHING_APPLIES}"
    problem = Problem(file=file.name, line=line, text=message)
    return Layer(source=file.source, file=file.name, problems=(problem,), broken=True)


def keep_previous(broken: Layer, before: Layer) -> Layer:
    """Return the layer that a now *broken* file had *before*, with the present problems."""
    problems = [
        replace(problem, text=problem.text.replace(NOTHING_APPLIES, PREVIOUS_APPLIES))
        for problem in broken.problems
    ]
    return replace(before, problems=(*problems, *before.problems))


def _toml_layer(
    reader: Reader, data: dict[str, Any], stores: list[str], sinks: list[str], declared: Declared
) -> Layer:
    tables = reader.table(data.pop("hooks", {}), ("hooks",))
    settings = {name: _settings(reader, ("hooks", name), table) for name, table in tables.items()}
    sink_tables = reader.table(data.pop("sinks", {}), ("sinks",))
    sink_names = [*reader.known_keys(sink_tables, ("sinks",), sinks, "sink")]
    values = {
        key: SettingValue(value=freeze(data[key]), origin=reader.origin((key,)))
        for key in reader.known_keys(data, (), OPTIONS, "option")
    }
    options = {key: value for key, value in values.items() if _check_option(reader, key, data[key], stores)}
    return Layer(
        source=reader.file.source,
        file=reader.file.name,
        options=Frozen(options),
        settings=Frozen(settings),
        tables=Frozen({name: reader.origin(("hooks", name)) for name in tables}),
        refused=Frozen({key: value.origin for key, value in values.items() if key not in options}),
        sinks=Frozen({name: _settings(reader, ("sinks", name), sink_tables[name]) for name in sink_names}),
        declarations=tuple(declared(reader, tables)),
        problems=tuple(reader.problems),
    )


def _item_origins(reader: Reader, value: Any, path: Path) -> Iterator[str]:
    for index in range(len(value) if isinstance(value, list) else 0):
        yield reader.origin((*path, str(index)))


def _settings(reader: Reader, path: Path, table: Any) -> Mapping[str, SettingValue]:
    return Frozen(
        {
            key: SettingValue(
                value=freeze(value),
                origin=reader.origin((*path, key)),
                items=tuple(_item_origins(reader, value, (*path, key))),
            )
            for key, value in reader.table(table, path).items()
            if _check_numbers(reader, value, (*path, key))
        }
    )


def _check_numbers(reader: Reader, value: Any, path: Path) -> bool:
    if has_valid_numbers(value):
        return True
    reader.report(path, f"{path[-1]!r} must have numbers of at most 64 bits, and neither nan nor inf")
    return False


def _check_option(reader: Reader, key: str, value: Any, stores: list[str]) -> bool:
    if not _check_numbers(reader, value, (key,)) or not reader.check_type(value, OPTIONS[key], (key,)):
        return False
    errors = [*_option_errors(key, value, stores)]
    for steps, text in errors:
        reader.report((key, *steps), text)
    return not errors


def _option_errors(key: str, value: Any, stores: list[str]) -> Iterator[tuple[Path, str]]:
    """Yield errors in the value of an option, each with the path inside the value."""
    if key == "import":
        items = ((str(number), check_import(item)) for number, item in enumerate(value))
        yield from (
            ((number,), f"item {int(number) + 1} of 'import' {text}") for number, text in items if text
        )
    allowed = {**CHOICES, "store": tuple(stores)}.get(key)
    if allowed and value not in allowed:
        yield (), describe_unknown(key, str(value), allowed)
    maximum = MAX_VALUES.get(key)
    if maximum and not (0 < value <= maximum):
        yield (), f"{key!r} must be more than 0 and at most {maximum:,}, not {value!r}"


def _read_json(file: File, kinds: Mapping[str, Kind], allowed: tuple[str, ...]) -> Layer:
    if not file.text.strip():
        return _broken_layer(file, 'it is empty; a file without hooks contains {"version": 1}')

    def parse(text: str) -> Any:
        return json.loads(text, object_pairs_hook=keep_repeats)

    return _parse_layer(file, parse, lambda data: _json_layer(Reader(file, json_lines), data, kinds, allowed))


def _json_layer(reader: Reader, data: Any, kinds: Mapping[str, Kind], allowed: tuple[str, ...]) -> Layer:
    table = reader.table(data, ())
    keys = set(reader.known_keys(table, (), allowed, "key"))
    version = table.get("version", 1)
    if type(version) is not int or version != 1:
        version_text = describe_type(version) if type(version) is not int else f"version {version}"
        reader.report(("version",), f"{version_text} is not supported; expected version 1")
        keys = set()
    return Layer(
        source=reader.file.source,
        file=reader.file.name,
        declarations=tuple(declare_entries(reader, data, kinds)) if "hooks" in keys else (),
        servers=Frozen(read_servers(reader, data)) if "mcpServers" in keys else Frozen(),
        problems=tuple(reader.problems),
    )


TRANSPORTS: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "command": {"type": (str,), "command": (str,), "args": (list,), "env": (dict,), "cwd": (str,)},
    "url": {"type": (str,), "url": (str,), "headers": (dict,)},
}
"""Fields of a server, by the key that selects its transport."""
TYPES: Mapping[str, tuple[str, ...]] = {
    "command": ("stdio",),
    "url": ("http", "streamable-http", "streamable_http"),
}


def read_servers(reader: Reader, data: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the servers under `mcpServers`; an invalid one keeps its name, so that its hooks find it."""
    for servers_key in keys_named(data, "mcpServers"):
        for name, server in reader.table(data[servers_key], (servers_key,)).items():
            yield name, _read_server(reader, server, (servers_key, name))


def _read_server(reader: Reader, value: Any, path: Path) -> Mapping[str, Any]:
    server = reader.table(value, path)
    selected = [key for key in TRANSPORTS if key in server]
    if isinstance(value, Mapping) and len(selected) != 1:
        transports = " or ".join(f"{key!r} (with {_other_keys(key)})" for key in TRANSPORTS)
        reader.report(path, f"an MCP server must have exactly one of: {transports}")
    if len(selected) != 1:
        return Frozen()
    fields = _valid_fields(reader, server, path, selected[0])
    return Frozen({"cwd": reader.file.root, **fields}) if len(fields) == len(server) else Frozen()


def _other_keys(way: str) -> str:
    return ", ".join(key for key in TRANSPORTS[way] if key != way)


def _valid_fields(reader: Reader, server: Mapping[str, Any], path: Path, way: str) -> dict[str, Any]:
    return {
        key: freeze(without_repeats(server[key]) if isinstance(server[key], Mapping) else server[key])
        for key in reader.known_keys(server, path, TRANSPORTS[way], f"field of an MCP server with a {way!r}")
        if reader.check_type(server[key], TRANSPORTS[way][key], (*path, key))
        and _check_value(reader, key, server[key], (*path, key), way)
    }


def _check_value(reader: Reader, key: str, value: Any, path: Path, way: str) -> bool:
    text = ""
    if key == "type" and value not in TYPES[way]:
        text = f"'type' must be one of {', '.join(TYPES[way])} with a {way!r}, not {value!r}"
    elif key == "command" and not value.strip():
        text = "'command' must name a program"
    elif key == "url" and not value.startswith(("http://", "https://")):
        text = f"'url' must begin with http:// or https://, not {value!r}"
    if text:
        reader.report(path, text)
    return not text
