"""Kind mcp: a tool of an MCP server, over the official SDK; its text is read like what a command prints.

Servers are started when first called and kept open; one that died is started again by the next call. The
limit of a call holds from its first moment, start included, and a server that has not answered by then is
ended with all that it started.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hookline.core.envelope import event_out
from hookline.core.events import Event
from hookline.core.extras import missing
from hookline.core.frozen import thawed
from hookline.core.kind import Carry, Declaration, HookFailed, Kind, Machine
from hookline.core.response import Response
from hookline.core.state import State
from hookline.kinds._mcp_process import Server
from hookline.kinds._replies import read

if TYPE_CHECKING:
    from hookline.kinds._mcp_loop import Sessions


def bind(declaration: Declaration, machine: Machine) -> Carry:
    """How the tool is called; its name is `server.tool`."""

    def carry(event: Event, state: State, limit: float) -> Response:
        began = machine.clock()
        server, tool = _named(declaration, machine)
        envelope = event_out(event, state)
        sessions = machine.kept.of("mcp", _sessions)
        left = began + limit - machine.clock()
        finished = sessions.call(server, tool, lambda schema: arguments(schema, envelope), left)
        return read(event, finished, machine.dialects, name=declaration.name)

    return carry


def _sessions() -> "Sessions":
    try:
        from hookline.kinds._mcp_loop import Sessions  # noqa: PLC0415 -- the extra mcp
    except ImportError as error:
        raise HookFailed(missing("mcp", "a hook with a tool")) from error
    return Sessions()


def _named(declaration: Declaration, machine: Machine) -> tuple[Server, str]:
    wanted, servers = declaration.spec["tool"], machine.servers
    known = [name for name in servers if wanted.startswith(f"{name}.")]
    name = max(known, key=len, default=wanted.partition(".")[0])
    if name not in servers:
        there = ", ".join(sorted(servers)) or "none"
        raise HookFailed(
            f"wants the tool {wanted!r}, but no MCP server is called {name!r}; there are: {there}"
        )
    before = machine.env.get("HOOKLINE_DEPTH", "")
    depth = f"{before}:{declaration.name}".lstrip(":")
    env = {**machine.env, "HOOKLINE_DEPTH": depth}
    return Server(name=name, spec=thawed(servers[name]), root=declaration.root, env=env), wanted[
        len(name) + 1 :
    ]


def arguments(schema: Mapping[str, Any], envelope: Mapping[str, Any]) -> dict[str, Any]:
    """What of the event a tool gets: all of it as `event`, else the fields it names, else all fields."""
    named = schema.get("properties") or {}
    if "event" in named:
        return {"event": dict(envelope)}
    more = schema.get("additionalProperties", not named)
    return {key: value for key, value in envelope.items() if key in named or more is True}


KIND = Kind(
    name="mcp",
    key="tool",
    fields={"tool": (str,)},
    bind=bind,
    about="Call a tool of an MCP server: the event in its arguments, the answer in its text.",
)
