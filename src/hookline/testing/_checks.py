"""What the suites of stores are checked with."""

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
"""Texts that stores have stumbled over."""


def name() -> str:
    """A name that nobody has used before."""
    return uuid.uuid4().hex


def at_once(work: Callable[[], Any], *, times: int) -> list[Any]:
    answers: list[Any] = []
    start = threading.Barrier(8)

    def several() -> None:
        start.wait()
        answers.extend([work() for _ in range(times // 8)])

    threads = [threading.Thread(target=several) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def same(got: Any, wanted: Any) -> None:
    # Not `assert`, which python -O takes out.
    if got != wanted:
        raise AssertionError(f"got {_short(got)}, wanted {_short(wanted)}")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 2000 else f"{text[:2000]}… ({len(text)} characters)"  # noqa: PLR2004 -- a screen
