"""Switch the built-in guards off for a while in this project: a person's decision, at a terminal."""

import os
import re
import time
from argparse import ArgumentParser, Namespace

from hookline.cli import _person
from hookline.cli._command import Command
from hookline.system import passes, places

UNITS = {"s": 1, "m": 60, "h": 3600}
LONGEST = 8 * 3600


def run(args: Namespace) -> int:
    where = places.find(os.environ, os.getcwd())
    if args.end:  # tightens, so that anybody may
        count = passes.withdraw(where.passes, where.root)
        print(f"the guards are on in {where.root}; {count} {'pass' if count == 1 else 'passes'} ended")
        return 0
    _person.needed("switching the guards off", os.environ)
    seconds = _seconds(args.time)
    one = passes.grant(where.passes, where.root, passes.OFF, now=time.time(), seconds=seconds)
    until = time.strftime("%H:%M:%S", time.localtime(one.until))
    print(f"the built-in guards are off in {where.root} until {until}; `hookline off --end` ends it now")
    return 0


def _seconds(text: str) -> int:
    told = re.fullmatch(r"(\d{1,6})([smh])", text)
    seconds = int(told[1]) * UNITS[told[2]] if told else 0
    if not 0 < seconds <= LONGEST:
        raise ValueError(f"{text!r} is no time from 1s to 8h; write it like 10m")
    return seconds


def arguments(parser: ArgumentParser) -> None:
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument("time", nargs="?", metavar="TIME", help="how long, such as 10m; at most 8h")
    chosen.add_argument("--end", action="store_true", help="switch them on again, and end every pass")


COMMAND = Command(
    about="Switch the built-in guards off for a while.",
    examples="""
hookline off 10m
    the built-in guards are off in ~/app until 14:12:09; `hookline off --end` ends it now
hookline off --end
""",
    run=run,
    arguments=arguments,
    exits="0 when it is done, 1 where no person sits at a terminal, 2 when it was called wrongly",
)
