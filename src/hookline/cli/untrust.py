"""Trust a project no longer: its own hooks do not run, and what loosens a guard does not count."""

import os
from argparse import Namespace

from hookline.cli._command import Command
from hookline.cli._output import visible
from hookline.policy.trust import unpin
from hookline.system.paths import find


def run(args: Namespace) -> int:
    places = find(os.environ, os.getcwd())
    known = unpin(places.trust, places.root)
    print(f"{visible(places.root)} {'is trusted no longer' if known else 'was not trusted'}")
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
