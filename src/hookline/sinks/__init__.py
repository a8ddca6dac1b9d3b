"""The sinks, one a file; each file's `open_sink` opens one, and its keyword parameters are the settings."""

import sys
from collections.abc import Callable
from typing import Any

from hookline.core.registry import Family
from hookline.core.sink import Sink

FAMILY = Family(package=__name__, noun="sink", constant="open_sink")


def names() -> tuple[str, ...]:
    return FAMILY.names()


def load(name: str) -> Callable[..., Sink]:
    """What opens the sink called *name* at a folder of its own, with settings."""
    opener: Callable[..., Sink] = FAMILY.load(name)
    return opener


def about(name: str) -> str:
    """What the sink is, in a line."""
    module: Any = sys.modules[FAMILY.load(name).__module__]
    return (module.__doc__ or "").strip().partition("\n")[0]


def near(name: str) -> bool:
    """Whether a call may write to it by itself: it is quick, and waits for nobody."""
    module: Any = sys.modules[FAMILY.load(name).__module__]
    return bool(getattr(module, "NEAR", False))
