"""Start of a process in its own session, marked so that its descendants can be found.

Signals are deferred while a process is being started, so that the process is not left running.
"""

import errno
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from msgspec import Struct

from hookline.system.process.marks import Mark, add_mark, mark_children, mark_process

_REASONS = {
    errno.ENOENT: "no such program; check its path and the interpreter in its first line",
    errno.EACCES: "it is not executable; run chmod +x on it, or start it with its interpreter",
    errno.ENOEXEC: "it is not an executable format; add a first line such as #!/bin/sh",
    errno.E2BIG: "its arguments and environment are too long",
}


class NotStarted(OSError):
    """A process could not be started; the message says why, and what to do."""


class Process(Struct, frozen=True, kw_only=True):
    """A process that we started. Only `reap` waits for it, so that its process id is not reused before."""

    popen: subprocess.Popen[bytes]
    mark: Mark
    sole: bool = False
    """True if every other child of this program descends from this process while it runs."""

    @property
    def pid(self) -> int:
        return self.popen.pid

    @property
    def exited(self) -> bool:
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def reap(self) -> int | None:
        """Return the exit status; None if it still runs or its status was taken elsewhere."""
        status = None
        with suppress(ChildProcessError):
            pid, raw = os.waitpid(self.pid, os.WNOHANG)
            status = os.waitstatus_to_exitcode(raw) if pid else None
        self.popen.returncode = 0 if status is None else status  # so that `Popen` does not wait itself
        return status

    def close(self) -> None:
        """Close its pipes."""
        for pipe in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            if pipe:
                pipe.close()


def spawn(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    stdin: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
    pass_fds: Sequence[int] = (),
    sole: bool = False,
    mark: Mark | None = None,
) -> Process:
    if not argv:
        raise NotStarted("cannot start an empty command; name a program")
    mark = mark or Mark()
    try:
        with mark_children(mark):
            popen = subprocess.Popen(
                [_encode_argument(word) for word in argv],
                cwd=cwd,
                env=add_mark(env, mark),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                bufsize=0,
                pass_fds=pass_fds,
                start_new_session=True,
            )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise NotStarted(f"cannot start {argv[0]!r}: {_explain(error, cwd)}") from error
    mark_process(popen.pid, mark)
    return Process(popen=popen, mark=mark, sole=sole)


def _encode_argument(text: str) -> str | bytes:
    """Return *text*, encoded in UTF-8 if the locale cannot encode it."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape")
    return text


def _explain(error: Exception, cwd: str) -> str:
    if not isinstance(error, OSError):
        return str(error)
    if error.filename == cwd:
        return f"its folder {cwd!r} cannot be entered ({error.strerror}); check cwd"
    return _REASONS.get(error.errno or 0) or (error.strerror or str(error)).lower()


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
