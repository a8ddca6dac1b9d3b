"""The configured store: its name, address and limits, and calls while it is down."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import Any

import msgspec

from hookline import stores
from hookline.core.store import Limits, Recorder, Store, StoreFailed, advance_expiry
from hookline.core.values import replace
from hookline.runtime.setup import Setup
from hookline.system.paths import create_private

DEFAULT_STORE = "sqlite"
"""Name of the store that is used without configuration."""
ADDRESS_VARIABLE = "HOOKLINE_STORE_ADDRESS"
"""The variable with the store's address, so that a password need not be in a file."""
TIDY_INTERVAL_SECONDS = 86_400.0
"""Seconds between two prunings of a store."""
TIDY_TIMEOUT_SECONDS = 0.25
"""Seconds that a pruning may take; a writer never waits longer for it than for one batch."""
TIDY_AGAIN_SECONDS = 600.0
"""Seconds until the next pruning if records were removed, because there may be more."""
RETRY_SECONDS = 5.0
"""Seconds in which no call of the user tries a store again that made a call wait in vain."""
SLOW_SECONDS = 1.0
"""Seconds of a failed use after which other calls do not wait, too."""
_DUE_NOTE, REPORTED_NOTE = "hookline.tidy_due", "hookline.complaints"


class UnopenedStore:
    """A store that could not be opened: each use raises the cause, and after a pause opens it again."""

    problem = ""

    def __init__(self, open_again: Callable[[], Store], cause: Exception) -> None:
        self._open_again, self._cause = open_again, cause
        self._retry_at = time.monotonic() + RETRY_SECONDS
        self._lock = threading.Lock()
        self._opened: Store | None = None

    def __getattr__(self, name: str) -> Any:
        return partial(self._use, name)

    def _use(self, name: str, *values: Any, **named: Any) -> Any:
        with self._lock:
            if self._opened is None:
                self._open()
        return getattr(self._opened, name)(*values, **named)

    def _open(self) -> None:
        if time.monotonic() < self._retry_at:
            raise StoreFailed(str(self._cause)) from self._cause
        self._retry_at = time.monotonic() + RETRY_SECONDS
        try:
            self._opened = self._open_again()
        except (StoreFailed, OSError, LookupError) as error:
            self._cause = error
            raise StoreFailed(str(error)) from error

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()

    leave = close


class _Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A use of a store that failed after a long wait."""

    store: str
    """Hash of the store's name and address, which may contain a password."""
    until: float
    """Unix seconds until which the store is not tried again."""
    cause: str


def open_for_call(setup: Setup) -> Store:
    """Return the configured store as `open_store`; fail at once if another call has just waited in vain."""
    if cause := _find_failure(setup):
        raise StoreFailed(cause)
    began = time.monotonic()
    try:
        return open_store(setup)
    except (StoreFailed, OSError) as error:
        _save_failure(setup, error, time.monotonic() - began)
        raise


def report_failure(
    setup: Setup, recorder: Recorder, error: Exception, *, waited: float, failed: str = ""
) -> str:
    """Return the sentence for the user about a use that *failed* after a wait of so many seconds."""
    if recorder.spooled:
        _save_failure(setup, error, waited)
    usual = "the store could not be used" + ", so records wait in the spool until it can" * recorder.spooled
    return f"{failed or usual}: {error}"


def _save_failure(setup: Setup, error: Exception, waited: float) -> None:
    """Save a failure after a long wait, for the other calls of the user."""
    if waited < SLOW_SECONDS:
        return
    failure = _Failure(store=_hash_store(setup), until=time.time() + RETRY_SECONDS, cause=str(error))
    path = setup.places.store_failure
    temporary = f"{path}.{os.urandom(6).hex()}"
    with suppress(OSError):  # then the next call waits, too
        create_private(os.path.dirname(path))
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(file, "wb") as stream:
            stream.write(msgspec.json.encode(failure))
        os.replace(temporary, path)


def _find_failure(setup: Setup) -> str:
    try:
        with open(setup.places.store_failure, "rb") as file:
            failure = msgspec.json.decode(file.read(), type=_Failure)
    except (OSError, ValueError):
        return ""
    # A clock that was set back must not extend it.
    current = time.time() < failure.until <= time.time() + RETRY_SECONDS
    return failure.cause if current and failure.store == _hash_store(setup) else ""


def _hash_store(setup: Setup) -> str:
    return sha256(f"{store_name(setup)}\0{store_address(setup)}".encode(errors="surrogatepass")).hexdigest()


def open_store(setup: Setup) -> Store:
    """Return the configured store; raise `StoreFailed`, `OSError` or `LookupError`."""
    create_private(setup.places.state)
    return stores.load(store_name(setup))(store_address(setup))


def store_name(setup: Setup) -> str:
    setting = setup.config.options.get("store")
    return str(setting.value) if setting else DEFAULT_STORE


def store_address(setup: Setup) -> str:
    """Return the configured address, else the default file."""
    setting = setup.config.options.get("store_address")
    return setup.env.get(ADDRESS_VARIABLE) or (setting.value if setting else "") or setup.places.store


def store_limits(setup: Setup) -> Limits:
    options, default = setup.config.options, Limits()
    days, records = options.get("keep_days"), options.get("keep_records")
    return replace(
        default,
        days=days.value if days else default.days,
        records=records.value if records else default.records,
    )


def prune_daily(setup: Setup, store: Store, *, at: float) -> None:
    """Prune the store to its limits, at most once a day."""
    due = store.notes("").get(_DUE_NOTE, 0.0)
    if at < due <= at + TIDY_INTERVAL_SECONDS:  # a clock that was set back must not delay it for years
        return
    store.set_notes("", {_DUE_NOTE: at + TIDY_INTERVAL_SECONDS})
    if store.prune(store_limits(setup), at=advance_expiry(store, at), within=TIDY_TIMEOUT_SECONDS):
        store.set_notes("", {_DUE_NOTE: at + TIDY_AGAIN_SECONDS})


def select_unreported(store: Store, session: str, messages: Sequence[str]) -> Sequence[str]:
    """Return the *messages* if the session has not reported the same before."""
    if list(store.notes(session).get(REPORTED_NOTE) or ()) == list(messages):
        return ()
    store.set_notes(session, {REPORTED_NOTE: list(messages)})
    return messages
