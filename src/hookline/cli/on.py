"""Switch the built-in guards of this project on again, and revoke all exceptions and approvals."""

import os
from argparse import Namespace

from hookline.cli._command import Command
from hookline.cli._output import sanitize
from hookline.policy import grants
from hookline.system import paths


def run(args: Namespace) -> int:
    places = paths.find_places(os.environ, os.getcwd())
    files = (places.grants, os.path.join(places.state, grants.APPROVALS_FILE))
    count = sum(grants.withdraw_grants(file, places.root) for file in files if os.path.exists(file))
    print(f"guards are on in {sanitize(places.root)}; {count} {'grant' if count == 1 else 'grants'} revoked")
    return 0


COMMAND = Command(
    about="Switch the built-in guards on again, and revoke all exceptions and approvals.",
    examples="""
hookline on
""",
    run=run,
)
