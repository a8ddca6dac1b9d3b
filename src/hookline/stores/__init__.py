"""Stores: one module per store, with the function `open_store`."""

from __future__ import annotations

from collections.abc import Callable

from hookline.core.registry import Registry
from hookline.core.store import Store

FAMILY = Registry(package=__name__, noun="store", constant="open_store")


def names() -> tuple[str, ...]:
    return FAMILY.names()


def load(name: str) -> Callable[[str], Store]:
    opener: Callable[[str], Store] = FAMILY.load(name)
    return opener
