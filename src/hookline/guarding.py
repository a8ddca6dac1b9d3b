"""What guards an agent on this machine: the files and folders that it must leave alone."""

from __future__ import annotations

import os
import sys
from functools import cache

from hookline import hosts
from hookline.system.places import Places


@cache
def guarded(places: Places) -> tuple[str, ...]:
    """Files and folders by which an agent is guarded: ours, and those that wire us."""
    known = [hosts.load(name) for name in hosts.names()]
    wired = [name.replace("~", places.home, 1) for host in known for name in host.settings]
    wired += [os.path.join(places.root, name) for host in known for name in host.repository_switches]
    ways = [host.wiring.way.project for host in known if host.wiring and host.wiring.way.project]
    wired += [os.path.join(places.root, name) for name in ways]
    programs = [os.path.join(os.path.dirname(sys.executable), f"hookline{end}") for end in ("", "-client")]
    own = [os.path.dirname(os.path.abspath(__file__)), *programs]
    own = [one for one in own if not _within(one, places.root)]
    return (places.config, places.state, *places.daemon, *own, *wired)


def _within(path: str, root: str) -> bool:
    """What lies in the project itself is the project's work: its own checkout of us, or its environment."""
    return path.startswith(root.rstrip(os.sep) + os.sep)
