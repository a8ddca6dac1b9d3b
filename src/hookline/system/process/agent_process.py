"""A headless agent process: its prompt on stdin, its output on ours, and an orderly end."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Self

from hookline.system.process import identity

GRACE_SECONDS = 10.0
"""Seconds between SIGINT, SIGTERM and SIGKILL; at SIGINT hosts fire their hooks for the session's end."""
POLL_SECONDS = 0.05
PLACEHOLDER = "{prompt}"


class Agent:
    """A headless agent in its own process group; must be closed."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.end()

    @property
    def mark(self) -> dict[str, str]:
        """Identity by which other processes can tell whether it still runs."""
        return identity.describe_process(self._process.pid)

    def wait(self, seconds: float) -> int | None:
        """Return its exit code; None if it still runs after *seconds*."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self, grace: float = GRACE_SECONDS) -> int:
        """End it, gently first, and the rest of its process group; return its exit code."""
        if self._process.poll() is not None:
            return self._process.wait()
        self._process.send_signal(signal.SIGINT)
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.wait(grace) is None:
                self._signal(number)
        code = self._process.wait()
        self._end_group(grace)
        return code

    def _end_group(self, grace: float) -> None:
        """End processes of its group that outlive it, as the agent does if we started only a wrapper."""
        deadline, left = time.monotonic() + grace, self._signal(signal.SIGTERM)
        while left and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
            left = self._signal(0)
        if left:
            self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> bool:
        """Signal its whole process group; return whether the group still exists."""
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):  # macOS raises the latter if only a zombie is left
            return False
        return True


def start(argv: Sequence[str], prompt: str, env: Mapping[str, str]) -> Agent:
    """Start an agent that reads *prompt* from stdin, or from the argument that contains `{prompt}`.

    Raise `OSError` if the program does not exist.
    """
    has_placeholder = any(PLACEHOLDER in word for word in argv)
    words = [word.replace(PLACEHOLDER, prompt) for word in argv]
    with tempfile.TemporaryFile() as stdin:
        stdin.write(b"" if has_placeholder else prompt.encode("utf-8", "replace"))
        stdin.seek(0)
        return Agent(subprocess.Popen(words, stdin=stdin, env=dict(env), start_new_session=True))
