"""The live part: one reader of the store for all viewers, and the fan-out of its news.

The reader works only while there are viewers, and reads each new record once. Viewers get the same values, so
that another viewer costs no query.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from hookline.core.approval import Question
from hookline.core.store import Query, Record, Session, Store, StoreFailed, merge_sessions
from hookline.engine import lock, progress, runs, view
from hookline.runtime.live_sessions import MAX_SILENCE, find_live_sessions
from hookline.runtime.setup import Setup
from hookline.system import paths, spool
from hookline.web.dashboard import RunSummary, Snapshot, Update

POLL_SECONDS = 0.4
"""Seconds between two looks for new records."""
ACTIVE_SECONDS = 3600.0
"""Seconds without a call after which a session with an unknown process counts as ended."""
REREAD_SECONDS = 30.0
"""Seconds after which all sessions are read again: not all changes are records."""
FRESH_SECONDS = 2.0
"""Age of the snapshot that a new page may show."""
RECENT_UPDATES = 5
"""Updates that a new viewer gets again: those of about two seconds."""
QUEUE_LENGTH = 200
"""Updates that a slow viewer may miss before it is told to load the page again."""


class Reader:
    """Reads the news of a store; used by one thread at a time."""

    def __init__(self, store: Store, setup: Setup, list_questions: Callable[[], Sequence[Question]]) -> None:
        self._store, self._setup, self._list_questions = store, setup, list_questions
        self._sessions: Sequence[Session] = ()
        self._read_at = 0.0
        self._position: int | None = None
        self._lock = threading.Lock()
        self.snapshot = Snapshot(at=0.0)

    def start(self) -> None:
        """Let the first `read` return the records from now on."""
        with self._lock, suppress(StoreFailed, OSError):
            self._find_position()

    def _find_position(self) -> int:
        if self._position is None:
            self._position = next((position for position, _ in self._store.records(Query(last=1))), 0)
        return self._position

    def read(self) -> Update:
        """Return the records since the last call, and the new snapshot."""
        with self._lock:
            try:
                records = self._read_records()
                self._update_sessions([record for _, record in records])
                self.snapshot = self._take_snapshot()
            except (StoreFailed, OSError) as error:
                records = ()
                self.snapshot = Snapshot(at=time.time(), problem=str(error))
            return Update(records=records, snapshot=self.snapshot)

    def take_snapshot(self) -> Snapshot:
        """Return the last snapshot, or a new one if that is old."""
        if time.time() - self.snapshot.at > FRESH_SECONDS:
            with self._lock:
                self._update_sessions([])
                self.snapshot = self._take_snapshot()
        return self.snapshot

    def _read_records(self) -> tuple[tuple[int, Record], ...]:
        spool.drain(self._setup.places.spool, self._store)
        records = tuple(self._store.records(Query(after=self._find_position())))
        self._position = records[-1][0] if records else self._position
        return records

    def _update_sessions(self, records: Sequence[Record]) -> None:
        now = time.monotonic()
        if not self._read_at or now > self._read_at + REREAD_SECONDS:
            since = time.time() - ACTIVE_SECONDS - MAX_SILENCE
            self._sessions, self._read_at = self._store.sessions(since=since), now
        elif records:
            known = [record for record in records if record.session]
            self._sessions = merge_sessions(
                self._sessions, known, [record for record in known if record.action != "pass"]
            )

    def _take_snapshot(self) -> Snapshot:
        now = time.time()
        live = find_live_sessions(self._sessions, self._store, self._setup, since=now - ACTIVE_SECONDS)
        roots = self._list_roots()
        return Snapshot(
            at=now,
            sessions=tuple(live),
            questions=tuple(self._list_questions()),
            runs=tuple(summarize_runs(roots)),
            roots=roots,
        )

    def _list_roots(self) -> tuple[str, ...]:
        folders = dict.fromkeys(item.cwd for item in self._sessions if item.cwd)
        return tuple(dict.fromkeys([self._setup.places.root, *map(paths.project_root, folders)]))


def summarize_runs(roots: Sequence[str]) -> list[RunSummary]:
    """Return the unfinished runs of the projects."""
    unfinished = [run for root in roots for run in runs.list_runs(root) if not run.stopped]
    return [_summarize_run(run) for run in unfinished]


def _summarize_run(run: runs.Run) -> RunSummary:
    rows = run.journal.rows()
    numbers = sorted(step.experiment for step in progress.running_steps(run)) or [max(len(rows) - 1, 0)]
    text = f"experiment {', '.join(map(str, numbers))}; {view.describe_best(rows, run.target.metric)}"
    return RunSummary(id=run.id, root=run.root, running=lock.is_running(run), text=text)


class Feed:
    """Passes the updates of one reader to all viewers."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._viewers: set[asyncio.Queue[Update | None]] = set()
        self._recent: deque[Update] = deque(maxlen=RECENT_UPDATES)
        """The last updates, for a page that was loaded before them and follows after them."""
        self._stop = asyncio.Event()

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Read while the server runs."""
        self._stop = asyncio.Event()
        task = asyncio.create_task(self._poll())
        try:
            yield
        finally:
            self._stop.set()
            self.end()
            await task

    async def _poll(self) -> None:
        await asyncio.to_thread(self.reader.start)
        while not self._stop.is_set():
            if self._viewers:
                self.publish(await asyncio.to_thread(self.reader.read))
            try:
                await asyncio.wait_for(self._stop.wait(), POLL_SECONDS)
            except TimeoutError:
                continue

    def publish(self, update: Update) -> None:
        self._recent.append(update)
        for queue in self._viewers:
            if queue.full():
                _empty(queue)
                queue.put_nowait(None)
            else:
                queue.put_nowait(update)

    def end(self) -> None:
        """Let every viewer's stream end."""
        for queue in self._viewers:
            _empty(queue)
            queue.put_nowait(None)

    async def follow(self) -> AsyncIterator[Update]:
        """Yield the last updates and those from now on; end if the viewer was too slow."""
        queue: asyncio.Queue[Update | None] = asyncio.Queue(QUEUE_LENGTH)
        for recent in self._recent:
            queue.put_nowait(recent)
        self._viewers.add(queue)
        try:
            while (update := await queue.get()) is not None:
                yield update
        finally:
            self._viewers.discard(queue)


def _empty(queue: asyncio.Queue[Update | None]) -> None:
    while not queue.empty():
        queue.get_nowait()
