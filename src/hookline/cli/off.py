"""Switch the built-in guards off for a limited time in this project: a user's decision, at a terminal."""

import os
import re
import time
from argparse import ArgumentParser, Namespace

from hookline.cli import _require_person
from hookline.cli._command import Command
from hookline.policy import grants
from hookline.system import paths

UNITS = {"s": 1, "m": 60, "h": 3600}
MAX_SECONDS = 8 * 3600


def run(args: Namespace) -> int:
    places = paths.find_places(os.environ, os.getcwd())
    _require_person.require_person("switching the guards off", os.environ)
    seconds = _parse_seconds(args.time)
    grant = grants.add_grant(places.grants, places.root, grants.OFF, now=time.time(), seconds=seconds)
    until = time.strftime("%H:%M:%S", time.localtime(grant.until))
    print(f"the built-in guards are off in {places.root} until {until}; `hookline on` ends it now")
    return 0


def _parse_seconds(text: str) -> int:
    match = re.fullmatch(r"(\d{1,6})([smh])", text)
    seconds = int(match[1]) * UNITS[match[2]] if match else 0
    if not 0 < seconds <= MAX_SECONDS:
        raise ValueError(f"{text!r} is no time from 1s to 8h; write it like 10m")
    return seconds


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("time", metavar="TIME", help="how long, such as 10m; at most 8h")


COMMAND = Command(
    about="Switch the built-in guards off for a while.",
    examples="""
hookline off 10m
    the built-in guards are off in ~/app until 14:12:09; `hookline on` ends it now
""",
    run=run,
    arguments=arguments,
    exits="0 when it is done, 1 where no person sits at a terminal, 2 when it was called wrongly",
)
