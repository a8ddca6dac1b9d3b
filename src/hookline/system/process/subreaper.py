"""Adoption of processes that our children orphan, so that all of them can be found.

Being a subreaper is a property of the whole program, not of a thread: the program is one as long as any
caller needs it, then the previous state is restored.
"""

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 36, 37


class _Holders:
    lock = threading.Lock()
    count = 0
    previous = 0


@contextmanager
def adopt_orphans() -> Iterator[bool]:
    """Adopt orphans; yield False if the system does not allow it."""
    with _Holders.lock:
        _Holders.count += 1
        if _Holders.count == 1:
            _Holders.previous = _get_subreaper()
            _set_subreaper(1)
        adopted = _get_subreaper() == 1
    try:
        yield adopted
    finally:
        with _Holders.lock:
            _Holders.count -= 1
            if _Holders.count == 0:
                _set_subreaper(_Holders.previous)


def _get_subreaper() -> int:
    if sys.platform != "linux":
        return 0
    value = ctypes.c_int(0)
    _libc().prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(value), 0, 0, 0)
    return value.value


def _set_subreaper(value: int) -> None:
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(value), 0, 0, 0)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _reset_after_fork() -> None:
    # A forked copy is not a subreaper, and a lock that another thread held would stay locked there.
    _Holders.lock = threading.Lock()
    _Holders.count = 0


os.register_at_fork(after_in_child=_reset_after_fork)
