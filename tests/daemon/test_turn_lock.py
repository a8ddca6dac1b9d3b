"""Test the turn lock: calls run one after another, unless the holder takes too long."""

import threading
import time

from hookline.daemon.turn_lock import MAX_WAIT_SECONDS, Turns

LONG = 60.0
"""Seconds of patience that no test exceeds, even on a busy machine."""


def waited(turns):
    began = time.monotonic()
    with turns.take():
        return time.monotonic() - began


def test_who_comes_waits_for_who_is_before(monkeypatch):
    monkeypatch.setattr("hookline.daemon.turn_lock.MAX_WAIT_SECONDS", LONG)
    turns = Turns()
    with turns.take():
        taken = threading.Thread(target=waited, args=(turns,))
        taken.start()
        taken.join(0.05)
        assert taken.is_alive()
    taken.join()


def test_only_the_first_waits_for_one_who_takes_long():
    turns = Turns()
    with turns.take():
        first = waited(turns)
        others = [waited(turns) for _ in range(5)]

    assert first >= MAX_WAIT_SECONDS
    assert sum(others) < MAX_WAIT_SECONDS


def test_one_who_took_long_ends_nobody_elses_turn():
    turns = Turns()
    with turns.take():
        waited(turns)
    with turns.take():
        assert waited(turns) >= MAX_WAIT_SECONDS
