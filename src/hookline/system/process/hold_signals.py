"""Signals that wait until a process that is being started is in hand: else nobody would end it."""

import os
import signal
import threading
from types import TracebackType
from typing import Any, Self

_NUMBERS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Held:
    """From entering to `release`, what asks this program to leave is noted; then it is heard."""

    def __init__(self) -> None:
        self._usual: dict[int, Any] = {}
        self._came: list[int] = []

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            callables = [one for one in _NUMBERS if callable(signal.getsignal(one))]
            self._usual = {one: signal.signal(one, self._note) for one in callables}
        return self

    def _note(self, number: int, frame: object) -> None:
        self._came.append(number)

    def release(self) -> None:
        """Hear signals again, and those that came in the meantime first."""
        usual, self._usual = self._usual, {}
        came, self._came = self._came, []
        for number, handler in usual.items():
            signal.signal(number, handler)
        for number in came:
            os.kill(os.getpid(), number)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
