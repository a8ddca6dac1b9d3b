"""Checks of the store and its spool: usability, size, and records that wait in the spool."""

import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from statistics import median
from typing import Any

from hookline.core import chain
from hookline.core.diagnosis import Finding, advise, attention, note
from hookline.core.outcome import FAILED_ACTIONS
from hookline.core.store import Query, Store, StoreFailed
from hookline.runtime import memory_helper, open_store
from hookline.runtime.setup import Setup
from hookline.system import spool, spool_files, webhook

RECENT_SECONDS = 86_400.0
"""Maximum age, in seconds, of a failure that is reported."""
MAX_RECORDS = 100_000
"""Records in which failed hooks are looked for, the newest."""
FAILURE_ADVICE = {webhook.RULE: "check its receiver", memory_helper.RULE: "run it by hand"}
"""Advice to the user for each rule under which failures are recorded."""


def describe_failures(store: Store) -> Iterator[str]:
    """Yield one sentence about the last failure of each kind."""
    now = time.time()
    for rule, advice in FAILURE_ADVICE.items():
        for _, last in store.records(Query(rule=rule, since=now - RECENT_SECONDS, last=1)):
            when = time.strftime("%H:%M", time.localtime(last.at))
            yield f"{last.summary} (last at {when}); {advice}; `hookline log --rule {rule}` lists them all"


def describe_failed_hooks(store: Store) -> Iterator[str]:
    """Yield one sentence about each hook and event at which it crashed or timed out, the latest last."""
    query = Query(since=time.time() - RECENT_SECONDS, last=MAX_RECORDS)
    failures: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for _, record in store.records(query):
        for step in filter(_is_failure, record.trail):
            entry = failures.setdefault((str(step.get("hook")), record.event), [])
            entry.append((record.at, str(step.get("note", ""))))
    for (hook, event), times in sorted(failures.items(), key=lambda item: max(item[1])):
        at, error = max(times)
        count = "once" if len(times) == 1 else f"{len(times):,} times"
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
        yield f"hook {hook!r} failed at {event} {count} in the last day, last at {when}: {error}"


def _is_failure(step: Mapping[str, Any]) -> bool:
    reason = str(step.get("reason", ""))
    return step.get("said") in FAILED_ACTIONS or chain.FAILURE_BLOCKS in reason


MIN_FREE_BYTES = 64 << 20
"""Bytes of free disk space below which the user is warned."""
MAX_AHEAD_SECONDS = 300.0
"""Maximum seconds that a timestamp may lie in the future; a larger value means a wrong clock."""
MAX_SPOOL_SECONDS = 60.0
"""Seconds after which records in the spool should have been moved into the store."""
SLOW_SECONDS = 0.05
"""Seconds of a write of one page to disk above which the disk is slow."""
SPEED_WRITES = 5
PROBE_NAME = "hookline-doctor"


def check_store(setup: Setup) -> Iterator[Finding]:
    """Report the state of the store, its disk and its spool."""
    place, default = open_store.store_address(setup), setup.places.store
    if place != default or os.path.lexists(default) or os.path.isfile(setup.places.state):
        yield from _check_opened(setup)
    yield from _check_disk(setup.places.state)
    yield from _check_speed(setup.places.state)
    yield from check_spool(setup.places.spool)


def _check_opened(setup: Setup) -> Iterator[Finding]:
    try:
        with closing(open_store.open_store(setup)) as store:
            for problem in filter(None, (store.problem, store.check())):
                yield attention("store.damaged", problem)
            yield from _check_records(setup, store)
            for text in describe_failures(store):
                yield attention("effect.failed", text)
            for text in describe_failed_hooks(store):
                yield attention("hook.failed", text)
            store.reset_counters(PROBE_NAME, PROBE_NAME)  # needs write access, and changes nothing
    except (StoreFailed, OSError, LookupError) as error:
        yield attention("store.unusable", _describe_error(error))


def _describe_error(error: Exception) -> str:
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)  # a message of ours, which names the fix
    why = f"{error.filename}: {error.strerror.lower()}"
    return f"the store cannot be used: {why}; check its permissions and its disk"


def _check_records(setup: Setup, store: Store) -> Iterator[Finding]:
    count, name = store.totals().get("records", 0), open_store.store_name(setup)
    yield note(
        "store.holds",
        f"the store {name!r} holds {count:,} records{_format_size(open_store.store_address(setup))}",
    )
    for _, last in store.records(Query(last=1)):
        if last.at > time.time() + MAX_AHEAD_SECONDS:
            when = time.strftime("%Y-%m-%d %H:%M", time.localtime(last.at))
            text = f"the newest record of the store has a time in the future, {when}: correct the clock"
            yield attention("clock.future", f"{text}, because records expire by age")


def _format_size(place: str) -> str:
    try:
        size = sum(os.path.getsize(place + part) for part in ("", "-wal") if os.path.exists(place + part))
    except OSError:
        return ""
    return f", {size / 1e6:,.1f} MB" if size else ""


def _check_disk(folder: str) -> Iterator[Finding]:
    while not os.path.exists(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    status = os.statvfs(folder)
    free = status.f_bavail * status.f_frsize
    if free < MIN_FREE_BYTES and not status.f_flag & os.ST_RDONLY:
        text = f"the disk of {folder} has only {free / 1e6:,.1f} MB left: free some space"
        yield attention("store.disk", text)
    elif status.f_files and not status.f_favail:
        yield attention("store.disk", f"the disk of {folder} has no inodes left: remove some files")


def _check_speed(folder: str) -> Iterator[Finding]:
    """Report a disk on which a write takes so long that agents notice it."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            times = [_time_write(file.fileno()) for _ in range(SPEED_WRITES)]
    except OSError:
        return
    if median(times) > SLOW_SECONDS:
        text = f"the disk of {folder} is slow: a write takes {median(times) * 1000:.0f} ms"
        yield note("store.slow", f"{text}; XDG_STATE_HOME can name a folder on another disk")


def _time_write(descriptor: int) -> float:
    start = time.monotonic()
    os.write(descriptor, b"." * 4096)
    os.fsync(descriptor)
    return time.monotonic() - start


def check_spool(folder: str) -> Iterator[Finding]:
    """Report damaged lines in the spool, and records that are not moved into the store."""
    if problem := spool.problem(folder):
        yield attention("spool.torn", problem)
    for path in spool_files.paths(folder):
        count, age = _count_lines(path)
        if count and age > MAX_SPOOL_SECONDS:
            records = "1 record has" if count == 1 else f"{count:,} records have"
            text = f"{records} waited in {path} for {_format_span(age)}"
            yield advise("spool.waits", text, "hookline log -n 1", ", which moves them into the store")


def _count_lines(path: str) -> tuple[int, float]:
    """Return the number of records in a file, and the seconds between its last change and now."""
    try:
        with open(path, "rb") as file:
            age = abs(time.time() - os.fstat(file.fileno()).st_mtime)  # the clock may have been set back
            return sum(1 for line in file if line.strip()), age
    except OSError:
        return 0, 0.0


def _format_span(seconds: float) -> str:
    for size, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} seconds"
