"""The processes of agents, which must not ask the daemon to sign a grant."""

import socket
import time

from hookline.runtime.find_agent import find_agent_above, list_ancestors
from hookline.system.process import identity
from hookline.system.session_record import CallingSession

RECORD_EVERY = 10.0
"""Seconds until the process of a session is recorded again: a resumed session has another one."""
MAX_PROCESSES = 1_024
_PARENT, _TERMINAL = 1, 4
"""Places of the parent and of the controlling terminal in `identity.read_stat`."""


class AgentProcesses:
    """The hosts whose hooks this daemon has answered."""

    def __init__(self) -> None:
        self._recorded: dict[str, float] = {}
        self._processes: dict[str, None] = {}

    def record(self, session: CallingSession) -> None:
        """Record the process that called a hook of *session*, unless that was done a moment ago."""
        now = time.monotonic()
        if now - self._recorded.get(session.id, -RECORD_EVERY) < RECORD_EVERY:
            return
        self._recorded[session.id] = now
        starter = identity.find_starter(session.process)
        if starter and not _is_typed(session.process, starter):
            self._processes[starter] = None
        for entries in (self._recorded, self._processes):
            while len(entries) > MAX_PROCESSES:
                entries.pop(next(iter(entries)))

    def explain_refusal(self, process: int) -> str:
        """Return why *process* must not have a grant signed; empty if no reason is known."""
        if not hasattr(socket, "SO_PEERCRED"):
            return ""  # this platform does not tell who asks
        fields = identity.read_stat(process)[1] if process else []
        if not fields:
            return "the daemon cannot see the process that asks, as in a container"
        host = find_agent_above(process)
        if host or any(identity.name_process(pid) in self._processes for pid in list_ancestors(process)):
            return f"not allowed inside {host or 'an agent'}; run this command in your own terminal"
        return "" if int(fields[_TERMINAL]) else "this requires an interactive terminal"


def _is_typed(process: int, starter: str) -> bool:
    """Return whether a person called the hook in a terminal, which *starter* then provides."""
    terminal = identity.read_stat(process)[1][_TERMINAL:][:1]
    return terminal not in ([b"0"], identity.read_stat(int(starter.split(":")[1]))[1][_TERMINAL:][:1])
