"""Withdraw trust in a project: its own hooks do not run, and its settings cannot loosen guards."""

import os
from argparse import Namespace

from hookline.cli._command import Command
from hookline.cli._output import sanitize
from hookline.policy.trust import unpin
from hookline.system.paths import find_places


def run(args: Namespace) -> int:
    places = find_places(os.environ, os.getcwd())
    was_trusted = unpin(places.trust, places.root)
    print(f"{sanitize(places.root)} {'is trusted no longer' if was_trusted else 'was not trusted'}")
    return 0


COMMAND = Command(
    about="Trust this project no longer.",
    examples="""
hookline untrust

Tightening needs no trust, so this may be done anywhere, by anyone.
""",
    run=run,
    exits="0, also when it was not trusted; 1 when the trust file cannot be changed; 2 when called wrongly",
)
