"""HTTP client that posts JSON over persistent connections, with strict limits on time and size."""

import asyncio
import socket
import ssl
import threading
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import Any, TypeVar

import httpx
from msgspec import Struct

from hookline.core.kind import KEEP, HookFailed

GRACE = 0.2
"""How long cancelling may take before a call is left to itself."""

_Result = TypeVar("_Result")


class _Resolving(asyncio.SelectorEventLoop):
    async def getaddrinfo(self, *args: Any, **kwargs: Any) -> Any:
        """As the usual one, but in a thread that does not keep the program from ending."""
        found: asyncio.Future[Any] = self.create_future()

        def settle(answer: Any) -> None:
            if not found.done():
                found.set_exception(answer) if isinstance(answer, Exception) else found.set_result(answer)

        def look_up() -> None:
            try:
                answer: Any = socket.getaddrinfo(*args, **kwargs)
            except (OSError, UnicodeError) as error:
                answer = error
            with suppress(RuntimeError):  # closed in the meantime: nobody waits any more
                self.call_soon_threadsafe(settle, answer)

        threading.Thread(target=look_up, daemon=True).start()
        return await found


class Loop:
    """A running event loop."""

    def __init__(self) -> None:
        self._loop = _Resolving()
        self._thread = threading.Thread(target=self._loop.run_forever, name="hookline-http", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, _Result], limit: float) -> _Result:
        """What *work* comes to, or `TimeoutError` after so many seconds."""
        future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, limit), self._loop)
        try:
            return future.result(limit + GRACE)
        finally:
            future.cancel()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class Answer(Struct, frozen=True, kw_only=True):
    """What a server answered; of a body, no more than one byte over what is allowed."""

    status: int
    body: bytes = b""


class Client:
    """Connections to servers, open between calls."""

    def __init__(self, *, secure: bool) -> None:
        self._loop = Loop()
        # Neither proxies nor passwords are taken from the environment: a hook gets what its entry says.
        verify = ssl.create_default_context() if secure else False
        self._client = httpx.AsyncClient(timeout=None, trust_env=False, verify=verify)  # noqa: S113 -- `run` limits

    def post(self, url: str, headers: Mapping[str, str], body: bytes, limit: float) -> Answer:
        """Post, and read a good answer's body; raises `HookFailed`, or `TimeoutError` when the time is up."""
        try:
            return self._loop.run(self._post(url, headers, body), limit)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise HookFailed(f"could not be asked: {str(error) or type(error).__name__}") from None

    async def _post(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        opened: list[Any] = []

        async def trace(step: str, info: Mapping[str, Any]) -> None:
            if step == "connection.connect_tcp.complete":
                opened.append(info["return_value"])

        try:
            return await self._exchange(url, headers, body, {"trace": trace})
        except asyncio.CancelledError:
            for connection in opened:  # httpcore 1.0 leaves it open if that comes while TLS is being set up
                await connection.aclose()
            raise

    async def _exchange(
        self, url: str, headers: Mapping[str, str], body: bytes, extensions: dict[str, Any]
    ) -> Answer:
        asking = self._client.stream("POST", url, headers=headers, content=body, extensions=extensions)
        async with asking as response:
            good = response.is_success
            return Answer(status=response.status_code, body=await _body(response) if good else b"")

    def close(self) -> None:
        self._loop.run(self._client.aclose(), 1.0)
        self._loop.close()


async def _body(response: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_raw():  # raw: a small answer cannot unpack into a huge one
        body += chunk
        if len(body) > KEEP:
            break
    return bytes(body[: KEEP + 1])
