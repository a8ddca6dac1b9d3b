"""Judge many payloads at once, on all processors, where the hooks are pure: only built-ins are."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

_T = TypeVar("_T")
Work = Callable[[Any], _T]
SMALL = 16
"""Payloads that are handed over together."""
_work: Work[Any] | None = None


@contextmanager
def crew(work: Work[_T], size: int = 0) -> Iterator[Callable[[Sequence[Any]], Iterable[_T]]]:
    """What carries *work* out for a list of payloads, in order; with one processor, or no fork, by itself.

    It has to be entered before this program has threads: a process that is forked then may hang.
    """
    global _work  # noqa: PLW0603 -- what a forked process finds in place
    size = (size or _processors()) if hasattr(os, "fork") else 1
    if size == 1:
        yield lambda given: [work(one) for one in given]
        return
    _work = work
    with multiprocessing.get_context("fork").Pool(size, _deaf) as pool:
        yield lambda given: pool.map(_carried_out, given, SMALL)


def _processors() -> int:
    """Those that this program may use, where the system tells."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _deaf() -> None:
    """Whoever is interrupted is the one who gave the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _carried_out(given: Any) -> Any:
    if _work is None:
        raise RuntimeError("the crew was not told its work")
    return _work(given)
