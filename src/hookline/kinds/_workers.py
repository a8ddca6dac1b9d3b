"""The warm processes in which a project's Python hooks run, and the one way to ask them something."""

import json
import sys
from collections.abc import Mapping
from itertools import count
from threading import Lock
from typing import Any

from hookline.core.kind import Child, HookFailed, Machine
from hookline.kinds._sources import Source
from hookline.redact import redact

PROGRAM = (sys.executable, "-P", "-u", "-B", "-m", "hookline.kinds._worker")
"""With -P, or a folder called `hookline` in the project would be run in its place."""
IDLE = 2
"""How many workers without work are kept for a project."""
_SHOWN = 500  # characters of what a worker printed before it died


class Pool:
    """The workers of one project that have nothing to do; each is lent to one call at a time."""

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
            kept = self._open and len(self._idle) < IDLE
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
    """The answer of a worker for the *source*; raises `TimeoutError`, or `HookFailed` if it died.

    The time in which a worker starts, and imports what it needs for the first time, counts.
    """
    until = machine.clock() + limit
    pool = machine.kept.of(("python", source.root, source.trusted is None), Pool)
    reply = _ask_one(pool, pool.take(), machine, source, request, until)
    if reply.get("stale"):
        reply = _ask_one(pool, None, machine, source, request, until)
    return reply


def _ask_one(
    pool: Pool,
    child: Child | None,
    machine: Machine,
    source: Source,
    request: Mapping[str, Any],
    until: float,
) -> Mapping[str, Any]:
    child = child or _started(machine, source)
    number = next(pool.ids)
    try:
        left = max(until - machine.clock(), 0.0)
        child.send(json.dumps({**request, "id": number, "limit": left}).encode())
        reply = _read(_line(child, machine, until), number)
    except BaseException:
        child.close()
        raise
    child.close() if reply.get("stale") else pool.give(child)
    return reply


def _started(machine: Machine, source: Source) -> Child:
    """A worker, which is first told what of the project it may run."""
    env = {name: value for name, value in machine.env.items() if name != "PYTHONPYCACHEPREFIX"}
    try:
        child = machine.start((*PROGRAM, source.root), cwd=source.root, env=env)
    except OSError as error:
        raise HookFailed(f"could not be run: {error}") from error
    child.send(json.dumps(None if source.trusted is None else dict(source.trusted)).encode())
    return child


def _line(child: Child, machine: Machine, until: float) -> bytes:
    line = child.receive(max(until - machine.clock(), 0.0))
    if line is not None:
        return line
    if child.alive and machine.clock() >= until:
        raise TimeoutError
    raise HookFailed(f"ended the process that it ran in{_last_words(child.tail)}")


def _last_words(tail: str) -> str:
    tail = redact(tail)
    crash = tail.rfind("Fatal Python error")
    shown = tail[crash : crash + _SHOWN] if crash >= 0 else tail[-_SHOWN:]
    return f"; the last that was printed there: {shown.strip()}" if shown.strip() else ""


def _read(line: bytes, number: int) -> Mapping[str, Any]:
    try:
        reply = json.loads(line)
    except ValueError:
        reply = None
    if not isinstance(reply, dict) or reply.get("id") != number:
        raise HookFailed(
            "wrote into the pipe that answers go through; it must not touch descriptors it did not open"
        )
    return reply
