"""Run an agent headless: its prompt on stdin, its output where ours goes, and an end that it hears coming."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Self

from hookline.system.process import identity

PATIENCE = 10.0
"""Seconds between SIGINT, at which hosts tidy up and tell that the session ended, SIGTERM and SIGKILL."""
LOOKS = 0.05
PLACE = "{prompt}"


class Agent:
    """A headless agent in a process group of its own; must be closed."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *why: object) -> None:
        self.end()

    @property
    def mark(self) -> dict[str, str]:
        """What tells others whether it is still there."""
        return identity.mark(self._process.pid)

    def wait(self, seconds: float) -> int | None:
        """Its exit code; None where it still runs after so many *seconds*."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self, patience: float = PATIENCE) -> int:
        """End it, gently first, and what it has left behind in its group; its exit code."""
        if self._process.poll() is not None:
            return self._process.wait()
        self._process.send_signal(signal.SIGINT)
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.wait(patience) is None:
                self._signal(number)
        code = self._process.wait()
        self._end_rest(patience)
        return code

    def _end_rest(self, patience: float) -> None:
        """End those of its group that outlive it: the agent itself, where what we started only ran that."""
        until, left = time.monotonic() + patience, self._signal(signal.SIGTERM)
        while left and time.monotonic() < until:
            time.sleep(LOOKS)
            left = self._signal(0)
        if left:
            self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> bool:
        """Tell its whole group; whether anybody is left of that."""
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):  # the latter where only a zombie is left, on macOS
            return False
        return True


def start(argv: Sequence[str], prompt: str, env: Mapping[str, str]) -> Agent:
    """Start an agent that reads *prompt* on stdin, or has it where its arguments say `{prompt}`.

    Raises `OSError` where there is no such program.
    """
    placed = [PLACE in one for one in argv]
    words = [one.replace(PLACE, prompt) for one in argv]
    with tempfile.TemporaryFile() as told:
        told.write(b"" if any(placed) else prompt.encode("utf-8", "replace"))
        told.seek(0)
        return Agent(subprocess.Popen(words, stdin=told, env=dict(env), start_new_session=True))
