"""Fixtures that open each store in an empty location, PostgreSQL on a real server."""

import pytest

from hookline import stores

from .postgres_server import running


@pytest.fixture(scope="session")
def postgres():
    with running() as server:
        yield server


@pytest.fixture
def place(request, tmp_path):
    """Return a function that returns the address of an empty store."""

    def at(name):
        return (
            request.getfixturevalue("postgres").database() if name == "postgres" else str(tmp_path / "store")
        )

    return at


@pytest.fixture
def opened(place):
    """Return a function that opens an empty store by name; all are closed afterwards."""
    kept = []

    def opener(name):
        kept.append(stores.load(name)(place(name)))
        return kept[-1]

    yield opener
    for store in kept:
        store.close()
