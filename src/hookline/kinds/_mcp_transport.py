"""How an MCP server that was declared is reached: started and spoken to over its pipes, or over HTTP."""

import json
import os
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from hookline.kind import HookFailed
from hookline.kinds._mcp_process import Process
from hookline.record import record

if TYPE_CHECKING:
    from mcp.client import Transport

CONNECT, READ = 30.0, 300.0
"""Seconds that one step over HTTP may take at most; the limit of a hook is usually sooner."""
_HTTP = ("http", "streamable-http", "streamable_http")


@record
class Server:
    """A server as it was declared, and what it is started with."""

    name: str
    spec: Mapping[str, Any]
    root: str
    env: Mapping[str, str]

    @property
    def key(self) -> str:
        """Servers with the same key are one."""
        return json.dumps([self.name, self.root, self.spec], sort_keys=True)


async def reach(server: Server, stack: AsyncExitStack) -> "tuple[Transport, Process | None]":
    """The way to a *server*, and its process where it is ours; what must be closed goes on the *stack*."""
    spec = server.spec
    kind = spec.get("type", "http" if "url" in spec else "stdio")
    if kind == "stdio" and spec.get("command"):
        return _stdio(server, stack)
    if kind in _HTTP and spec.get("url"):
        return await _http(server, stack), None
    raise HookFailed(
        f"uses server {server.name!r}, which is declared as {kind!r} without what that needs; "
        "there are: 'stdio' with a 'command', 'http' with a 'url'"
    )


def _stdio(server: Server, stack: AsyncExitStack) -> "tuple[Transport, Process]":
    from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: PLC0415 -- the SDK is optional

    spec = server.spec
    process = Process([spec["command"], *spec.get("args", ())], {**server.env, **spec.get("env", {})})
    stack.callback(process.close)
    command, *args = process.argv
    cwd = os.path.join(server.root, spec.get("cwd", ""))
    parameters = StdioServerParameters(
        command=command, args=args, env=process.env, cwd=cwd or None, encoding_error_handler="replace"
    )
    return stdio_client(parameters, errlog=process.stderr), process


async def _http(server: Server, stack: AsyncExitStack) -> "Transport":
    import httpx2  # noqa: PLC0415 -- what the SDK speaks HTTP with
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415 -- the SDK is optional

    headers = dict(server.spec.get("headers", {}))
    client = httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(CONNECT, read=READ))
    await stack.enter_async_context(client)
    return streamable_http_client(server.spec["url"], http_client=client)
