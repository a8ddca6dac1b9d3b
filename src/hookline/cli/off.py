"""Switch the built-in guards off for a while in this project: a person's decision, at a terminal."""

import os
import re
import time
from argparse import ArgumentParser, Namespace

from hookline.cli import _require_person
from hookline.cli._command import Command
from hookline.policy import grants
from hookline.system import paths

UNITS = {"s": 1, "m": 60, "h": 3600}
LONGEST = 8 * 3600


def run(args: Namespace) -> int:
    where = paths.find(os.environ, os.getcwd())
    _require_person.needed("switching the guards off", os.environ)
    seconds = _seconds(args.time)
    one = grants.grant(where.passes, where.root, grants.OFF, now=time.time(), seconds=seconds)
    until = time.strftime("%H:%M:%S", time.localtime(one.until))
    print(f"the built-in guards are off in {where.root} until {until}; `hookline on` ends it now")
    return 0


def _seconds(text: str) -> int:
    told = re.fullmatch(r"(\d{1,6})([smh])", text)
    seconds = int(told[1]) * UNITS[told[2]] if told else 0
    if not 0 < seconds <= LONGEST:
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
