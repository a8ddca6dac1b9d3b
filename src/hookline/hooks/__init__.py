"""The built-in hooks, one per file; each file defines a function of the same name."""

from __future__ import annotations

from hookline.core.hook import Hook
from hookline.core.registry import Registry

FAMILY = Registry(package=__name__, noun="built-in hook")


def names() -> tuple[str, ...]:
    return FAMILY.names()


def load(name: str) -> Hook:
    hook: Hook = FAMILY.load(name)
    return hook
