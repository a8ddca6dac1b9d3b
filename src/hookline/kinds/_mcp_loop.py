"""Sessions with MCP servers that stay open between calls, on one event loop in its own thread."""

import asyncio
import json
import logging
import threading
from collections.abc import Mapping
from concurrent.futures import CancelledError
from typing import Any

from mcp.types import CallToolResult

from hookline.core.kind import MAX_OUTPUT_BYTES, HookFailed, ProcessResult
from hookline.kinds._mcp_process import Server
from hookline.kinds._mcp_session import Arguments, ServerGone, Session
from hookline.redact import redact

_MAX_ERROR_CHARS = 300
GRACE_SECONDS = 0.4
"""Seconds that a server gets to exit by itself when it is no longer needed."""


class Sessions:
    """Open sessions by server; a session whose server died is opened again."""

    def __init__(self) -> None:
        logging.getLogger("mcp").addHandler(
            logging.NullHandler()
        )  # otherwise the SDK logs to stderr, which belongs to the host
        self._open: dict[str, Session] = {}
        self._calls: set[asyncio.Task[Any]] = set()
        self._closing: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="hookline-mcp", daemon=True)
        self._thread.start()

    def call(self, server: Server, tool: str, arguments: Arguments, limit: float) -> ProcessResult:
        """Return the result of *tool*; raise `TimeoutError`, after which the server is ended."""
        future = asyncio.run_coroutine_threadsafe(self._call(server, tool, arguments), self._loop)
        try:
            return _to_process_result(future.result(limit))
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
        _keep_until_done(self._calls, asyncio.current_task())
        session = self._session(server)
        fresh = not session.up
        try:
            return await self._use(session, tool, arguments)
        except ServerGone:
            if fresh and not session.closing:  # closing: another call dropped the session
                raise
        return await self._use(self._session(server), tool, arguments)

    def _session(self, server: Server) -> Session:
        if server.key not in self._open:
            self._open[server.key] = Session(server)
        return self._open[server.key]

    async def _use(self, session: Session, tool: str, arguments: Arguments) -> CallToolResult:
        try:
            return await session.call(tool, arguments)
        except (ServerGone, asyncio.CancelledError):  # cancelled: the call timed out
            self._drop(session)
            raise

    def _drop(self, session: Session) -> None:
        if self._open.get(session.server.key) is session:
            del self._open[session.server.key]
        _keep_until_done(self._closing, asyncio.create_task(session.close(0.0)))

    async def _close(self) -> None:
        calls = list(self._calls)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await asyncio.gather(
            *self._closing, *(session.close(GRACE_SECONDS) for session in self._open.values())
        )
        await self._loop.shutdown_asyncgens()


def _to_process_result(result: CallToolResult) -> ProcessResult:
    """Return the tool's result in the form of a command's output."""
    text = "\n".join(block.text for block in result.content if block.type == "text")
    if result.is_error:
        raise HookFailed(f"got an error from its tool: {redact(text)[:_MAX_ERROR_CHARS]}")
    if not text and isinstance(result.structured_content, Mapping):
        text = json.dumps(result.structured_content)
    return ProcessResult(
        code=0, stdout=text[:MAX_OUTPUT_BYTES], cut=("stdout",) if len(text) > MAX_OUTPUT_BYTES else ()
    )


def _keep_until_done(tasks: set[asyncio.Task[Any]], task: asyncio.Task[Any] | None) -> None:
    """Hold *task* while it runs; the event loop alone would not keep it from being collected."""
    if task:
        tasks.add(task)
        task.add_done_callback(tasks.discard)
