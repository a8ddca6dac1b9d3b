"""Session with one MCP server over the official SDK; used only on the thread of its event loop."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AsyncExitStack
from typing import Any, TypeVar

import anyio
import httpx2  # comes with the SDK
from mcp import Client, MCPError
from mcp.client import Transport
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CONNECTION_CLOSED, CallToolResult, Tool

from hookline.core.kind import HookFailed
from hookline.kinds._connection import find_proxy, make_tls_context
from hookline.kinds._mcp_process import Process, Server
from hookline.redact import redact

CONNECT_SECONDS, READ_SECONDS = 30.0, 300.0
"""Seconds for connecting and for reading over HTTP; the limit of a hook usually ends first."""
_HTTP_TYPES = ("http", "streamable-http", "streamable_http")


async def open_transport(server: Server, stack: AsyncExitStack) -> tuple[Transport, Process | None]:
    """Return the transport to *server*, and its process if hookline starts it; *stack* closes both."""
    spec = server.spec
    kind = spec.get("type", "http" if "url" in spec else "stdio")
    if kind == "stdio" and spec.get("command"):
        return _open_stdio(server, stack)
    if kind in _HTTP_TYPES and spec.get("url"):
        return await _open_http(server, stack), None
    raise HookFailed(
        f"uses server {server.name!r}, whose declaration of type {kind!r} is incomplete; "
        "expected 'stdio' with a 'command', or 'http' with a 'url'"
    )


def _open_stdio(server: Server, stack: AsyncExitStack) -> tuple[Transport, Process]:
    spec = server.spec
    process = Process([spec["command"], *spec.get("args", ())], {**server.env, **spec.get("env", {})})
    stack.callback(process.close)
    command, *args = process.argv
    cwd = os.path.join(server.root, spec.get("cwd", ""))
    parameters = StdioServerParameters(
        command=command, args=args, env=process.env, cwd=cwd or None, encoding_error_handler="replace"
    )
    return stdio_client(parameters, errlog=process.stderr), process


async def _open_http(server: Server, stack: AsyncExitStack) -> Transport:
    url = server.spec["url"]
    client = httpx2.AsyncClient(
        headers=dict(server.spec.get("headers", {})),
        timeout=httpx2.Timeout(CONNECT_SECONDS, read=READ_SECONDS),
        proxy=find_proxy(url, server.env),
        verify=make_tls_context(server.env),
        trust_env=False,
        follow_redirects=False,
    )
    await stack.enter_async_context(client)
    return streamable_http_client(url, http_client=client)


Arguments = Callable[[Mapping[str, Any]], dict[str, Any]]
"""Function that returns the arguments of a call for the schema of the tool's input."""
_MAX_ERROR_CHARS = 300
_T = TypeVar("_T")


class ServerGone(HookFailed):
    """The server exited, or the connection to it was lost."""


class Session:
    """A connection that a task opens at once and holds until it is closed."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._client: Client | None = None
        self._process: Process | None = None
        self._scope: anyio.CancelScope | None = None
        self._tools: dict[str, Tool] = {}
        self._up, self._stop = asyncio.Event(), asyncio.Event()
        self._task = asyncio.create_task(self._hold_open())
        self._task.add_done_callback(_discard_exception)

    @property
    def up(self) -> bool:
        return self._up.is_set()

    @property
    def closing(self) -> bool:
        return self._stop.is_set()

    async def call(self, name: str, arguments: Arguments) -> CallToolResult:
        """Return the result of the tool named *name*; raise `ServerGone` if the server is gone."""
        await self._run_step(self._up.wait())
        if name not in self._tools:
            await self._run_step(self._list_tools())
        tool = self._tools.get(name)
        if tool is None:
            available = ", ".join(sorted(self._tools)) or "none"
            raise HookFailed(
                f"requires tool {name!r}, which server {self.server.name!r} lacks; available: {available}"
            )
        return await self._run_step(self._live_client.call_tool(name, arguments(tool.input_schema)))

    async def close(self, grace: float) -> None:
        """Wait *grace* seconds for the server to exit by itself, then end it."""
        self._stop.set()
        await asyncio.wait({self._task}, timeout=grace)
        if self._task.done():
            return
        if self._process:
            self._process.end()
        if self._scope:
            self._scope.cancel()
        await asyncio.wait({self._task})

    async def _hold_open(self) -> None:
        async with AsyncExitStack() as stack:
            self._scope = stack.enter_context(anyio.CancelScope())
            self._client = await self._connect(stack)
            await self._list_tools()
            self._up.set()
            await self._stop.wait()

    async def _connect(self, stack: AsyncExitStack) -> Client:
        # The SDK starts with a request that most servers do not know yet; some hang or exit on it. All but
        # the newest servers know the old handshake, so that one is tried first.
        try:
            return await self._connect_in_mode("legacy", stack)
        except (MCPError, ExceptionGroup) as error:
            cause = _root_cause(error)
            if not isinstance(cause, MCPError) or _is_disconnect(cause):
                raise
        return await self._connect_in_mode("auto", stack)

    async def _connect_in_mode(self, mode: str, stack: AsyncExitStack) -> Client:
        async with AsyncExitStack() as opened:
            transport, self._process = await open_transport(self.server, opened)
            client = await opened.enter_async_context(Client(transport, mode=mode))
            stack.push_async_exit(opened.pop_all())
            return client

    async def _list_tools(self) -> None:
        tools: dict[str, Tool] = {}
        cursor = None
        while True:
            page = await self._live_client.list_tools(cursor=cursor, cache_mode="refresh")
            tools |= {tool.name: tool for tool in page.tools}
            cursor = page.next_cursor
            if not cursor:
                break
        self._tools = tools

    @property
    def _live_client(self) -> Client:
        if self._client is None or self._task.done():
            raise ServerGone(self._describe_loss())
        return self._client

    async def _run_step(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        step = asyncio.create_task(coroutine)
        step.add_done_callback(_discard_exception)
        try:
            await asyncio.wait({step, self._task}, return_when=asyncio.FIRST_COMPLETED)
            if step.done():
                return step.result()
        except MCPError as error:
            if _is_disconnect(error):
                raise ServerGone(self._describe_loss(error)) from error
            raise HookFailed(
                f"got an error from server {self.server.name!r}: {redact(error.message)[:_MAX_ERROR_CHARS]}"
            ) from error
        finally:
            step.cancel()
        raise ServerGone(self._describe_loss())

    def _describe_loss(self, error: BaseException | None = None) -> str:
        cause = _root_cause(error or (self._task.exception() if self._task.done() else None))
        if isinstance(cause, HookFailed):
            return str(cause)
        reason = redact(f": {type(cause).__name__}: {cause}")[:_MAX_ERROR_CHARS] if cause else ""
        tail = redact(self._process.tail)[-_MAX_ERROR_CHARS:] if self._process else ""
        printed = f"; last output: {tail}" if tail else ""
        return f"lost server {self.server.name!r}{reason}{printed}"


def _is_disconnect(error: MCPError) -> bool:
    # A restarted HTTP server does not know our session. The error codes differ between servers, but all
    # messages contain the word.
    return error.code == CONNECTION_CLOSED or "session" in error.message.lower()


def _root_cause(error: BaseException | None) -> BaseException | None:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _discard_exception(task: asyncio.Task[Any]) -> None:
    """Retrieve the exception of a task that nobody awaits, so that asyncio does not log it."""
    if not task.cancelled():
        task.exception()
