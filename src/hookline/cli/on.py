"""Switch the built-in guards on again in this project, and end every pass."""

import os
from argparse import Namespace

from hookline.cli._command import Command
from hookline.cli._output import sanitize
from hookline.policy import grants
from hookline.system import paths


def run(args: Namespace) -> int:
    places = paths.find_places(os.environ, os.getcwd())
    count = grants.withdraw_grants(places.grants, places.root)
    print(f"the guards are on in {sanitize(places.root)}; {count} {'pass' if count == 1 else 'passes'} ended")
    return 0


COMMAND = Command(
    about="Switch the built-in guards on again.",
    examples="""
hookline on
    the guards are on in ~/app; 1 pass ended

This tightens, so anybody may do it, also where no person sits at a terminal.
""",
    run=run,
    exits="0, also when they were on; 1 when the file of passes cannot be changed; 2 when called wrongly",
)
