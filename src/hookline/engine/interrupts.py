"""Signal handling of a run: the first Ctrl-C lets the experiment finish, the second ends it now.

The journal is correct after either. A closed terminal does not end a run.
"""

import os
import signal
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_STREAMS = (0, 1, 2)


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
        """Request a stop at the first Ctrl-C; end at once on the second, or on SIGTERM."""
        if number == signal.SIGHUP:
            _leave_terminal()
            return
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


def _leave_terminal() -> None:
    """Replace streams of the closed terminal, so that writing to them is not an error."""
    none = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for stream in _STREAMS:
        with suppress(OSError):
            if stat.S_ISCHR(os.fstat(stream).st_mode):
                os.dup2(none, stream)
    os.close(none)
