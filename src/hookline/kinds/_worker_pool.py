"""Pool of idle worker processes for a project's Python hooks, and the function that sends them requests."""

import json
import sys
from collections.abc import Mapping
from itertools import count
from threading import Lock
from typing import Any

from hookline.core.kind import Child, HookFailed, Machine
from hookline.kinds._sources import Source
from hookline.redact import redact

PROGRAM = (sys.executable, "-P", "-u", "-B", "-m", "hookline.kinds._worker_main")
"""Command of a worker; without -P a folder named `hookline` in the project would be imported instead."""
MAX_IDLE = 2
"""Maximum number of idle workers per project."""
_MAX_TAIL_CHARS = 500  # characters of a dead worker's output


class Pool:
    """Idle workers of one project; each is lent to one call at a time."""

    def __init__(self) -> None:
        self._idle: list[Child] = []
        self._lock = Lock()
        self._open = True
        self.ids = count(1)

    def take(self) -> Child | None:
        while True:
            with self._lock:
                child = self._idle.pop() if self._idle else None
            if child is None or child.alive:
                return child
            child.close()

    def give(self, child: Child) -> None:
        with self._lock:
            kept = self._open and len(self._idle) < MAX_IDLE
            if kept:
                self._idle.append(child)
        if not kept:
            child.close()

    def close(self) -> None:
        with self._lock:
            self._open = False
            idle, self._idle = self._idle, []
        for child in idle:
            child.close()


def ask(machine: Machine, source: Source, request: Mapping[str, Any], limit: float) -> Mapping[str, Any]:
    """Return a worker's reply for *source*; raise `TimeoutError`, or `HookFailed` if the worker died.

    The limit includes the time to start a worker and to import its code.
    """
    deadline = machine.clock() + limit
    pool = machine.resources.obtain(("python", source.root, source.trusted is None), Pool)
    reply = _ask_worker(pool, pool.take(), machine, source, request, deadline)
    if reply.get("stale"):
        reply = _ask_worker(pool, None, machine, source, request, deadline)
    return reply


def _ask_worker(
    pool: Pool,
    child: Child | None,
    machine: Machine,
    source: Source,
    request: Mapping[str, Any],
    deadline: float,
) -> Mapping[str, Any]:
    child = child or _start_worker(machine, source)
    request_id = next(pool.ids)
    try:
        remaining = max(deadline - machine.clock(), 0.0)
        child.send(json.dumps({**request, "id": request_id, "limit": remaining}).encode())
        reply = _parse_reply(_receive_line(child, machine, deadline), request_id)
    except BaseException:
        child.close()
        raise
    child.close() if reply.get("stale") else pool.give(child)
    return reply


def _start_worker(machine: Machine, source: Source) -> Child:
    """Start a worker and send it the trusted files of the project."""
    env = {name: value for name, value in machine.env.items() if name != "PYTHONPYCACHEPREFIX"}
    try:
        child = machine.start((*PROGRAM, source.root), cwd=source.root, env=env)
    except OSError as error:
        raise HookFailed(f"could not be run: {error}") from error
    child.send(json.dumps(None if source.trusted is None else dict(source.trusted)).encode())
    return child


def _receive_line(child: Child, machine: Machine, deadline: float) -> bytes:
    line = child.receive(max(deadline - machine.clock(), 0.0))
    if line is not None:
        return line
    if child.alive and machine.clock() >= deadline:
        raise TimeoutError
    raise HookFailed(f"ended its worker process{_describe_tail(child.tail)}")


def _describe_tail(tail: str) -> str:
    tail = redact(tail)
    crash = tail.rfind("Fatal Python error")
    excerpt = tail[crash : crash + _MAX_TAIL_CHARS] if crash >= 0 else tail[-_MAX_TAIL_CHARS:]
    return f"; last output: {excerpt.strip()}" if excerpt.strip() else ""


def _parse_reply(line: bytes, request_id: int) -> Mapping[str, Any]:
    try:
        reply = json.loads(line)
    except ValueError:
        reply = None
    if not isinstance(reply, dict) or reply.get("id") != request_id:
        raise HookFailed("wrote into the reply pipe; a hook must not use descriptors that it did not open")
    return reply
