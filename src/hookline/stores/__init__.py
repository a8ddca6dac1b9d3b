"""The stores, one a file; each file's `open_store` opens one at a place."""

from __future__ import annotations

from collections.abc import Callable

from hookline.core.registry import Family
from hookline.core.store import Store

FAMILY = Family(package=__name__, noun="store", constant="open_store")


def names() -> tuple[str, ...]:
    return FAMILY.names()


def load(name: str) -> Callable[[str], Store]:
    opener: Callable[[str], Store] = FAMILY.load(name)
    return opener
