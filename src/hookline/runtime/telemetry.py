"""Reports of outcomes to the sinks: written directly if that is quick, else sent by another process.

Queueing and sending are separate, so that a daemon can send by itself: it passes a `start` function that
wakes its sender, and calls `send`.
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
from hookline.budget.ledger import USAGE_NOTE
from hookline.core.events import SessionEnd
from hookline.core.frozen import thaw
from hookline.core.metrics import TOKENS, History
from hookline.core.outcome import Outcome
from hookline.core.report import build_report, from_json, to_json
from hookline.core.sink import ConfiguredSink, Report, Sink, SinkFailed
from hookline.core.spans import SessionPosition, identify_call, locate_event
from hookline.core.state import TEST_SESSION_PREFIX
from hookline.core.store import Store, StoreFailed
from hookline.core.usage import sum_tokens, tally_from_json
from hookline.core.values import replace
from hookline.redact import redact
from hookline.system import outbox
from hookline.system.paths import Places
from hookline.system.process import detached

BATCH = 500
"""Reports that are sent together."""
RETRY_SECONDS = 30.0
"""Seconds after a failure until the next attempt."""
LINGER_SECONDS = 2.0
"""Seconds that an exporter waits for more reports, because starting one costs more than waiting."""
POLL_SECONDS = 0.1
MAX_SECONDS = 600
"""Seconds after which an exporter ends, even if a sink hangs."""
_MAIN = "from hookline.runtime.telemetry import main; main()"
StartExport = Callable[[ConfiguredSink, str], None]


class SinkStatus(Struct, frozen=True, kw_only=True):
    """The status of a sink, for the user."""

    name: str
    waiting: int
    dropped: int
    failed: str
    at: float

    def __str__(self) -> str:
        parts = {f"{self.waiting} waiting": self.waiting, f"{self.dropped} dropped": self.dropped}
        parts[f"the last export failed: {self.failed}"] = len(self.failed)
        return ", ".join(text for text, present in parts.items() if present) or "well"


def sink_folder(places: Places, choice: ConfiguredSink) -> str:
    """Return the folder of a sink; a sink that a project configured has one for that project."""
    suffix = "" if choice.own else "-" + hashlib.sha256(places.root.encode()).hexdigest()[:12]
    return os.path.join(places.state, "telemetry", choice.name + suffix)


def sink_statuses(places: Places, choices: Sequence[ConfiguredSink]) -> Iterator[SinkStatus]:
    """Yield the status of each sink."""
    for choice in choices:
        folder_path = sink_folder(places, choice)
        state = outbox.read_state(folder_path)
        yield SinkStatus(
            name=choice.name,
            waiting=outbox.count_waiting(folder_path),
            dropped=outbox.count_dropped(folder_path),
            failed=state.failed,
            at=state.at,
        )


def report_outcomes(
    choices: Sequence[ConfiguredSink],
    outcomes: Sequence[Outcome],
    store: Store,
    places: Places,
    start: StartExport | None = None,
) -> tuple[str, ...]:
    """Report *outcomes* to every sink; return each problem once per session."""
    enabled = [choice for choice in choices if choice.enabled]
    reported = [outcome for outcome in outcomes if not outcome.event.session.startswith(TEST_SESSION_PREFIX)]
    reports = _build_reports(enabled, reported, store) if enabled else []
    troubles = []
    for choice in enabled if reports else ():
        own_reports = (
            reports if choice.settings["content"] else [replace(report, content={}) for report in reports]
        )
        trouble = _report_to(choice, own_reports, sink_folder(places, choice), start or (lambda *_: None))
        session = reports[0].session
        if trouble and store.count(session, f"telemetry:told:{choice.name}") == 1:
            troubles.append(f"sink {choice.name!r} failed: {trouble}")
    return tuple(troubles)


def _build_reports(
    choices: Sequence[ConfiguredSink], outcomes: Sequence[Outcome], store: Store
) -> list[Report]:
    content = any(choice.settings["content"] for choice in choices)
    return [
        build_report(uuid.uuid4().hex, outcome, _locate(store, outcome), content=content)
        for outcome in outcomes
    ]


def _locate(store: Store, outcome: Outcome) -> SessionPosition:
    """Return the position of an outcome in its session; without the store, only the event itself is known."""
    try:
        position = locate_event(store, outcome)
        return _with_tokens(store, outcome, position) if isinstance(outcome.event, SessionEnd) else position
    except (StoreFailed, OSError):
        return SessionPosition(run=0, turn=0, call=identify_call(outcome.event), past=History(counters={}))


def _with_tokens(store: Store, outcome: Outcome, position: SessionPosition) -> SessionPosition:
    """Return the position at a session's end with the tokens that its transcript reported, if it did."""
    saved = store.notes(outcome.event.session).get(USAGE_NOTE)
    spent = sum_tokens(tally_from_json(saved.get("tally") if isinstance(saved, Mapping) else None))
    if not any(spent):
        return position
    counts = {TOKENS["input"]: spent.total - spent.output, TOKENS["output"]: spent.output}
    return replace(position, past=replace(position.past, counters={**position.past.counters, **counts}))


def _report_to(choice: ConfiguredSink, reports: Sequence[Report], place: str, start: StartExport) -> str:
    """Report to one sink; return the problem, or an empty text."""
    try:
        if sinks.allows_direct_writes(choice.name):
            return _write_directly(choice, reports, place)
        dropped = outbox.put(place, [to_json(report) for report in reports])
        last = outbox.read_state(place)
        waits = last.at <= time.time() < last.again  # not if the clock was set back since
        if not waits and not outbox.is_exporting(place):
            start(choice, place)
    except OSError as error:
        return _describe_error(error)
    return f"{outbox.MAX_BYTES:,} bytes are already waiting, so this report was dropped" if dropped else ""


def _write_directly(choice: ConfiguredSink, reports: Sequence[Report], place: str) -> str:
    try:
        with closing(open_sink(choice, place)) as sink:
            sink.export(reports)
    except (SinkFailed, OSError) as error:
        reason = _describe_error(error)
        with suppress(OSError):
            outbox.drop(place, len(reports))
            outbox.write_state(place, outbox.OutboxState(failed=reason, at=time.time()))
        return reason
    if outbox.read_state(place).failed:
        outbox.write_state(place, outbox.OutboxState())
    return ""


def open_sink(choice: ConfiguredSink, place: str) -> Sink:
    return sinks.load(choice.name)(place, **choice.settings)


def process_starter(env: Mapping[str, str]) -> StartExport:
    """Return the function that starts a process to send the queued reports."""

    def start(choice: ConfiguredSink, place: str) -> None:
        message = {"name": choice.name, "settings": thaw(choice.settings), "place": place}
        argv = [sys.executable, "-P", "-c", _MAIN]
        detached.start(argv, stdin=json.dumps(message).encode(), env=detached.environment(env))

    return start


def main() -> None:
    """Send the queued reports of the sink that stdin describes."""

    def leave(number: int, frame: "FrameType | None") -> None:
        os._exit(0)  # a thread of a library hangs, so a normal exit would wait for it

    signal.signal(signal.SIGALRM, leave)
    signal.alarm(MAX_SECONDS)
    message: dict[str, Any] = json.load(sys.stdin)
    choice = ConfiguredSink(name=message["name"], settings=message["settings"])
    send(choice, message["place"])
    os._exit(0)


def send(choice: ConfiguredSink, place: str, linger: float = LINGER_SECONDS) -> None:
    """Send the queued reports at *place* until no more arrive, unless another process is sending."""
    while _send_as_leader(choice, place, linger) and outbox.count_waiting(place):
        pass  # a report arrived while the lead was released, so no other process sends it


def _send_as_leader(choice: ConfiguredSink, place: str, linger: float) -> bool:
    """Send while holding the lead; return whether all reports were sent."""
    for _ in range(5):
        with outbox.lead(place) as mine:
            if mine:
                return _send_until_idle(choice, place, linger)
        time.sleep(POLL_SECONDS)  # another process holds the lead briefly to check for a sender
    return False


def _send_until_idle(choice: ConfiguredSink, place: str, linger: float) -> bool:
    try:
        with closing(open_sink(choice, place)) as sink:
            until = time.monotonic() + linger
            while True:
                if _send_round(sink, place):
                    until = time.monotonic() + linger
                elif time.monotonic() >= until:
                    return True
                else:
                    time.sleep(POLL_SECONDS)
    except (SinkFailed, OSError) as error:
        now = time.time()
        last = outbox.read_state(place)
        with suppress(OSError):
            outbox.write_state(
                place, replace(last, failed=_describe_error(error), at=now, again=now + RETRY_SECONDS)
            )
        return False


def _send_round(sink: Sink, place: str) -> int:
    """Send the reports that are queued now; return the number of lines."""
    count = 0
    with closing(outbox.take(place)) as taken:
        for file in taken:
            count += len(file.lines)
            while file.lines:
                _send_batch(sink, place, file)
    return count


def _send_batch(sink: Sink, place: str, file: outbox.LockedQueue) -> None:
    lines = file.lines[:BATCH]
    batch = [*_parse_lines(lines)]
    sink.export(batch)
    file.keep(file.lines[BATCH:])
    if len(batch) < len(lines):
        outbox.drop(place, len(lines) - len(batch))
    outbox.write_state(
        place, outbox.OutboxState(sent=outbox.read_state(place).sent + len(batch), at=time.time())
    )


def _parse_lines(lines: Sequence[bytes]) -> Iterator[Report]:
    for line in lines:
        with suppress(ValueError):
            yield from_json(line)


def _describe_error(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    file = f" ({error.filename})" if isinstance(error, OSError) and error.filename else ""
    return redact(f"{text}{file}")[:500]
