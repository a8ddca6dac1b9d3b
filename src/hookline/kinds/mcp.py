"""Kind mcp: a tool of an MCP server, called over the official SDK; its text is read like a command's output.

Servers are started by the first call and stay open; the next call restarts a server that died. The limit of a
call includes the start; a server that has not replied by then is ended with all of its children.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hookline.core.envelope import encode_event
from hookline.core.events import Event
from hookline.core.frozen import thaw
from hookline.core.install_commands import describe_missing
from hookline.core.kind import BoundHook, Declaration, HookFailed, Kind, Machine
from hookline.core.response import Response
from hookline.core.state import State
from hookline.kinds._mcp_process import Server
from hookline.kinds._read_output import read_result

if TYPE_CHECKING:
    from hookline.kinds._mcp_loop import Sessions


def bind(declaration: Declaration, machine: Machine) -> BoundHook:
    """Return a function that calls the tool, whose name is `server.tool`."""

    def run_hook(event: Event, state: State, limit: float) -> Response:
        began = machine.clock()
        server, tool = _find_server(declaration, machine)
        envelope = encode_event(event, state)
        sessions = machine.resources.obtain("mcp", _open_sessions)
        remaining = began + limit - machine.clock()
        result = sessions.call(server, tool, lambda schema: select_arguments(schema, envelope), remaining)
        return read_result(event, result, machine.dialects, name=declaration.name)

    return run_hook


def _open_sessions() -> "Sessions":
    try:
        from hookline.kinds._mcp_loop import Sessions  # noqa: PLC0415 -- the extra mcp
    except ImportError as error:
        raise HookFailed(describe_missing("mcp", "a hook with a tool")) from error
    return Sessions()


def _find_server(declaration: Declaration, machine: Machine) -> tuple[Server, str]:
    tool, servers = declaration.spec["tool"], machine.servers
    matches = [name for name in servers if tool.startswith(f"{name}.")]
    name = max(matches, key=len, default=tool.partition(".")[0])
    if name not in servers:
        available = ", ".join(sorted(servers)) or "none"
        raise HookFailed(
            f"requires tool {tool!r}, but no MCP server is named {name!r}; available: {available}"
        )
    outer_depth = machine.env.get("HOOKLINE_DEPTH", "")
    depth = f"{outer_depth}:{declaration.name}".lstrip(":")
    env = {**machine.env, "HOOKLINE_DEPTH": depth}
    return Server(name=name, spec=thaw(servers[name]), root=declaration.root, env=env), tool[len(name) + 1 :]


def select_arguments(schema: Mapping[str, Any], envelope: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a tool: the event as `event`, the fields that it names, or all fields."""
    properties = schema.get("properties") or {}
    if "event" in properties:
        return {"event": dict(envelope)}
    accepts_more = schema.get("additionalProperties", not properties)
    return {key: value for key, value in envelope.items() if key in properties or accepts_more is True}


KIND = Kind(
    name="mcp",
    key="tool",
    fields={"tool": (str,)},
    bind=bind,
    about="Call a tool of an MCP server: the event in its arguments, the answer in its text.",
)
