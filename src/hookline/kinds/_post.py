"""HTTP client that posts JSON over persistent connections, with strict limits on time and size."""

import asyncio
import socket
import threading
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import Any, TypeVar

import httpx
from msgspec import Struct

from hookline.core.kind import MAX_OUTPUT_BYTES, HookFailed
from hookline.kinds._connection import make_tls_context

GRACE_SECONDS = 0.2
"""Seconds that cancelling may take before the call is abandoned."""

_T = TypeVar("_T")


class _ResolverLoop(asyncio.SelectorEventLoop):
    async def getaddrinfo(self, *args: Any, **kwargs: Any) -> Any:
        """Resolve names in a daemon thread, which does not keep the program from exiting."""
        future: asyncio.Future[Any] = self.create_future()

        def settle(result: Any) -> None:
            if not future.done():
                future.set_exception(result) if isinstance(result, Exception) else future.set_result(result)

        def look_up() -> None:
            try:
                result: Any = socket.getaddrinfo(*args, **kwargs)
            except (OSError, UnicodeError) as error:
                result = error
            with suppress(RuntimeError):  # the loop was closed in the meantime
                self.call_soon_threadsafe(settle, result)

        threading.Thread(target=look_up, daemon=True).start()
        return await future


class Loop:
    """An event loop that runs in its own thread."""

    def __init__(self) -> None:
        self._loop = _ResolverLoop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="hookline-http", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, _T], limit: float) -> _T:
        """Return the result of *work*; raise `TimeoutError` after *limit* seconds."""
        future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, limit), self._loop)
        try:
            return future.result(limit + GRACE_SECONDS)
        finally:
            future.cancel()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class HttpReply(Struct, frozen=True, kw_only=True):
    """A server's reply; its body has at most one byte more than allowed."""

    status: int
    body: bytes = b""


class Client:
    """Connections to servers that stay open between calls."""

    def __init__(self, env: Mapping[str, str], *, secure: bool) -> None:
        self._loop = Loop()
        # No proxies or passwords from the environment: only the hook's entry decides.
        verify = make_tls_context(env) if secure else False
        self._client = httpx.AsyncClient(timeout=None, trust_env=False, verify=verify)  # noqa: S113 -- `run` limits

    def post(self, url: str, headers: Mapping[str, str], body: bytes, limit: float) -> HttpReply:
        """Post *body* and return the reply; raise `HookFailed`, or `TimeoutError` after *limit* seconds."""
        try:
            return self._loop.run(self._post(url, headers, body), limit)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise HookFailed(f"could not be reached: {str(error) or type(error).__name__}") from None

    async def _post(self, url: str, headers: Mapping[str, str], body: bytes) -> HttpReply:
        opened: list[Any] = []

        async def trace(step: str, info: Mapping[str, Any]) -> None:
            if step == "connection.connect_tcp.complete":
                opened.append(info["return_value"])

        try:
            return await self._exchange(url, headers, body, {"trace": trace})
        except asyncio.CancelledError:
            for connection in opened:  # httpcore 1.0 leaves it open if cancelled during the TLS handshake
                await connection.aclose()
            raise

    async def _exchange(
        self, url: str, headers: Mapping[str, str], body: bytes, extensions: dict[str, Any]
    ) -> HttpReply:
        request = self._client.stream("POST", url, headers=headers, content=body, extensions=extensions)
        async with request as response:
            succeeded = response.is_success
            return HttpReply(
                status=response.status_code, body=await _read_body(response) if succeeded else b""
            )

    def close(self) -> None:
        self._loop.run(self._client.aclose(), 1.0)
        self._loop.close()


async def _read_body(response: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_raw():  # raw: a small body cannot decompress into a huge one
        body += chunk
        if len(body) > MAX_OUTPUT_BYTES:
            break
    return bytes(body[: MAX_OUTPUT_BYTES + 1])
