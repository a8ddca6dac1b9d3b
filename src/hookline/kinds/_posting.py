"""Post JSON over a connection that is kept, within a time limit and a size limit that hold."""

import asyncio
import ssl
from collections.abc import Mapping
from typing import Any

import httpx
from msgspec import Struct

from hookline.kind import KEEP, HookFailed
from hookline.kinds._loop import Loop


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
