"""The calls that wait in the daemon for a person; none of them holds a thread."""

import json
import threading
import time
from collections.abc import Callable

from msgspec import Struct, ValidationError, convert, to_builtins

from hookline.core.approval import Decision, Question
from hookline.daemon import messages
from hookline.daemon.sockets import Connection
from hookline.runtime.answer import Answer
from hookline.system import notify_desktop
from hookline.system.process import identity

CHECK_SECONDS = 0.5
"""Seconds between two checks whether a waiting client has left, or its time is over."""
MAX_WAITING = 256
"""Calls that wait at the same time; further ones are answered at once."""
UNKNOWN = "no call waits for this decision: it was answered, its time is over, or its agent has ended"


class Parked(Struct, frozen=True, kw_only=True):
    """A call that waits, with its connection."""

    question: Question
    line: Connection
    ends: float
    """The end of its time, by `identity.now`."""
    finish: Callable[[Decision | None], None]
    """Sends the reply; None if nobody decided."""


class WaitingCalls:
    """The waiting calls; a thread ends those whose time is over or whose client has left."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: dict[str, Parked] = {}
        self._watcher: threading.Thread | None = None

    def __len__(self) -> int:
        return len(self._calls)

    def park(self, result: Answer, line: Connection, finish: Callable[[Decision | None], None]) -> bool:
        """Let a call wait; return False if too many calls wait already."""
        waiting = result.waiting
        if waiting is None or len(self._calls) >= MAX_WAITING:
            return False
        question = waiting.question
        seconds = question.until - question.at
        line.answer_within(identity.now() - line.since + seconds)
        parked = Parked(question=question, line=line, ends=identity.now() + seconds, finish=finish)
        with self._lock:
            self._calls[question.id] = parked
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="waiting calls", daemon=True)
                self._watcher.start()
        notify_desktop.show(f"{question.host} waits for you", question.summary, waiting.runtime.setup.env)
        return True

    def lines(self) -> tuple[Connection, ...]:
        return tuple(parked.line for parked in list(self._calls.values()))

    def end_all(self) -> None:
        """Answer all waiting calls as without a person."""
        for name in list(self._calls):
            self._take(name, None)

    def answer_request(self, verb: str, payload: bytes, refusal: Callable[[], str]) -> bytes:
        """Return the reply to `questions` or `decide`; *refusal* returns why nobody may decide, or ""."""
        if verb == "questions":
            questions = [to_builtins(parked.question) for parked in list(self._calls.values())]
            return messages.encode_reply(0, json.dumps(questions).encode())
        try:
            decision = convert(json.loads(payload), Decision)
        except (ValueError, ValidationError) as error:
            return messages.encode_reply(1, stderr=f"invalid decision: {error}".encode())
        reason = refusal() or ("" if self._take(decision.id, decision) else UNKNOWN)
        return messages.encode_reply(1 if reason else 0, stderr=reason.encode())

    def _take(self, name: str, decision: Decision | None) -> bool:
        with self._lock:
            parked = self._calls.pop(name, None)
        if parked is not None:
            parked.finish(decision)
        return parked is not None

    def _watch(self) -> None:
        while True:
            time.sleep(CHECK_SECONDS)
            for name, parked in list(self._calls.items()):
                if parked.line.client_left() or identity.now() >= parked.ends:
                    self._take(name, None)
            with self._lock:
                if not self._calls:
                    self._watcher = None
                    return
