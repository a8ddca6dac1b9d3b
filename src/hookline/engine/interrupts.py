"""Ctrl-C: the first lets the experiment finish, the second ends it; both leave a journal that is right."""

import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, Self

_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """While it is entered, `asked` says whether the run should end after the experiment."""

    def __init__(self, said: Callable[[], None] = lambda: None) -> None:
        self.asked, self._said = False, said
        self._usual: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._usual = {number: signal.signal(number, self._heard) for number in _NUMBERS}
        return self

    def _heard(self, number: int, frame: FrameType | None) -> None:
        """Whoever says anything but Ctrl-C will not wait for an experiment."""
        if not self.asked and number == signal.SIGINT:
            self.asked = True
            with suppress(RuntimeError):  # it came in the midst of a line that is written
                self._said()
            return
        for one in self._usual:  # once is enough: what is being ended now must be ended whole
            signal.signal(one, signal.SIG_IGN)
        raise KeyboardInterrupt

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._usual.items():
            signal.signal(number, handler)
