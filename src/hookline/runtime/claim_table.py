"""Claims on calls that are being answered or were answered lately: the one who claims a call answers it.

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

OLDEST = 600.0
"""Seconds after which a claim is forgotten: longer than any host waits."""


MOST = 512
"""Claims that are kept; of more, the oldest are forgotten."""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A claim on a call."""

    by: str
    at: float
    answered: float | None = None
    """When the answer was ready, by `lives.now`; None before."""
    said: str = ""
    """The answer as JSON; empty if it cannot be repeated."""


class Claims:
    """The claims in memory, or in *file* if one is named; its methods raise `OSError`."""

    def __init__(self, file: str = "") -> None:
        self._file = file
        self._lock = threading.Lock()
        self._claims: dict[str, Claim] = {}

    def claim(self, name: str, *, by: str, at: float, instead: str = "") -> Claim | None:
        """Claim the call *name*; return the claim of another that is not *instead*, or None on success."""
        with self._table() as claims:
            known = claims.get(name)
            if known is not None and at - known.at <= OLDEST and known.by != instead:
                return known
            claims.pop(name, None)  # so that the newest comes last
            claims[name] = Claim(by=by, at=at)
            _forget(claims, at)
        return None

    def answered(self, name: str, *, by: str, at: float, said: str = "") -> None:
        """Note the answer, unless another has taken the claim over."""
        with self._table() as claims:
            known = claims.get(name)
            if known is not None and known.by == by:
                claims[name] = replace(known, answered=at, said=said)

    def release(self, name: str, *, by: str) -> None:
        """Give up a claim without an answer."""
        with self._table() as claims:
            known = claims.get(name)
            if known is not None and known.by == by:
                del claims[name]

    @contextmanager
    def _table(self) -> Iterator[dict[str, Claim]]:
        if not self._file:
            with self._lock:
                yield self._claims
            return
        os.makedirs(os.path.dirname(self._file), mode=0o700, exist_ok=True)
        with file_lock.lock(self._file) as file:
            before = _read(file)
            claims = dict(before)
            yield claims
            if claims != before:
                # Not truncated first: ext4 would wait for the disk when the file is closed.
                os.lseek(file, 0, os.SEEK_SET)
                data = msgspec.json.encode(claims)
                spool_files.write(file, data, self._file)
                os.ftruncate(file, len(data))


def _forget(claims: dict[str, Claim], now: float) -> None:
    while claims:
        oldest = next(iter(claims))
        if now - claims[oldest].at <= OLDEST and len(claims) <= MOST:
            return
        del claims[oldest]


def _read(file: int) -> dict[str, Claim]:
    with open(file, "rb", closefd=False) as text:
        try:
            return msgspec.json.decode(text.read(), type=dict[str, Claim])
        except ValueError:
            return {}
