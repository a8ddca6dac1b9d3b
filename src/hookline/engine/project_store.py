"""The store of the project that a run is in, for as long as something is done with it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager

from hookline.core.store import Store, StoreFailed
from hookline.runtime import open_store
from hookline.runtime.setup import load

SHARED = "postgres"


def shared(env: Mapping[str, str], root: str) -> None:
    """Raise `ValueError` where the store cannot be shared by machines."""
    setup = load(dict(env), root)
    setup.kept.close()
    if open_store.name(setup) != SHARED:
        raise ValueError(
            f"--cluster needs a store that machines can share, and yours is {open_store.name(setup)!r}: "
            f'say store = "{SHARED}" in your own hookline.toml, and its store_address'
        )


@contextmanager
def opened(env: Mapping[str, str], root: str, complain: Callable[[str], object]) -> Iterator[Store | None]:
    """None where it cannot be opened, which is complained about: a run needs its files alone."""
    setup = load(dict(env), root)
    setup.kept.close()
    try:
        store = open_store.open_store(setup)
    except (StoreFailed, OSError, LookupError) as error:
        complain(f"rows are in the journal's files alone: {error}")
        yield None
        return
    with closing(store):
        yield store
