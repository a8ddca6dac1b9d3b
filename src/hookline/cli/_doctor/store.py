"""The store and the spool before it: whether they can be used, how much they hold, and what waits."""

import os
import time
from collections.abc import Iterator
from contextlib import closing

from hookline.cli._doctor import Finding, attention, note
from hookline.core.store import Query, Store, StoreFailed
from hookline.runtime import memory_helper, open_store
from hookline.runtime.setup import Setup
from hookline.system import spool, spool_files, webhook

LATELY = 86_400.0
"""Seconds: what failed before that, and not again, is over."""
RULES = {webhook.RULE: "see whether its receiver is there", memory_helper.RULE: "try it by hand"}
"""By the rule under which such failures are kept: what a person can do."""


def failed(store: Store) -> Iterator[str]:
    """One sentence for each kind of failure, the last of it."""
    now = time.time()
    for rule, advice in RULES.items():
        for _, last in store.records(Query(rule=rule, since=now - LATELY, last=1)):
            when = time.strftime("%H:%M", time.localtime(last.at))
            yield f"{last.summary} (last at {when}); {advice}, and `hookline log --rule {rule}` shows all"


LITTLE = 64 << 20
"""Bytes of free disk below which a person should know."""
AHEAD = 300.0
"""Seconds by which something may be of the future before a clock must be wrong."""
WAITED = 60.0
"""Seconds after which nobody seems to move what lies in the spool into the store."""
NOTHING = "hookline-doctor"


def store(setup: Setup) -> Iterator[Finding]:
    """All of it, closely."""
    place, usual = open_store.place(setup), setup.places.store
    if place != usual or os.path.lexists(usual) or os.path.isfile(setup.places.state):
        yield from _opened(setup)
    yield from _disk(setup.places.state)
    yield from waiting(setup.places.spool)


def _opened(setup: Setup) -> Iterator[Finding]:
    try:
        with closing(open_store.open_store(setup)) as opened:
            for problem in filter(None, (opened.problem, opened.check())):
                yield attention("store.damaged", problem)
            yield from _held(setup, opened)
            for text in failed(opened):
                yield attention("effect.failed", text)
            opened.reset(NOTHING, NOTHING)  # takes what it takes to write, and changes nothing
    except (StoreFailed, OSError, LookupError) as error:
        yield attention("store.unusable", _unusable(error))


def _unusable(error: Exception) -> str:
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)  # in our own words, with what to do
    why = f"{error.filename}: {error.strerror.lower()}"
    return f"the store cannot be used: {why}; let your user read and write there, on a disk that allows it"


def _held(setup: Setup, opened: Store) -> Iterator[Finding]:
    many, name = opened.totals().get("records", 0), open_store.name(setup)
    yield note("store.holds", f"the store {name!r} holds {many:,} records{_size(open_store.place(setup))}")
    for _, last in opened.records(Query(last=1)):
        if last.at > time.time() + AHEAD:
            when = time.strftime("%Y-%m-%d %H:%M", time.localtime(last.at))
            text = f"the newest record of the store is of {when}, which is still to come: set the clock right"
            yield attention("clock.future", f"{text}; records are forgotten by their age")


def _size(place: str) -> str:
    try:
        whole = sum(os.path.getsize(place + part) for part in ("", "-wal") if os.path.exists(place + part))
    except OSError:
        return ""
    return f", {whole / 1e6:,.1f} MB" if whole else ""


def _disk(folder: str) -> Iterator[Finding]:
    while not os.path.exists(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    found = os.statvfs(folder)
    free = found.f_bavail * found.f_frsize
    if free < LITTLE and not found.f_flag & os.ST_RDONLY:
        text = f"the disk of {folder} has {free / 1e6:,.1f} MB left: free some, or nothing new is kept soon"
        yield attention("store.disk", text)
    elif found.f_files and not found.f_favail:
        yield attention("store.disk", f"the disk of {folder} takes no more files: remove some")


def waiting(folder: str) -> Iterator[Finding]:
    """What lies in the spool: torn lines, and records that nobody moves into the store."""
    if torn := spool.problem(folder):
        yield attention("spool.torn", torn)
    for path in spool_files.paths(folder):
        many, age = _lines(path)
        if many and age > WAITED:
            records = "1 record waits" if many == 1 else f"{many:,} records wait"
            text = f"{records} in {path} for {_span(age)}, and nobody moves them into the store"
            yield attention("spool.waits", f"{text}: `hookline log` does, or says why it cannot be done")


def _lines(path: str) -> tuple[int, float]:
    """How many records lie there, and for how long nobody has touched them."""
    try:
        with open(path, "rb") as file:
            age = time.time() - os.fstat(file.fileno()).st_mtime
            return sum(1 for line in file if line.strip()), age
    except OSError:
        return 0, 0.0


def _span(seconds: float) -> str:
    for size, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} seconds"
