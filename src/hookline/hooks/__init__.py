"""The built-in hooks, one a file; a file's hook is the function named like it."""

from __future__ import annotations

from hookline.core.hook import Hook
from hookline.core.registry import Registry

FAMILY = Registry(package=__name__, noun="built-in hook")


def names() -> tuple[str, ...]:
    return FAMILY.names()


def load(name: str) -> Hook:
    hook: Hook = FAMILY.load(name)
    return hook
