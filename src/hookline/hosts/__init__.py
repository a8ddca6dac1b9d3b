"""Table of each supported host: one module per host, with the constant `HOST`."""

from __future__ import annotations

from hookline.core.host import Host
from hookline.core.registry import Registry
from hookline.hosts._bypass import AGENT_PROGRAMS, AgentProgram

__all__ = ["AGENT_PROGRAMS", "FAMILY", "AgentProgram", "load", "names"]

FAMILY = Registry(package=__name__, noun="host", constant="HOST")


def names() -> tuple[str, ...]:
    return FAMILY.names()


def load(name: str) -> Host:
    host: Host = FAMILY.load(name)
    return host
