"""Let one call past one rule: a user's decision, for the next call that the rule would stop."""

import os
import time
from argparse import ArgumentParser, Namespace

from hookline.cli import _require_person
from hookline.cli._command import Command
from hookline.policy import grants
from hookline.system import paths

MINUTES = 10


def run(args: Namespace) -> int:
    _require_person.require_person("letting a call past a rule", os.environ)
    places = paths.find_places(os.environ, os.getcwd())
    grants.add_grant(places.grants, places.root, args.once, now=time.time(), seconds=MINUTES * 60)
    print(f"the next call that {args.once} would stop in {places.root} passes once, within {MINUTES} minutes")
    return 0


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--once", required=True, metavar="RULE", help="the rule's id, as its reason shows it")


COMMAND = Command(
    about="Let the next call past one rule, once.",
    examples="""
hookline allow --once dangerous-command:git-push-force
    the next call that dangerous-command:git-push-force would stop in ~/app passes once
""",
    run=run,
    arguments=arguments,
    exits="0 when it is granted, 1 where no person sits at a terminal, 2 when it was called wrongly",
)
