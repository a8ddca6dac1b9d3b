"""How an MCP server that was declared is reached: started and spoken to over its pipes, or over HTTP."""

import os
from contextlib import AsyncExitStack

import httpx2  # comes with the SDK
from mcp.client import Transport
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from hookline.kind import HookFailed
from hookline.kinds._mcp_process import Process, Server

CONNECT, READ = 30.0, 300.0
"""Seconds that one step over HTTP may take at most; the limit of a hook is usually sooner."""
_HTTP = ("http", "streamable-http", "streamable_http")


async def reach(server: Server, stack: AsyncExitStack) -> tuple[Transport, Process | None]:
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


def _stdio(server: Server, stack: AsyncExitStack) -> tuple[Transport, Process]:
    spec = server.spec
    process = Process([spec["command"], *spec.get("args", ())], {**server.env, **spec.get("env", {})})
    stack.callback(process.close)
    command, *args = process.argv
    cwd = os.path.join(server.root, spec.get("cwd", ""))
    parameters = StdioServerParameters(
        command=command, args=args, env=process.env, cwd=cwd or None, encoding_error_handler="replace"
    )
    return stdio_client(parameters, errlog=process.stderr), process


async def _http(server: Server, stack: AsyncExitStack) -> Transport:
    headers = dict(server.spec.get("headers", {}))
    client = httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(CONNECT, read=READ))
    await stack.enter_async_context(client)
    return streamable_http_client(server.spec["url"], http_client=client)
