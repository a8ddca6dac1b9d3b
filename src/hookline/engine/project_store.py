"""The store of a run's project."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager

from hookline.core.store import Store, StoreFailed
from hookline.runtime import open_store
from hookline.runtime.setup import load_setup

SHARED_STORE = "postgres"


def check_shared(env: Mapping[str, str], root: str) -> None:
    """Raise `ValueError` if machines cannot share the store."""
    setup = load_setup(dict(env), root)
    setup.resources.close()
    if open_store.store_name(setup) != SHARED_STORE:
        raise ValueError(
            "--cluster requires a store that machines can share, not "
            f"{open_store.store_name(setup)!r}: "
            f'set store = "{SHARED_STORE}" and store_address in your own hookline.toml'
        )


@contextmanager
def open_project_store(
    env: Mapping[str, str], root: str, report: Callable[[str], object]
) -> Iterator[Store | None]:
    """Yield the store, or report why it cannot be opened and yield None: a run requires only its files."""
    setup = load_setup(dict(env), root)
    setup.resources.close()
    try:
        store = open_store.open_store(setup)
    except (StoreFailed, OSError, LookupError) as error:
        report(f"rows are written to the journal files only: {error}")
        yield None
        return
    with closing(store):
        yield store
