"""MCP servers of an mcp.json, validated before any is started."""

from collections.abc import Iterator, Mapping
from typing import Any

from hookline.core.frozen import Frozen, freeze
from hookline.policy.line_numbers import Path
from hookline.policy.strict_reader import Reader, keys_named, without_repeats

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
