"""Every store there is, each with a place of its own; the servers that some of them need are real."""

import pytest

from hookline import stores

from .postgres_server import running


@pytest.fixture(scope="session")
def postgres():
    with running() as server:
        yield server


@pytest.fixture
def place(request, tmp_path):
    """Where a store of that name may be opened, empty."""

    def at(name):
        return (
            request.getfixturevalue("postgres").database() if name == "postgres" else str(tmp_path / "store")
        )

    return at


@pytest.fixture
def opened(place):
    """Open the empty store of a name; it is closed afterwards."""
    kept = []

    def opener(name):
        kept.append(stores.load(name)(place(name)))
        return kept[-1]

    yield opener
    for store in kept:
        store.close()
