"""The sessions with MCP servers that are kept between calls, in one loop in a thread of its own."""

import asyncio
import json
import logging
import threading
from collections.abc import Mapping
from concurrent.futures import CancelledError
from typing import Any

from mcp.types import CallToolResult

from hookline.core.kind import KEEP, Finished, HookFailed
from hookline.kinds._mcp_process import Server
from hookline.kinds._mcp_session import Arguments, Gone, Session
from hookline.redact import redact

_SHOWN = 300
GRACE = 0.4
"""Seconds that a server has to end by itself when it is no longer needed."""


class Sessions:
    """Opens what is called, keeps it open, and opens it again when it has died."""

    def __init__(self) -> None:
        logging.getLogger("mcp").addHandler(
            logging.NullHandler()
        )  # else it writes to stderr, which is not ours
        self._open: dict[str, Session] = {}
        self._calls: set[asyncio.Task[Any]] = set()
        self._closing: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="hookline-mcp", daemon=True)
        self._thread.start()

    def call(self, server: Server, tool: str, arguments: Arguments, limit: float) -> Finished:
        """What the *tool* answers; raises `TimeoutError`, and then the server is ended."""
        future = asyncio.run_coroutine_threadsafe(self._call(server, tool, arguments), self._loop)
        try:
            return _finished(future.result(limit))
        except CancelledError:
            raise HookFailed(f"was not answered by server {server.name!r} before it was closed") from None
        finally:
            future.cancel()

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _call(self, server: Server, tool: str, arguments: Arguments) -> CallToolResult:
        _kept_in(self._calls, asyncio.current_task())
        session = self._session(server)
        fresh = not session.up
        try:
            return await self._use(session, tool, arguments)
        except Gone:
            if fresh and not session.closing:  # closing: another call gave it up
                raise
        return await self._use(self._session(server), tool, arguments)

    def _session(self, server: Server) -> Session:
        if server.key not in self._open:
            self._open[server.key] = Session(server)
        return self._open[server.key]

    async def _use(self, session: Session, tool: str, arguments: Arguments) -> CallToolResult:
        try:
            return await session.call(tool, arguments)
        except (Gone, asyncio.CancelledError):  # cancelled: the time of the call is over
            self._drop(session)
            raise

    def _drop(self, session: Session) -> None:
        if self._open.get(session.server.key) is session:
            del self._open[session.server.key]
        _kept_in(self._closing, asyncio.create_task(session.close(0.0)))

    async def _close(self) -> None:
        calls = list(self._calls)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await asyncio.gather(*self._closing, *(session.close(GRACE) for session in self._open.values()))
        await self._loop.shutdown_asyncgens()


def _finished(result: CallToolResult) -> Finished:
    """The tool's answer as if a command had printed it."""
    text = "\n".join(block.text for block in result.content if block.type == "text")
    if result.is_error:
        raise HookFailed(f"got an error from its tool: {redact(text)[:_SHOWN]}")
    if not text and isinstance(result.structured_content, Mapping):
        text = json.dumps(result.structured_content)
    return Finished(code=0, stdout=text[:KEEP], cut=("stdout",) if len(text) > KEEP else ())


def _kept_in(tasks: set[asyncio.Task[Any]], task: asyncio.Task[Any] | None) -> None:
    """Hold a task as long as it runs; the loop itself would let it be collected."""
    if task:
        tasks.add(task)
        task.add_done_callback(tasks.discard)
