"""Groups of tests that run in the same worker, because distributing a test may cost more than running it."""

import pytest

PLACES = {"tmp_path", "tmp_path_factory", "tmpdir"}


def by_what_they_need(items):
    """Group the tests that use the same module fixture, so that only one worker creates it.

    Tests that need no temporary folder are short, so those of a file form one group.
    """
    for item in items:
        if item.get_closest_marker("xdist_group") or not (name := _group(item)):
            continue
        item.add_marker(pytest.mark.xdist_group(name))


def _group(item):
    shared = [name for name in item._fixtureinfo.initialnames if _of_the_module(item, name)]  # noqa: SLF001
    if shared:
        return "-".join([item.location[0], shared[0], *_with(item)])
    return "" if PLACES & {*item.fixturenames} or item.get_closest_marker("clients") else item.location[0]


def _of_the_module(item, name):
    fixture = item._fixtureinfo.name2fixturedefs.get(name)  # noqa: SLF001
    return bool(fixture) and fixture[-1].scope == "module" and fixture[-1].baseid == item.location[0]


def _with(item):
    """Return the parameter indices of the module-scoped fixtures of *item*."""
    known, call = item._fixtureinfo.name2fixturedefs, getattr(item, "callspec", None)  # noqa: SLF001
    places = call.indices if call else {}
    return (str(at) for name, at in places.items() if name in known and known[name][-1].scope == "module")
