"""Run one client beside the scripted model, inside a network namespace where only loopback can be had.

Reads what to run as JSON on stdin and prints what happened as JSON; `driver.py` is the other end.
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
    """Whatever the client leaves behind becomes our child, so that it can be seen and ended."""
    ctypes.CDLL(None, use_errno=True).prctl(BECOME_SUBREAPER, 1, 0, 0, 0)


def run(told: dict[str, Any]) -> int | None:
    """The client's exit status, or None when it had to be stopped."""
    # Files, not pipes: a process left behind would keep a pipe open for ever.
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
    """End what the client left running, and name it."""
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
    """Our children, the dead ones buried."""
    for pid in map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()):
        if os.waitpid(pid, os.WNOHANG) == (0, 0):
            yield pid


if __name__ == "__main__":
    main()
