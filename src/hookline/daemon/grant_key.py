"""The key with which the daemon signs and verifies grants, and its answers to requests about grants.

The processes of agents are recorded, because they must not ask the daemon to sign a grant.
"""

import hmac
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping

from msgspec import to_builtins

from hookline.core.values import replace
from hookline.daemon import messages
from hookline.policy import grants
from hookline.policy.grants import Grant, parse_grants
from hookline.runtime.find_agent import find_agent_above, list_ancestors
from hookline.system.process import identity
from hookline.system.session_record import CallingSession

KEY_BYTES = 32


class GrantKey:
    """A random key in the memory of this process; it is never written or sent."""

    def __init__(self) -> None:
        self._key = os.urandom(KEY_BYTES)
        self._lock = threading.Lock()
        self._spent: set[str] = set()
        """Ids of used and revoked grants, because their signatures stay valid."""
        self.last_end = 0.0
        """The time, by `identity.now`, at which the last grant ends."""

    def sign(self, grant: Grant) -> Grant:
        """Return *grant* with its signature; raise `ValueError` if it would be valid for too long."""
        if not (grant.is_active(0.0) and grant.ends <= identity.now() + grants.MAX_SECONDS):
            raise ValueError(f"a grant is valid for at most {grants.MAX_SECONDS} seconds")
        self.last_end = max(self.last_end, grant.ends)
        return replace(grant, signature=self._compute(grant))

    def check(self, grant: Grant) -> str:
        """Return why *grant* does not count; empty if it does."""
        if not grant.signature or not grant.kind:
            return grants.UNSIGNED
        if not hmac.compare_digest(grant.signature.encode(), self._compute(grant).encode()):
            return grants.ENDED
        return grants.USED if grant.id in self._spent else ""

    def spend(self, grant: Grant) -> bool:
        """Use *grant* up; return False if it does not count, or another call used it before."""
        with self._lock:
            counts = not self.check(grant)
            if counts:
                self._spent.add(grant.id)
        return counts

    def _compute(self, grant: Grant) -> str:
        return hmac.digest(self._key, grant.signed_text(), "sha256").hex()


def answer_request(key: GrantKey, verb: str, payload: bytes, refusal: Callable[[], str] = str) -> bytes:
    """Return the reply to a request about grants; *refusal* returns why it is refused, or ""."""
    try:
        entries = parse_grants(payload)
        if reason := refusal():
            return messages.encode_reply(1, stderr=reason.encode())
        answers = [_ANSWERS[verb](key, entry) for entry in entries]
        return messages.encode_reply(0, json.dumps(answers).encode())
    except ValueError as error:
        return messages.encode_reply(1, stderr=str(error).encode())


_ANSWERS: Mapping[str, Callable[[GrantKey, Grant], object]] = {
    "sign": lambda key, grant: to_builtins(key.sign(grant)),
    "check": GrantKey.check,
    "revoke": GrantKey.spend,
}


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
