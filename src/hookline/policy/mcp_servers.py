"""MCP servers of an mcp.json: how each is reached, checked before anything is started."""

from collections.abc import Iterator, Mapping
from typing import Any

from hookline.core.frozen import Frozen, frozen
from hookline.policy.line_numbers import Path
from hookline.policy.strict_reader import Reader, all_of, once

WAYS: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "command": {"type": (str,), "command": (str,), "args": (list,), "env": (dict,), "cwd": (str,)},
    "url": {"type": (str,), "url": (str,), "headers": (dict,)},
}
"""What a server may say, by the key that tells how it is reached."""
TYPES: Mapping[str, tuple[str, ...]] = {
    "command": ("stdio",),
    "url": ("http", "streamable-http", "streamable_http"),
}


def servers(reader: Reader, data: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What stands under `mcpServers`; a server that is wrong keeps its name, so that no hook misses it."""
    for place in all_of(data, "mcpServers"):
        for name, server in reader.table(data[place], (place,)).items():
            yield name, _server(reader, server, (place, name))


def _server(reader: Reader, given: Any, path: Path) -> Mapping[str, Any]:
    server = reader.table(given, path)
    told = [way for way in WAYS if way in server]
    if isinstance(given, Mapping) and len(told) != 1:
        ways = " or ".join(f"{way!r} (with {_further(way)})" for way in WAYS)
        reader.wrong(path, f"an MCP server says by {ways} how it is reached")
    if len(told) != 1:
        return Frozen()
    good = _good(reader, server, path, told[0])
    return Frozen({"cwd": reader.file.root, **good}) if len(good) == len(server) else Frozen()


def _further(way: str) -> str:
    return ", ".join(key for key in WAYS[way] if key != way)


def _good(reader: Reader, server: Mapping[str, Any], path: Path, way: str) -> dict[str, Any]:
    return {
        key: frozen(once(server[key]) if isinstance(server[key], Mapping) else server[key])
        for key in reader.known(server, path, WAYS[way], f"an MCP server with a {way!r}")
        if reader.typed(server[key], WAYS[way][key], (*path, key))
        and _holds(reader, key, server[key], (*path, key), way)
    }


def _holds(reader: Reader, key: str, value: Any, path: Path, way: str) -> bool:
    text = ""
    if key == "type" and value not in TYPES[way]:
        text = f"'type' is {value!r}; with a {way!r} there are: {', '.join(TYPES[way])}"
    elif key == "command" and not value.strip():
        text = "'command' must name a program"
    elif key == "url" and not value.startswith(("http://", "https://")):
        text = f"'url' must begin with http:// or https://, not {value!r}"
    if text:
        reader.wrong(path, text)
    return not text
