"""Test every sink with the conformance suite; new sinks are found automatically."""

import pytest

from hookline import sinks
from hookline.core.sink import SinkFailed
from hookline.testing.sinks import SUITE, check_settings, check_sink, takes_from_many_at_once


@pytest.mark.parametrize("check", SUITE, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", sinks.names())
def test_sink(name, check, tmp_path):
    more = {"timeout": 0.2} if "timeout" in sinks.load(name).__kwdefaults__ else {}

    check(lambda: sinks.load(name)(str(tmp_path / "place"), **more))


@pytest.mark.parametrize("name", sinks.names())
def test_settings(name):
    check_settings(sinks.load(name))


def test_with_a_receiver(collector, protocol, tmp_path):
    check_sink(
        lambda: sinks.load("otel")(
            str(tmp_path), endpoint=collector.endpoint, protocol=protocol, content=True
        )
    )

    assert len({span.trace_id for span in collector.spans}) >= 80


class Broken:
    def export(self, reports):
        if reports:
            raise KeyError("oops")

    def close(self):
        pass


def test_the_suite_can_fail():
    with pytest.raises(AssertionError, match="oops"):
        takes_from_many_at_once(Broken)


def test_settings_can_fail():
    def open_sink(place, *, content: bool = True):
        return Broken()

    with pytest.raises(AssertionError, match="off by default"):
        check_settings(open_sink)


def test_a_sink_that_fails_as_agreed_passes():
    class Away(Broken):
        def export(self, reports):
            if reports:
                raise SinkFailed("away")

    check_sink(Away)
