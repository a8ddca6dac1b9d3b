"""Signal handling of a run: the first Ctrl-C lets the experiment finish, the second ends it now.

The journal is correct after either.
"""

import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """Context manager that sets `stop_requested` at the first Ctrl-C."""

    def __init__(self, on_request: Callable[[], None] = lambda: None) -> None:
        self.stop_requested, self._on_request = False, on_request
        self._previous_handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._previous_handlers = {number: signal.signal(number, self._on_signal) for number in _SIGNALS}
        return self

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        """Request a stop at the first Ctrl-C; end at once on the second, or on any other signal."""
        if not self.stop_requested and number == signal.SIGINT:
            self.stop_requested = True
            with suppress(RuntimeError):  # the signal interrupted a write to the terminal
                self._on_request()
            return
        # Ignore further signals, so that nothing interrupts the cleanup.
        for signal_number in self._previous_handlers:
            signal.signal(signal_number, signal.SIG_IGN)
        raise KeyboardInterrupt

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._previous_handlers.items():
            signal.signal(number, handler)
