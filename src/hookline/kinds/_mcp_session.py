"""One MCP server that is kept open, spoken to with the official SDK from the thread its loop runs in."""

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
from hookline.kinds._mcp_process import Process, Server
from hookline.redact import redact

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


Arguments = Callable[[Mapping[str, Any]], dict[str, Any]]
"""The arguments of a call, from the schema of the tool's input."""
_SHOWN = 300
_Answer = TypeVar("_Answer")


class Gone(HookFailed):
    """The server, or the connection to it, is no more."""


class Session:
    """A connection that is opened at once and held, by a task of its own, until it is closed."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._client: Client | None = None
        self._process: Process | None = None
        self._scope: anyio.CancelScope | None = None
        self._tools: dict[str, Tool] = {}
        self._up, self._stop = asyncio.Event(), asyncio.Event()
        self._task = asyncio.create_task(self._hold())
        self._task.add_done_callback(_look_at)

    @property
    def up(self) -> bool:
        return self._up.is_set()

    @property
    def closing(self) -> bool:
        return self._stop.is_set()

    async def call(self, name: str, arguments: Arguments) -> CallToolResult:
        """What the tool called *name* answers; raises `Gone` if the server is found to be so."""
        await self._unless_gone(self._up.wait())
        if name not in self._tools:
            await self._unless_gone(self._list())
        tool = self._tools.get(name)
        if tool is None:
            known = ", ".join(sorted(self._tools)) or "none"
            raise HookFailed(f"wants the tool {name!r} of server {self.server.name!r}, which has: {known}")
        return await self._unless_gone(self._connected.call_tool(name, arguments(tool.input_schema)))

    async def close(self, grace: float) -> None:
        """Let the server end by itself within *grace* seconds, then end it."""
        self._stop.set()
        await asyncio.wait({self._task}, timeout=grace)
        if self._task.done():
            return
        if self._process:
            self._process.end()
        if self._scope:
            self._scope.cancel()
        await asyncio.wait({self._task})

    async def _hold(self) -> None:
        async with AsyncExitStack() as stack:
            self._scope = stack.enter_context(anyio.CancelScope())
            self._client = await self._greet(stack)
            await self._list()
            self._up.set()
            await self._stop.wait()

    async def _greet(self, stack: AsyncExitStack) -> Client:
        # The SDK would begin with a request that is newer than most servers; there are some that fall silent
        # or end themselves at it. So the other way round: every server but the newest knows the old greeting.
        try:
            return await self._greeted("legacy", stack)
        except (MCPError, ExceptionGroup) as error:
            cause = _leaf(error)
            if not isinstance(cause, MCPError) or _is_end(cause):
                raise
        return await self._greeted("auto", stack)

    async def _greeted(self, mode: str, stack: AsyncExitStack) -> Client:
        async with AsyncExitStack() as opened:
            transport, self._process = await reach(self.server, opened)
            client = await opened.enter_async_context(Client(transport, mode=mode))
            stack.push_async_exit(opened.pop_all())
            return client

    async def _list(self) -> None:
        tools: dict[str, Tool] = {}
        cursor = None
        while True:
            page = await self._connected.list_tools(cursor=cursor, cache_mode="refresh")
            tools |= {tool.name: tool for tool in page.tools}
            cursor = page.next_cursor
            if not cursor:
                break
        self._tools = tools

    @property
    def _connected(self) -> Client:
        if self._client is None or self._task.done():
            raise Gone(self._why())
        return self._client

    async def _unless_gone(self, work: Coroutine[Any, Any, _Answer]) -> _Answer:
        step = asyncio.create_task(work)
        step.add_done_callback(_look_at)
        try:
            await asyncio.wait({step, self._task}, return_when=asyncio.FIRST_COMPLETED)
            if step.done():
                return step.result()
        except MCPError as error:
            if _is_end(error):
                raise Gone(self._why(error)) from error
            raise HookFailed(
                f"got an error from server {self.server.name!r}: {redact(error.message)[:_SHOWN]}"
            ) from error
        finally:
            step.cancel()
        raise Gone(self._why())

    def _why(self, error: BaseException | None = None) -> str:
        cause = _leaf(error or (self._task.exception() if self._task.done() else None))
        if isinstance(cause, HookFailed):
            return str(cause)
        said = redact(f": {type(cause).__name__}: {cause}")[:_SHOWN] if cause else ""
        tail = redact(self._process.tail)[-_SHOWN:] if self._process else ""
        printed = f"; the last that it printed: {tail}" if tail else ""
        return f"lost server {self.server.name!r}{said}{printed}"


def _is_end(error: MCPError) -> bool:
    # Over HTTP a server that was started anew does not know our session; every kind of server has its own
    # code for that, and all have the word.
    return error.code == CONNECTION_CLOSED or "session" in error.message.lower()


def _leaf(error: BaseException | None) -> BaseException | None:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _look_at(task: asyncio.Task[Any]) -> None:
    """An error that nobody waits for any more is no news."""
    if not task.cancelled():
        task.exception()
