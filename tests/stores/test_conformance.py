"""Test every store with the conformance suite; new stores are found automatically."""

import pytest

from hookline import stores
from hookline.testing.stores import SUITE, check_store, counters_count

pytestmark = pytest.mark.xdist_group("stores")  # all of them share one server


@pytest.mark.slow
@pytest.mark.parametrize("check", SUITE, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", stores.names())
def test_store(name, check, opened):
    check(opened(name))


def test_the_suite_can_fail():
    store = stores.load("memory")("")
    honest = store.count
    store.count = lambda session, name, by=1: honest(session, name, by) + 1

    with pytest.raises(AssertionError, match="expected"):
        counters_count(store)


def test_check_store_runs_the_whole_suite():
    opened = []

    def opener():
        opened.append(stores.load("memory")(""))
        return opened[-1]

    check_store(opener)

    assert len(opened) == len(SUITE)
