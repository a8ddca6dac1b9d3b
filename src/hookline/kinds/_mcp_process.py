"""Process of an MCP server that the SDK starts, tracked so that it can be ended with all of its children.

The SDK waits four seconds for a server that does not exit, does not expose its process id, and does not end
children that moved to another session. So a shell first prints its process id and then becomes the server,
and every child inherits a mark in its environment.
"""

import asyncio
import json
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

SHELL = ("/bin/sh", "-c", 'echo "$$" >&2; exec "$@"', "sh")
_MARK_VARIABLE = "HOOKLINE_SERVER"
_MAX_TAIL_BYTES = 2048
_KILL_ROUNDS = 20  # each round finds the processes that were started during the one before


class Server(Struct, frozen=True, kw_only=True):
    """A server as declared, with its environment."""

    name: str
    spec: Mapping[str, Any]
    root: str
    env: Mapping[str, str]

    @property
    def key(self) -> str:
        """Return the identity of the server; servers with the same key share a session."""
        return json.dumps([self.name, self.root, self.spec], sort_keys=True)


class Process:
    """A server's process: its id once it is known, and the end of its stderr."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str]) -> None:
        token = os.urandom(8).hex()
        self.argv = [*SHELL, *argv]
        self.env = {**env, _MARK_VARIABLE: token}
        self._mark = f"\0{_MARK_VARIABLE}={token}\0".encode()
        self._output = bytearray()
        self._pid = 0
        self._loop = asyncio.get_running_loop()
        self._read_end, write_end = os.pipe()
        self.stderr = os.fdopen(write_end, "w")
        os.set_blocking(self._read_end, False)
        self._loop.add_reader(self._read_end, self._read_output)

    @property
    def tail(self) -> str:
        return self._output.decode("utf-8", "replace").strip()

    def end(self) -> None:
        """Kill the server and all processes that it started."""
        self._read_output()
        for _ in range(_KILL_ROUNDS):
            pids = list(_find_marked(self._mark))
            if self._pid and _is_own_child(self._pid):
                _kill(-self._pid)
            for pid in pids:
                _kill(pid)
            if not pids:
                return

    def close(self) -> None:
        self.end()
        self._loop.remove_reader(self._read_end)
        os.close(self._read_end)
        self.stderr.close()

    def _read_output(self) -> None:
        with suppress(BlockingIOError):
            self._output += os.read(self._read_end, 64 * 1024)
        first_line, newline, rest = self._output.partition(b"\n")
        if not self._pid and newline:
            self._pid = int(first_line)
            self._output = rest
        del self._output[:-_MAX_TAIL_BYTES]


def _is_own_child(pid: int) -> bool:
    """Return whether *pid* is still our child; after a wait the id may belong to another process."""
    try:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _find_marked(mark: bytes) -> Iterator[int]:
    """Yield the ids of processes with *mark* in their environment; requires /proc."""
    with suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdecimal() and mark in b"\0" + _read_environment(name):
                yield int(name)


def _read_environment(pid: str) -> bytes:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read()
    except OSError:
        return b""


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)
