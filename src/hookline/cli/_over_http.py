"""What `init --http` needs before it writes an address into settings: a port, a secret, and an answer."""

import time
from argparse import Namespace
from collections.abc import Mapping

from hookline.daemon import control, port, start
from hookline.daemon.paths import made
from hookline.host import Host
from hookline.wiring import Address, Listed

WITHIN = 15.0
"""Seconds in which a daemon must answer."""


def over_http(args: Namespace, env: Mapping[str, str]) -> Address | None:
    """The address that is to be written; None where nobody wanted that. Raises `PermissionError`."""
    if not args.http:
        return None
    if not args.user:
        raise PermissionError("--http goes with --user: a secret must not stand in a file of the repository")
    if env.get(start.SWITCH) == "off":
        raise PermissionError(f"--http needs the daemon, and {start.SWITCH} is off")
    return port.chosen(env, keep=not (args.dry_run or args.print)).address(guards=args.http == "guards")


def without(host: Host) -> str:
    """What to say of a host that cannot be wired so; empty where it can."""
    way = host.wiring.way if host.wiring else None
    if isinstance(way, Listed) and way.http is not None:
        return ""
    return f"  note: {host.name} cannot ask over http, so every moment of it starts a command"


def answering(env: Mapping[str, str]) -> None:
    """Have a daemon that answers on the port that is kept; raises `PermissionError` where there is none."""
    if not port.trouble(env):
        return
    place = made(env)
    control.stop(place)  # one that was started before does not listen there
    start.start(place, env)
    until = time.monotonic() + WITHIN
    while wrong := port.trouble(env):
        if time.monotonic() > until:
            raise PermissionError(f"nothing was changed, because over http {wrong}")
        time.sleep(0.1)
