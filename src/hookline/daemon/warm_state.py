"""State kept between two calls: open stores, started sessions, configuration and claims."""

import os
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

from hookline.core.host import Host
from hookline.core.records import KnownError
from hookline.core.store import Recorder, Store
from hookline.core.values import replace
from hookline.daemon import log
from hookline.daemon.grant_key import AgentProcesses, GrantKey
from hookline.policy.parse_files import Layer
from hookline.policy.repository_env import start_folder
from hookline.runtime import open_store
from hookline.runtime.call_claims import Claims
from hookline.runtime.runtime import Runtime
from hookline.runtime.setup import Setup, load_setup
from hookline.system import file_stamps
from hookline.system.session_record import CallingSession, read_variables
from hookline.system.spool import Spool, Turn

MAX_SESSIONS = 4_096
MAX_SETUPS = 256
GATHER_SECONDS = 0.2
"""Seconds in which records are gathered before they are stored."""
RETRY_SECONDS = 5.0
"""Seconds until a store that failed is tried again."""
FIXES_CACHE_SECONDS = 2.0
"""Seconds for which errors with a fix are cached, although another process may add one."""
FOLD_AFTER = 500
"""Records after which the disk is synchronised; with more, sqlite would do it during a write."""
UNUSED_SECONDS = 600.0
"""Seconds after which an unused store is closed; longer than any call."""
Key = tuple[str, str]
"""Kind and path of a store."""
Stamp = tuple[int, int] | None


class WarmStore:
    """A store shared by all calls, with a cache of known sessions and fixes."""

    def __init__(self, store: Store) -> None:
        self.used = 0.0
        self.stamp: Stamp = None
        self._store = store
        self._lock = threading.Lock()
        self._begun: dict[str, str] = {}
        """Known sessions, each with the id of the call that began it."""
        self._fixes: dict[tuple[str | None, int], tuple[float, Sequence[KnownError]]] = {}
        self._changes = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def begin_session(self, session: str, *, host: str, cwd: str, at: float, call: str = "") -> bool:
        if session in self._begun:
            return bool(call) and self._begun[session] == call
        new = self._store.begin_session(session, host=host, cwd=cwd, at=at, call=call)
        with self._lock:
            self._begun[session] = call if new else ""
            while len(self._begun) > MAX_SESSIONS:
                self._begun.pop(next(iter(self._begun)))
        return new

    def signatures(
        self, *, key: str = "", project: str | None = None, limit: int = 100, fixed: bool = False
    ) -> Sequence[KnownError]:
        """Return the signatures; cache those with a fix, which are read before every shell command."""
        query = partial(self._store.signatures, key=key, project=project, limit=limit, fixed=fixed)
        if key or not fixed:
            return query()
        now, changes = time.monotonic(), self._changes
        expires, signatures = self._fixes.get((project, limit), (0.0, ()))
        if now < expires:
            return signatures
        signatures = query()
        with self._lock:
            if changes == self._changes:  # else the result may already be outdated
                self._fixes[project, limit] = now + FIXES_CACHE_SECONDS, signatures
        return signatures

    def count_error(
        self, key: str, *, text: str, at: float, project: str = "", command: str = ""
    ) -> KnownError:
        signature = self._store.count_error(key, text=text, at=at, project=project, command=command)
        self._invalidate()
        return signature

    def adjust_confidence(self, key: str, gain: float, *, at: float, project: str = "") -> bool:
        exists = self._store.adjust_confidence(key, gain, at=at, project=project)
        self._invalidate()
        return exists

    def record_fix(self, key: str, text: str, *, project: str = "") -> bool:
        exists = self._store.record_fix(key, text, project=project)
        self._invalidate()
        return exists

    def _invalidate(self) -> None:
        with self._lock:
            self._changes += 1
            self._fixes.clear()

    def close(self) -> None:
        """Do nothing: other calls still use the store."""

    def end(self) -> None:
        self._store.close()


class Setups:
    """The configuration, loaded again only if a file that it was read from has changed."""

    def __init__(self) -> None:
        self._cache: dict[tuple[Any, ...], tuple[file_stamps.Notes, Setup]] = {}
        self._last_valid: dict[str, Layer] = {}

    def load(
        self, env: Mapping[str, str], cwd: str, host: Host | None, session: CallingSession | None = None
    ) -> Setup:
        recorded = read_variables(session or CallingSession(), start_folder(env, cwd, host))
        key = (host and host.name, cwd, recorded, *env.items())
        notes, setup = self._cache.get(key, ({}, None))
        if setup is not None and file_stamps.are_current(notes):
            return setup
        with file_stamps.collect_stamps() as notes:
            setup = load_setup(env, cwd, host, session, self._last_valid)
        if _only_built_in(setup) and file_stamps.are_reliable(notes):
            while len(self._cache) >= MAX_SETUPS:
                self._cache.pop(next(iter(self._cache)), None)
            self._cache[key] = notes, setup
        return setup


def _only_built_in(setup: Setup) -> bool:
    """Return whether only files determine the setup: other hooks hold connections, and trust reads more."""
    return setup.trust is None and all(hook.kind == "built-in" for hook in setup.hooks)


class Warm:
    """The stores and spools of all users' homes that called."""

    def __init__(self, turn: Turn = nullcontext) -> None:
        self._turn = turn
        self.key, self.agents = GrantKey(), AgentProcesses()
        self._setups = Setups()
        self._lock = threading.Lock()
        self._stores: dict[Key, WarmStore] = {}
        self._writers: dict[Key, tuple[Stamp, Store]] = {}
        self._replaced: list[WarmStore] = []
        self._waiting: dict[str, Setup] = {}
        self._spools: dict[str, Spool] = {}
        self._claims: dict[str, Claims] = {}
        self._written: dict[str, int] = {}
        """Records stored from each spool since the disk was last synchronised."""
        self._last_logged = ""
        self._due = threading.Event()
        self._stopping = threading.Event()
        self._writer = threading.Thread(target=self._write, name="writer", daemon=True)
        self._writer.start()

    def open(
        self, cwd: str, env: Mapping[str, str], host: Host, session: CallingSession | None = None
    ) -> Runtime:
        """Return a runtime for one call, with the present configuration and an open store."""
        runtime = Runtime.load(
            cwd, env, host=host, session=session, store=self._store, load_setup=self._setups.load
        )
        runtime.grants = replace(runtime.grants, check=self.key.check, spend=self.key.spend)
        if session is not None:
            self.agents.record(session)
        with self._lock:
            runtime.claims = self._claims.setdefault(runtime.setup.places.state, Claims())
        spool = self._spool(runtime.setup.places.spool)
        runtime.recorder = Recorder(
            record=spool.append,
            write_pending=partial(self._settle, runtime.setup),
            flush=partial(spool.drain_for_reply, runtime.store),
            spooled=True,
        )
        return runtime

    def _spool(self, folder: str) -> Spool:
        spool = self._spools.get(folder)
        if spool is not None:
            return spool
        with self._lock:
            return self._spools.setdefault(folder, Spool(folder))

    def _store(self, setup: Setup) -> Store:
        key = _key(setup)
        with self._lock:
            store = self._stores.get(key)
        if store is None or store.stamp != _stamp(key):
            # Outside of the lock: an unreachable store must not block the others.
            opened = WarmStore(open_store.open_for_call(setup))
            opened.stamp = _stamp(key)
            with self._lock:
                replaced, self._stores[key] = self._stores.get(key), opened
            store = opened
            if replaced is not None:
                self._replaced.append(replaced)  # a call may still use it
        store.used = time.monotonic()
        return store

    def _settle(self, setup: Setup) -> None:
        self._waiting[setup.places.spool] = setup
        self._due.set()

    def _write(self) -> None:
        """Store waiting records, together with those that arrive meanwhile; sleep if there are none."""
        while not self._stopping.is_set():
            self._due.wait()
            self._due.clear()
            self._stopping.wait(GATHER_SECONDS)
            if self.drain():
                self._stopping.wait(RETRY_SECONDS)
                self._due.set()
            self._close_unused()

    def drain(self) -> int:
        """Move the records in the spools into the stores; return the number of spools that failed."""
        failed = 0
        for folder, setup in list(self._waiting.items()):
            del self._waiting[folder]
            try:
                store = self._writer_store(setup)
                self._fold(folder, store, self._spool(folder).drain(store, self._turn))
                open_store.prune_daily(setup, store, at=time.time())
            except Exception as error:  # noqa: BLE001 -- the writer thread must survive for the other stores
                self._waiting[folder] = setup  # the records stay in the spool until the store works again
                failed += 1
                self._log_once(f"records wait in {folder}: {type(error).__name__}: {error}")
        return failed

    def _fold(self, folder: str, store: Store, count: int) -> None:
        """Synchronise the disk while no call waits, before sqlite would do it during a call."""
        self._written[folder] = self._written.get(folder, 0) + count
        if self._written[folder] >= FOLD_AFTER:
            self._written[folder] = 0
            getattr(store, "fold", tuple)()

    def _log_once(self, text: str) -> None:
        """Write to the log, once for repeated failures of the same kind."""
        if text != self._last_logged:
            self._last_logged = text
            log.write(text)

    def _writer_store(self, setup: Setup) -> Store:
        """Return the store over a connection of the writer's own, so that calls can read meanwhile."""
        key = _key(setup)
        entry = self._writers.get(key)
        if entry is None or entry[0] != _stamp(key):
            if entry is not None:
                entry[1].close()
            store = open_store.open_store(setup)
            getattr(store, "defer", tuple)()
            entry = self._writers[key] = _stamp(key), store
        return entry[1]

    def _close_unused(self) -> None:
        """Close the stores that have not been used for long: a home may be temporary."""
        with self._lock:
            cutoff = time.monotonic() - UNUSED_SECONDS
            unused = [key for key, store in self._stores.items() if store.used < cutoff]
            closing = [self._stores.pop(key) for key in unused]
            closing += [store for store in self._replaced if store.used < cutoff]
            self._replaced = [store for store in self._replaced if store not in closing]
        for store in closing:
            store.end()
        for key in self._writers.keys() - self._stores.keys():
            self._writers.pop(key)[1].close()

    def close(self) -> None:
        self._stopping.set()
        self._due.set()
        self._writer.join()
        self.drain()
        for store in (*self._stores.values(), *self._replaced):
            store.end()
        for _, writer_store in self._writers.values():
            writer_store.close()


def _key(setup: Setup) -> Key:
    return open_store.store_name(setup), open_store.store_address(setup)


def _stamp(key: Key) -> Stamp:
    """Return device and inode of a store's file, to detect that it was replaced or removed; else None."""
    try:
        status = os.stat(key[1])
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino
