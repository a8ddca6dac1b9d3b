"""An event loop in a thread of its own, so that a call over the network ends when its time is up.

Only cancelling reaches a server that sends a byte now and then: each wait for it is short, all are endless.
"""

import asyncio
import socket
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

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
