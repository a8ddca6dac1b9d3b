"""Switch the built-in guards of this project on again, and revoke all exceptions and approvals."""

import os
from argparse import Namespace

from hookline.cli._grant import revoke_grants
from hookline.cli._output import sanitize
from hookline.system import paths


def run(args: Namespace) -> int:
    places = paths.find_places(os.environ, os.getcwd())
    count = revoke_grants(places)
    print(f"guards are on in {sanitize(places.root)}; {count} {'grant' if count == 1 else 'grants'} revoked")
    return 0
