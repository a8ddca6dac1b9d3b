"""Withdraw trust in a project: its own hooks do not run, and its settings cannot loosen guards."""

import os
from argparse import Namespace

from hookline.cli._output import sanitize
from hookline.policy.trust import unpin
from hookline.system.paths import find_places


def run(args: Namespace) -> int:
    places = find_places(os.environ, os.getcwd())
    was_trusted = unpin(places.trust, places.root)
    print(f"{sanitize(places.root)} {'is no longer trusted' if was_trusted else 'was not trusted'}")
    return 0
