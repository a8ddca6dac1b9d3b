"""Become, for a while, the parent of whatever our processes orphan, so that nothing gets out of sight.

Being a subreaper is a property of the whole program, not of a thread: it is held while anyone needs it, and
then as it was before.
"""

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_SET, _GET = 36, 37  # PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER


class _Holders:
    lock = threading.Lock()
    count = 0
    before = 0


@contextmanager
def adopting() -> Iterator[bool]:
    """Adopt orphans; False where the system does not let us."""
    with _Holders.lock:
        _Holders.count += 1
        if _Holders.count == 1:
            _Holders.before = _subreaper()
            _become(1)
        held = _subreaper() == 1
    try:
        yield held
    finally:
        with _Holders.lock:
            _Holders.count -= 1
            if _Holders.count == 0:
                _become(_Holders.before)


def _subreaper() -> int:
    if sys.platform != "linux":
        return 0
    value = ctypes.c_int(0)
    _libc().prctl(_GET, ctypes.byref(value), 0, 0, 0)
    return value.value


def _become(value: int) -> None:
    if sys.platform == "linux":
        _libc().prctl(_SET, ctypes.c_ulong(value), 0, 0, 0)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _forget() -> None:
    # A forked copy of this program is no subreaper, and a lock another thread held is held for ever there.
    _Holders.lock = threading.Lock()
    _Holders.count = 0


os.register_at_fork(after_in_child=_forget)
