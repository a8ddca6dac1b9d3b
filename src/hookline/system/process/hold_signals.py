"""Signals deferred while a process is being started, so that the process is not left running."""

import os
import signal
import threading
from types import TracebackType
from typing import Any, Self

_NUMBERS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class DeferredSignals:
    """Defer the signals that end this program from entering until `release`."""

    def __init__(self) -> None:
        self._handlers: dict[int, Any] = {}
        self._received: list[int] = []

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            handled = [number for number in _NUMBERS if callable(signal.getsignal(number))]
            self._handlers = {number: signal.signal(number, self._defer) for number in handled}
        return self

    def _defer(self, number: int, frame: object) -> None:
        self._received.append(number)

    def release(self) -> None:
        """Restore the handlers, and deliver the signals that arrived meanwhile."""
        handlers, self._handlers = self._handlers, {}
        received, self._received = self._received, []
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in received:
            os.kill(os.getpid(), number)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
