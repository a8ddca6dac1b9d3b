"""Claims on calls that are being answered or were answered recently: only the claimant answers a call.

A daemon keeps them in memory. Processes that answer one call each share them in a file. A file that cannot be
read counts as empty, so that a call is answered twice rather than not at all.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from hookline.core.values import replace
from hookline.system import file_lock, spool_files
from hookline.system.paths import create_private

MAX_AGE_SECONDS = 600.0
"""Seconds after which a claim is dropped: longer than any host waits."""

MAX_CLAIMS = 512
"""Claims that are kept; the oldest of more are dropped."""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A claim on a call."""

    by: str
    at: float
    """The time of the claim, by `identity.now`."""
    answered: float | None = None
    """The time of the answer, by `identity.now`; None before."""
    answer: str = ""
    """The answer as JSON; empty if it cannot be repeated."""


class Claims:
    """The claims in memory, or in *file* if it is not empty; the methods raise `OSError`."""

    def __init__(self, file: str = "") -> None:
        self._file = file
        self._lock = threading.Lock()
        self._claims: dict[str, Claim] = {}

    def claim(self, name: str, *, by: str, at: float, instead: str = "") -> Claim | None:
        """Claim the call *name*; return None on success, or the claim of another that is not *instead*."""
        with self._table() as claims:
            existing = claims.get(name)
            if existing is not None and _is_fresh(existing, at) and existing.by != instead:
                return existing
            claims.pop(name, None)  # so that the newest comes last
            claims[name] = Claim(by=by, at=at)
            _drop_old(claims, at)
        return None

    def save_answer(self, name: str, *, by: str, at: float, answer: str = "") -> None:
        """Save the answer, unless another process has taken over the claim."""
        with self._table() as claims:
            existing = claims.get(name)
            if existing is not None and existing.by == by:
                claims[name] = replace(existing, answered=at, answer=answer)

    def release(self, name: str, *, by: str) -> None:
        """Release a claim without an answer."""
        with self._table() as claims:
            existing = claims.get(name)
            if existing is not None and existing.by == by:
                del claims[name]

    @contextmanager
    def _table(self) -> Iterator[dict[str, Claim]]:
        if not self._file:
            with self._lock:
                yield self._claims
            return
        create_private(os.path.dirname(self._file))
        with file_lock.lock(self._file) as file:
            before = _read_claims(file)
            claims = dict(before)
            yield claims
            if claims != before:
                # Not truncated first: ext4 would wait for the disk when the file is closed.
                os.lseek(file, 0, os.SEEK_SET)
                data = msgspec.json.encode(claims)
                spool_files.write(file, data, self._file)
                os.ftruncate(file, len(data))


def _drop_old(claims: dict[str, Claim], now: float) -> None:
    while claims:
        oldest = next(iter(claims))
        if _is_fresh(claims[oldest], now) and len(claims) <= MAX_CLAIMS:
            return
        del claims[oldest]


def _is_fresh(claim: Claim, now: float) -> bool:
    """Return whether a claim is recent.

    It may be a little later than *now*, which is read before the lock; one of an earlier boot is much later.
    """
    return abs(now - claim.at) <= MAX_AGE_SECONDS


def _read_claims(file: int) -> dict[str, Claim]:
    with open(file, "rb", closefd=False) as text:
        try:
            return msgspec.json.decode(text.read(), type=dict[str, Claim])
        except ValueError:
            return {}
