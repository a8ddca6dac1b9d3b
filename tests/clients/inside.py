"""Run one client and the scripted model in a network namespace with only a loopback interface.

The input is JSON on stdin, and the result is JSON on stdout; `driver.py` is the caller.
"""

import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import model, script

GRACE = 1.0
GET_FLAGS, SET_FLAGS, UP = 0x8913, 0x8914, 0x1
BECOME_SUBREAPER = 36


def main() -> None:
    told = json.load(sys.stdin)
    bring_loopback_up()
    adopt_orphans()
    with model.serve(model.load(told["dialect"]), [script.parse(raw) for raw in told["replies"]]) as served:
        status = run(told)
        left = end_the_rest()
    json.dump({"exit": status, "left": left, "requests": served.requests}, sys.stdout)


def bring_loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = struct.pack("16sh14x", b"lo", 0)
        _, flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, GET_FLAGS, asked))
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh14x", b"lo", flags | UP))


def adopt_orphans() -> None:
    """Make orphaned processes of the client children of this process, so that they can be killed."""
    ctypes.CDLL(None, use_errno=True).prctl(BECOME_SUBREAPER, 1, 0, 0, 0)


def run(told: dict[str, Any]) -> int | None:
    """Run the client and return its exit code, or None if it had to be stopped."""
    # Files instead of pipes, because a leftover process would keep a pipe open.
    with Path(told["stdout"]).open("wb") as out, Path(told["stderr"]).open("wb") as err:
        client = subprocess.Popen(
            told["argv"],
            cwd=told["cwd"],
            env=told["env"],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            return hear(client, told["prompt"], told["timeout"])
        finally:
            with suppress(ProcessLookupError):
                os.killpg(client.pid, signal.SIGKILL)
            client.wait()


def hear(client: subprocess.Popen[bytes], prompt: str, timeout: float) -> int | None:
    with suppress(subprocess.TimeoutExpired):
        client.communicate(prompt.encode(), timeout=timeout)
        return client.returncode
    with suppress(subprocess.TimeoutExpired):
        client.terminate()
        client.wait(GRACE)
    return None


def end_the_rest() -> list[str]:
    """Kill the processes that the client left running, and return their command lines."""
    until = time.monotonic() + GRACE
    while any(running()) and time.monotonic() < until:
        time.sleep(0.1)
    left = []
    while pids := list(running()):
        for pid in pids:
            left.append(Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip())
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    return left


def running() -> Iterator[int]:
    """Yield the pids of running children, and reap the others."""
    for pid in map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()):
        if os.waitpid(pid, os.WNOHANG) == (0, 0):
            yield pid


if __name__ == "__main__":
    main()
