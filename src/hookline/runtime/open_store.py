"""The configured store: its name, address and limits."""

from __future__ import annotations

from hookline import stores
from hookline.core.store import Limits, Store
from hookline.core.values import replace
from hookline.runtime.setup import Setup

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
_DUE_NOTE = "hookline.tidy_due"


def open_store(setup: Setup) -> Store:
    """Return the configured store; raise `StoreFailed`, `OSError` or `LookupError`."""
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
    if store.prune(store_limits(setup), at=at, within=TIDY_TIMEOUT_SECONDS):
        store.set_notes("", {_DUE_NOTE: at + TIDY_AGAIN_SECONDS})
