"""The hosts, one a file; each file's `HOST` is its table."""

from __future__ import annotations

from hookline.core.host import Host
from hookline.core.registry import Family

FAMILY = Family(package=__name__, noun="host", constant="HOST")


def names() -> tuple[str, ...]:
    return FAMILY.names()


def load(name: str) -> Host:
    host: Host = FAMILY.load(name)
    return host
