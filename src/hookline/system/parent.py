"""End together with the program that started this one, however that ends."""

import ctypes
import os
import signal
import sys

_SET = 1  # PR_SET_PDEATHSIG


def end_with(parent: int) -> bool:
    """Have this program asked to end when its *parent* is gone; False where it is gone already."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET, ctypes.c_ulong(signal.SIGTERM), 0, 0, 0)
    return os.getppid() == parent
