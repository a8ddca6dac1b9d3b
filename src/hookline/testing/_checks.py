"""Helpers and hostile texts for the store suites."""

import threading
import uuid
from collections.abc import Callable
from typing import Any

HOSTILE = {
    "nul": "a\x00b\x00",
    "lone surrogate": "caf\udce9 \ud800",
    "megabyte": "x" * 1_000_000,
    "emoji": "🧵 👩‍🔬 \ufdd0 \ufdd00000 \uffff",
    "quotes": "'; DROP TABLE records; --\" ` \\ % _ ? :x",
    "controls": "".join(map(chr, range(32))) + "\x7f\u2028\ufeff",
}
"""Texts that have broken stores."""


def unique_name() -> str:
    """Return a unique name."""
    return uuid.uuid4().hex


def run_in_threads(work: Callable[[], Any], *, times: int) -> list[Any]:
    """Return the results of *times* calls of *work* from eight threads."""
    results: list[Any] = []
    start = threading.Barrier(8)

    def run() -> None:
        start.wait()
        results.extend([work() for _ in range(times // 8)])

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def check_equal(actual: Any, expected: Any) -> None:
    # Not `assert`, which `python -O` removes.
    if actual != expected:
        raise AssertionError(f"got {_shorten(actual)}, expected {_shorten(expected)}")


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 2000 else f"{text[:2000]}… ({len(text)} characters)"  # noqa: PLR2004 -- a screen
