"""Requests to the daemon about grants: to sign one, to check one, and to revoke some."""

import json
import os
import time
from collections.abc import Sequence

from hookline.daemon import control
from hookline.daemon.control import SWITCH, ensure
from hookline.daemon.paths import create_daemon_folder, find_daemon_folder
from hookline.policy.grants import ENDED, Grant, format_grants, parse_grants

ATTEMPTS = 20
RETRY_SECONDS = 0.1
"""Seconds between two attempts, while a daemon of another release or installation is replaced."""


def sign_grant(grant: Grant) -> Grant:
    """Return *grant*, signed by the daemon, which is started if necessary; raise `OSError`."""
    if os.environ.get(SWITCH) == "off":
        raise PermissionError(f"the daemon keeps grants, and {SWITCH}=off disables it; unset this variable")
    place, payload = create_daemon_folder(), format_grants([grant]).encode()
    for _ in range(ATTEMPTS):
        reply = control.ask(place, "sign", payload) if ensure(place) else None
        if reply is not None:
            break
        time.sleep(RETRY_SECONDS)
    else:
        raise OSError("the daemon, which keeps grants, does not answer; see `hookline daemon status`")
    if reply.code:
        raise PermissionError(f"the daemon signed no grant: {reply.stderr.decode(errors='replace')}")
    return parse_grants(reply.stdout)[0]


def check_grant(grant: Grant) -> str:
    """Return why the running daemon does not accept *grant*; empty if it does."""
    reply = control.ask(find_daemon_folder(), "check", format_grants([grant]).encode())
    return ENDED if reply is None or reply.code else str(json.loads(reply.stdout)[0])


def revoke_grants(revoked: Sequence[Grant]) -> None:
    """Let the daemon accept the *revoked* grants no more, even if their file is restored."""
    if revoked:
        control.ask(find_daemon_folder(), "revoke", format_grants(revoked).encode())
