"""The store that a person configured: opened where they said, and kept within the limits they set."""

from __future__ import annotations

from hookline import stores
from hookline.core.store import Limits, Store
from hookline.core.values import replace
from hookline.runtime.setup import Setup

STORE = "sqlite"
"""The one that is used where nobody says otherwise."""
ADDRESS = "HOOKLINE_STORE_ADDRESS"
"""The variable with the store's address, so that a password need not stand in a file."""
TIDY_EVERY = 86_400.0
"""Seconds between two times that a store is kept within its limits."""
TIDY_WITHIN = 0.25
"""Seconds that may take; a writer never waits longer for it than for one batch."""
TIDY_SOON = 600.0
"""Seconds until it goes on where something was forgotten, for there may be more."""
_DUE = "hookline.tidy_due"


def open_store(setup: Setup) -> Store:
    """Raises `StoreFailed`, `OSError` or `LookupError` where it cannot be had."""
    return stores.load(name(setup))(place(setup))


def name(setup: Setup) -> str:
    chosen = setup.settled.options.get("store")
    return str(chosen.value) if chosen else STORE


def place(setup: Setup) -> str:
    """The address that was configured, else the usual file."""
    given = setup.settled.options.get("store_address")
    return setup.env.get(ADDRESS) or (given.value if given else "") or setup.places.store


def limits(setup: Setup) -> Limits:
    options, usual = setup.settled.options, Limits()
    days, records = options.get("keep_days"), options.get("keep_records")
    return replace(
        usual,
        days=days.value if days else usual.days,
        records=records.value if records else usual.records,
    )


def tidy(setup: Setup, store: Store, *, at: float) -> None:
    """Once a day, whoever comes first: forget what is over the limits."""
    due = store.notes("").get(_DUE, 0.0)
    if at < due <= at + TIDY_EVERY:  # a clock that was set back must not put it off for years
        return
    store.note("", {_DUE: at + TIDY_EVERY})
    if store.prune(limits(setup), at=at, within=TIDY_WITHIN):
        store.note("", {_DUE: at + TIDY_SOON})
