"""Tell the sinks what happened: at once where that is quick, else by a queue that another process sends.

Queueing and sending are apart, so that whoever lives longer than one call can send by itself: it gives a
`start` that wakes it, and calls `send`.
"""

import hashlib
import json
import os
import signal
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from types import FrameType
from typing import Any

from msgspec import Struct

from hookline import sinks
from hookline.core.frozen import thawed
from hookline.core.metrics import Past
from hookline.core.outcome import Outcome
from hookline.core.report import from_json, report, to_json
from hookline.core.sink import Choice, Report, Sink, SinkFailed
from hookline.core.spans import Where, call_of, where
from hookline.core.state import TRIAL
from hookline.core.store import Store, StoreFailed
from hookline.core.values import replace
from hookline.redact import redact
from hookline.system import outbox
from hookline.system.paths import Places
from hookline.system.process import detached

BATCH = 500
"""Reports that are sent together."""
AGAIN = 30.0
"""Seconds after a failure in which nobody tries again."""
LINGER = 2.0
"""Seconds that an exporter waits for more, because starting one costs more than waiting."""
LOOK = 0.1
LONGEST = 600
"""Seconds after which an exporter ends, whatever hangs."""
_MAIN = "from hookline.runtime.telemetry import main; main()"
Start = Callable[[Choice, str], None]


class Standing(Struct, frozen=True, kw_only=True):
    """How a sink is doing, for a person."""

    name: str
    waiting: int
    dropped: int
    failed: str
    at: float

    def __str__(self) -> str:
        parts = {f"{self.waiting} waiting": self.waiting, f"{self.dropped} dropped": self.dropped}
        parts[f"the last export failed: {self.failed}"] = len(self.failed)
        return ", ".join(text for text, there in parts.items() if there) or "well"


def folder(places: Places, choice: Choice) -> str:
    """Where a sink keeps things; apart for a project that had a say in where they go."""
    which = "" if choice.own else "-" + hashlib.sha256(places.root.encode()).hexdigest()[:12]
    return os.path.join(places.state, "telemetry", choice.name + which)


def standing(places: Places, choices: Sequence[Choice]) -> Iterator[Standing]:
    """How each sink is doing."""
    for choice in choices:
        place = folder(places, choice)
        last = outbox.state(place)
        yield Standing(
            name=choice.name,
            waiting=outbox.waiting(place),
            dropped=outbox.dropped(place),
            failed=last.failed,
            at=last.at,
        )


def tell(
    choices: Sequence[Choice],
    outcomes: Sequence[Outcome],
    store: Store,
    places: Places,
    start: Start | None = None,
) -> tuple[str, ...]:
    """Tell every sink; what went wrong in sentences, each once a session. Uses the store."""
    on = [choice for choice in choices if choice.enabled]
    real = [one for one in outcomes if not one.event.session.startswith(TRIAL)]
    told = _reports(on, real, store) if on else []
    troubles = []
    for choice in on if told else ():
        mine = told if choice.settings["content"] else [replace(one, content={}) for one in told]
        trouble = _told(choice, mine, folder(places, choice), start or (lambda *_: None))
        session = told[0].session
        if trouble and store.count(session, f"telemetry:told:{choice.name}") == 1:
            troubles.append(f"sink {choice.name!r} could not be told: {trouble}")
    return tuple(troubles)


def _reports(on: Sequence[Choice], outcomes: Sequence[Outcome], store: Store) -> list[Report]:
    content = any(choice.settings["content"] for choice in on)
    return [report(uuid.uuid4().hex, one, _where(store, one), content=content) for one in outcomes]


def _where(store: Store, outcome: Outcome) -> Where:
    """Where it is; of a store that cannot be used nothing is known but the event itself."""
    try:
        return where(store, outcome)
    except (StoreFailed, OSError):
        return Where(run=0, turn=0, call=call_of(outcome.event), past=Past(counters={}))


def _told(choice: Choice, reports: Sequence[Report], place: str, start: Start) -> str:
    """What went wrong, or nothing."""
    try:
        if sinks.near(choice.name):
            return _written(choice, reports, place)
        lost = outbox.put(place, [to_json(one) for one in reports])
        if time.time() >= outbox.state(place).again and not outbox.led(place):
            start(choice, place)
    except OSError as error:
        return _why(error)
    return f"{outbox.MOST:,} bytes wait already, so this was dropped" if lost else ""


def _written(choice: Choice, reports: Sequence[Report], place: str) -> str:
    try:
        with closing(opened(choice, place)) as sink:
            sink.export(reports)
    except (SinkFailed, OSError) as error:
        why = _why(error)
        with suppress(OSError):
            outbox.drop(place, len(reports))
            outbox.note(place, outbox.State(failed=why, at=time.time()))
        return why
    if outbox.state(place).failed:
        outbox.note(place, outbox.State())
    return ""


def opened(choice: Choice, place: str) -> Sink:
    return sinks.load(choice.name)(place, **choice.settings)


def exporter(env: Mapping[str, str]) -> Start:
    """What starts a process that sends what waits, and ends."""

    def start(choice: Choice, place: str) -> None:
        what = {"name": choice.name, "settings": thawed(choice.settings), "place": place}
        argv = [sys.executable, "-P", "-c", _MAIN]
        detached.start(argv, stdin=json.dumps(what).encode(), env=detached.environment(env))

    return start


def main() -> None:
    """Send what waits; what to send where is told on stdin."""

    def leave(number: int, frame: "FrameType | None") -> None:
        os._exit(0)  # whatever hangs, hangs in a library's thread

    signal.signal(signal.SIGALRM, leave)
    signal.alarm(LONGEST)
    what: dict[str, Any] = json.load(sys.stdin)
    choice = Choice(name=what["name"], settings=what["settings"])
    send(choice, what["place"])
    os._exit(0)


def send(choice: Choice, place: str, linger: float = LINGER) -> None:
    """Send what waits at *place*, until nothing more comes; unless another does already."""
    while _lead(choice, place, linger) and outbox.waiting(place):
        pass  # it came while the lead was given up, when nobody else would send it


def _lead(choice: Choice, place: str, linger: float) -> bool:
    """Send as the one that does; whether all was well."""
    for _ in range(5):
        with outbox.leading(place) as mine:
            if mine:
                return _send(choice, place, linger)
        time.sleep(LOOK)  # somebody only looked whether one is there
    return False


def _send(choice: Choice, place: str, linger: float) -> bool:
    try:
        with closing(opened(choice, place)) as sink:
            until = time.monotonic() + linger
            while True:
                if _sent(sink, place):
                    until = time.monotonic() + linger
                elif time.monotonic() >= until:
                    return True
                else:
                    time.sleep(LOOK)
    except (SinkFailed, OSError) as error:
        now = time.time()
        last = outbox.state(place)
        with suppress(OSError):
            outbox.note(place, replace(last, failed=_why(error), at=now, again=now + AGAIN))
        return False


def _sent(sink: Sink, place: str) -> int:
    """Send one round of what waits; how many lines that were."""
    count = 0
    with closing(outbox.take(place)) as taken:
        for file in taken:
            count += len(file.lines)
            while file.lines:
                _sent_batch(sink, place, file)
    return count


def _sent_batch(sink: Sink, place: str, file: outbox.Taken) -> None:
    lines = file.lines[:BATCH]
    batch = [*_parsed(lines)]
    sink.export(batch)
    file.keep(file.lines[BATCH:])
    if len(batch) < len(lines):
        outbox.drop(place, len(lines) - len(batch))
    outbox.note(place, outbox.State(sent=outbox.state(place).sent + len(batch), at=time.time()))


def _parsed(lines: Sequence[bytes]) -> Iterator[Report]:
    for line in lines:
        with suppress(ValueError):
            yield from_json(line)


def _why(error: Exception) -> str:
    told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    where_ = f" ({error.filename})" if isinstance(error, OSError) and error.filename else ""
    return redact(f"{told}{where_}")[:500]
