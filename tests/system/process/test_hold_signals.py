"""Test that signals during the start of a process are held and then delivered."""

import os
import signal

import pytest

from hookline.system.process.spawn import DeferredSignals


@pytest.fixture
def heard():
    said = []
    usual = signal.signal(signal.SIGTERM, lambda number, frame: said.append(number))
    yield said
    signal.signal(signal.SIGTERM, usual)


def test_a_signal_waits_and_is_then_heard_once(heard):
    with DeferredSignals() as held:
        os.kill(os.getpid(), signal.SIGTERM)
        before = list(heard)
        held.release()
        after = list(heard)

    assert (before, after, heard) == ([], [signal.SIGTERM], [signal.SIGTERM])


def test_leaving_without_a_release_hears_it_too(heard):
    with DeferredSignals():
        os.kill(os.getpid(), signal.SIGTERM)

    assert heard == [signal.SIGTERM]


def test_what_ends_a_program_by_default_still_does(heard):
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with DeferredSignals():
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
