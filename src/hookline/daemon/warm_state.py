"""What stays warm between two calls: stores that are open, sessions that have begun, who answers what."""

import os
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

from hookline.core.host import Host
from hookline.core.records import Signature
from hookline.core.store import Recorder, Store
from hookline.core.values import replace
from hookline.daemon import log
from hookline.policy.files import Layer
from hookline.runtime import open_store
from hookline.runtime.claim_table import Claims
from hookline.runtime.runtime import Runtime
from hookline.runtime.setup import Setup, load
from hookline.system import file_stamps
from hookline.system.spool import Spool, Turn

MOST_SESSIONS = 4_096
MOST_SETUPS = 256
EVERY = 0.2
"""Seconds in which what is to be stored is gathered."""
AGAIN = 5.0
"""Seconds until a store that could not be used is tried again."""
HELD = 2.0
"""Seconds in which errors with a fix are not read again, though another process may have learnt of one."""
FOLD_AFTER = 500
"""Records after which the disk is waited for; of more, sqlite would do so by itself when somebody writes."""
UNUSED = 600.0
"""Seconds after which a store is closed; longer than any call takes."""
Key = tuple[str, str]
"""A store's kind and its place."""
Stamp = tuple[int, int] | None


class WarmStore:
    """A store that is used by all calls, and what need not be asked of it again."""

    def __init__(self, store: Store) -> None:
        self.used = 0.0
        self.stamp: Stamp = None
        self._store = store
        self._lock = threading.Lock()
        self._begun: dict[str, str] = {}
        """Sessions that are known, each with the call that began it."""
        self._fixed: dict[tuple[str | None, int], tuple[float, Sequence[Signature]]] = {}
        self._learnt = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def begin(self, session: str, *, host: str, cwd: str, at: float, call: str = "") -> bool:
        if session in self._begun:
            return bool(call) and self._begun[session] == call
        new = self._store.begin(session, host=host, cwd=cwd, at=at, call=call)
        with self._lock:
            self._begun[session] = call if new else ""
            while len(self._begun) > MOST_SESSIONS:
                self._begun.pop(next(iter(self._begun)))
        return new

    def signatures(
        self, *, key: str = "", project: str | None = None, limit: int = 100, fixed: bool = False
    ) -> Sequence[Signature]:
        """Errors with a fix are asked for before every shell command, and seldom change."""
        asked = partial(self._store.signatures, key=key, project=project, limit=limit, fixed=fixed)
        if key or not fixed:
            return asked()
        now, learnt = time.monotonic(), self._learnt
        until, found = self._fixed.get((project, limit), (0.0, ()))
        if now < until:
            return found
        found = asked()
        with self._lock:
            if learnt == self._learnt:  # else somebody has learnt meanwhile what is not in it yet
                self._fixed[project, limit] = now + HELD, found
        return found

    def see(self, key: str, *, text: str, at: float, project: str = "", command: str = "") -> Signature:
        seen = self._store.see(key, text=text, at=at, project=project, command=command)
        self._learn()
        return seen

    def weigh(self, key: str, gain: float, *, at: float, project: str = "") -> bool:
        known = self._store.weigh(key, gain, at=at, project=project)
        self._learn()
        return known

    def fix(self, key: str, text: str, *, project: str = "") -> bool:
        known = self._store.fix(key, text, project=project)
        self._learn()
        return known

    def _learn(self) -> None:
        with self._lock:
            self._learnt += 1
            self._fixed.clear()

    def close(self) -> None:
        """Others use it still."""

    def end(self) -> None:
        self._store.close()


class Setups:
    """What is configured, put together anew only after something that it was read from has changed."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], tuple[file_stamps.Notes, Setup]] = {}
        self._good: dict[str, Layer] = {}

    def load(self, env: Mapping[str, str], cwd: str, host: Host | None) -> Setup:
        key = (host and host.name, cwd, *env.items())
        notes, setup = self._known.get(key, ({}, None))
        if setup is not None and file_stamps.unchanged(notes):
            return setup
        with file_stamps.noting() as notes:
            setup = load(env, cwd, host, self._good)
        if _only_built_in(setup) and file_stamps.settled(notes):
            while len(self._known) >= MOST_SETUPS:
                self._known.pop(next(iter(self._known)), None)
            self._known[key] = notes, setup
        return setup


def _only_built_in(setup: Setup) -> bool:
    """Whether nothing else was looked at than files: hooks of others hold connections, trust looks around."""
    return setup.trust is None and all(hook.kind == "built-in" for hook in setup.hooks)


class Warm:
    """The stores of all homes that called, and the spools before them."""

    def __init__(self, turn: Turn = nullcontext) -> None:
        self._turn = turn
        self._setups = Setups()
        self._lock = threading.Lock()
        self._stores: dict[Key, WarmStore] = {}
        self._writers: dict[Key, tuple[Stamp, Store]] = {}
        self._replaced: list[WarmStore] = []
        self._waiting: dict[str, Setup] = {}
        self._spools: dict[str, Spool] = {}
        self._claims: dict[str, Claims] = {}
        self._written: dict[str, int] = {}
        """Records in the store of each spool since it last waited for the disk."""
        self._said = ""
        self._due = threading.Event()
        self._stopping = threading.Event()
        self._writer = threading.Thread(target=self._write, name="writer", daemon=True)
        self._writer.start()

    def open(self, cwd: str, env: Mapping[str, str], host: Host) -> Runtime:
        """A runtime for one call, with what is configured now and a store that is open already."""
        runtime = Runtime.load(cwd, env, host=host, store=self._store, loaded=self._setups.load)
        with self._lock:
            runtime.claims = self._claims.setdefault(runtime.setup.places.state, Claims())
        settle = partial(self._settle, runtime.setup)
        if isinstance(runtime.store, WarmStore):
            own = self._spool(runtime.setup.places.spool)
            runtime.recorder = Recorder(
                keep=own.append, settle=settle, bring=partial(own.bring, runtime.store)
            )
        else:
            runtime.recorder = replace(runtime.recorder, settle=settle)
        return runtime

    def _spool(self, folder: str) -> Spool:
        known = self._spools.get(folder)
        if known is not None:
            return known
        with self._lock:
            return self._spools.setdefault(folder, Spool(folder))

    def _store(self, setup: Setup) -> Store:
        key = _key(setup)
        with self._lock:
            store = self._stores.get(key)
        if store is None or store.stamp != _stamp(key):
            # Outside of the lock: one that cannot be reached must not keep the others waiting.
            opened = WarmStore(open_store.open_store(setup))
            opened.stamp = _stamp(key)
            with self._lock:
                gone, self._stores[key] = self._stores.get(key), opened
            store = opened
            if gone is not None:
                self._replaced.append(gone)  # somebody may be at it still
        store.used = time.monotonic()
        return store

    def _settle(self, setup: Setup) -> None:
        self._waiting[setup.places.spool] = setup
        self._due.set()

    def _write(self) -> None:
        """Write what waits, together with what comes meanwhile; without it, nothing is done at all."""
        while not self._stopping.is_set():
            self._due.wait()
            self._due.clear()
            self._stopping.wait(EVERY)
            if self.drain():
                self._stopping.wait(AGAIN)
                self._due.set()
            self._forget()

    def drain(self) -> int:
        """Move what waits in the spools into the stores; how many spools could not be emptied."""
        failed = 0
        for folder, setup in list(self._waiting.items()):
            del self._waiting[folder]
            try:
                store = self._own(setup)
                self._fold(folder, store, self._spool(folder).drain(store, self._turn))
                open_store.tidy(setup, store, at=time.time())
            except Exception as error:  # noqa: BLE001 -- whatever it is, who writes must stay for the others
                self._waiting[folder] = setup  # safe where it is, until the store can be used again
                failed += 1
                self._say(f"what was answered waits in {folder}: {type(error).__name__}: {error}")
        return failed

    def _fold(self, folder: str, store: Store, moved: int) -> None:
        """Wait for the disk while nobody waits for us, before sqlite would in the middle of an answer."""
        self._written[folder] = self._written.get(folder, 0) + moved
        if self._written[folder] >= FOLD_AFTER:
            self._written[folder] = 0
            getattr(store, "fold", tuple)()

    def _say(self, trouble: str) -> None:
        """Into the log, where `hookline daemon logs` shows it; once, for it is tried again and again."""
        if trouble != self._said:
            self._said = trouble
            log.say(trouble)

    def _own(self, setup: Setup) -> Store:
        """The store by a connection of the writer's own: whoever answers meanwhile reads past it."""
        key = _key(setup)
        known = self._writers.get(key)
        if known is None or known[0] != _stamp(key):
            if known is not None:
                known[1].close()
            store = open_store.open_store(setup)
            getattr(store, "defer", tuple)()
            known = self._writers[key] = _stamp(key), store
        return known[1]

    def _forget(self) -> None:
        """Close the stores that nobody has used for long: a home may have come and gone."""
        with self._lock:
            last = time.monotonic() - UNUSED
            gone = [key for key, store in self._stores.items() if store.used < last]
            ended = [self._stores.pop(key) for key in gone]
            ended += [store for store in self._replaced if store.used < last]
            self._replaced = [store for store in self._replaced if store not in ended]
        for store in ended:
            store.end()
        for key in self._writers.keys() - self._stores.keys():
            self._writers.pop(key)[1].close()

    def close(self) -> None:
        self._stopping.set()
        self._due.set()
        self._writer.join()
        self.drain()
        for one in (*self._stores.values(), *self._replaced):
            one.end()
        for _, own in self._writers.values():
            own.close()


def _key(setup: Setup) -> Key:
    return open_store.name(setup), open_store.place(setup)


def _stamp(key: Key) -> Stamp:
    """Which file it is, if it is one: another may have been put in its place, or it was removed."""
    try:
        found = os.stat(key[1])
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino
