"""The process of an MCP server that the SDK starts, watched so that all of it can be ended at any moment.

The SDK gives a server that does not end four seconds, tells nobody its process id, and leaves alone what has
moved to a session of its own. So the server is started by a shell that first says its id and then becomes
the server, and everything that it starts carries a mark in its environment.
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
_MARK = "HOOKLINE_SERVER"
_TAIL = 2048
_ROUNDS = 20  # of looking for what is left; each finds what was started during the last


class Server(Struct, frozen=True, kw_only=True):
    """A server as it was declared, and what it is started with."""

    name: str
    spec: Mapping[str, Any]
    root: str
    env: Mapping[str, str]

    @property
    def key(self) -> str:
        """Servers with the same key are one."""
        return json.dumps([self.name, self.root, self.spec], sort_keys=True)


class Process:
    """A server's process: its id once it has said it, and the end of what it printed to stderr."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str]) -> None:
        token = os.urandom(8).hex()
        self.argv = [*SHELL, *argv]
        self.env = {**env, _MARK: token}
        self._mark = f"\0{_MARK}={token}\0".encode()
        self._heard = bytearray()
        self._pid = 0
        self._loop = asyncio.get_running_loop()
        self._hear, say = os.pipe()
        self.stderr = os.fdopen(say, "w")
        os.set_blocking(self._hear, False)
        self._loop.add_reader(self._hear, self._listen)

    @property
    def tail(self) -> str:
        return self._heard.decode("utf-8", "replace").strip()

    def end(self) -> None:
        """End the server and all that it started."""
        self._listen()
        for _ in range(_ROUNDS):
            left = list(_bearing(self._mark))
            if self._pid and _is_ours(self._pid):
                _kill(-self._pid)
            for pid in left:
                _kill(pid)
            if not left:
                return

    def close(self) -> None:
        self.end()
        self._loop.remove_reader(self._hear)
        os.close(self._hear)
        self.stderr.close()

    def _listen(self) -> None:
        with suppress(BlockingIOError):
            self._heard += os.read(self._hear, 64 * 1024)
        said, newline, rest = self._heard.partition(b"\n")
        if not self._pid and newline:
            self._pid = int(said)
            self._heard = rest
        del self._heard[:-_TAIL]


def _is_ours(pid: int) -> bool:
    """Whether the id is still our child's: once somebody has waited for that, it may become anybody's."""
    try:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _bearing(mark: bytes) -> Iterator[int]:
    """The processes with that mark, where there is a /proc to find them."""
    with suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdecimal() and mark in b"\0" + _environment(name):
                yield int(name)


def _environment(pid: str) -> bytes:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read()
    except OSError:
        return b""


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)
