"""Sinks: one module per sink, with the function `open_sink`, whose keyword parameters are the settings."""

import sys
from collections.abc import Callable
from typing import Any

from hookline.core.registry import Registry
from hookline.core.sink import Sink

FAMILY = Registry(package=__name__, noun="sink", constant="open_sink")


def names() -> tuple[str, ...]:
    return FAMILY.names()


def load(name: str) -> Callable[..., Sink]:
    """Return the function that opens the sink named *name* in its own folder, with settings."""
    opener: Callable[..., Sink] = FAMILY.load(name)
    return opener


def about(name: str) -> str:
    """Return a one-line description of the sink."""
    module: Any = sys.modules[FAMILY.load(name).__module__]
    return (module.__doc__ or "").strip().partition("\n")[0]


def allows_direct_writes(name: str) -> bool:
    """Return whether a call may write to the sink directly, because it is fast and waits for nothing."""
    module: Any = sys.modules[FAMILY.load(name).__module__]
    return bool(getattr(module, "ALLOWS_DIRECT_WRITES", False))
