"""Judge many payloads in parallel; only built-in hooks are pure enough for that."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

_T = TypeVar("_T")
Work = Callable[[Any], _T]
CHUNK_SIZE = 16
"""Payloads that are sent to a process together."""
_work: Work[Any] | None = None


@contextmanager
def open_pool(work: Work[_T], size: int = 0) -> Iterator[Callable[[Sequence[Any]], Iterable[_T]]]:
    """Yield a function that applies *work* to a list of payloads, in order.

    With one processor, or without fork, it runs in this process. It must be entered before this program has
    threads, because a process that is forked later may hang.
    """
    global _work  # noqa: PLW0603 -- forked processes inherit it
    size = (size or _count_processors()) if hasattr(os, "fork") else 1
    if size == 1:
        yield lambda payloads: [work(payload) for payload in payloads]
        return
    _work = work
    with multiprocessing.get_context("fork").Pool(size, _reset_signals) as pool:
        yield lambda payloads: pool.map(_run_work, payloads, CHUNK_SIZE)


def _count_processors() -> int:
    """Return the processors that this program may use, if the system reports them, else all."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _reset_signals() -> None:
    """Let the parent end a worker, whatever handler it has inherited; the parent also handles SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _run_work(payload: Any) -> Any:
    if _work is None:
        raise RuntimeError("the worker process has no function to run")
    return _work(payload)
