"""Switch the built-in guards of this project off for a limited time."""

import os
import re
import time
from argparse import Namespace

from hookline.cli import _require_person
from hookline.cli._grant import issue_grant
from hookline.policy.grants import MAX_SECONDS
from hookline.system import paths

UNITS = {"s": 1, "m": 60, "h": 3600}


def run(args: Namespace) -> int:
    places = paths.find_places(os.environ, os.getcwd())
    _require_person.require_person("switching guards off", os.environ)
    seconds = _parse_seconds(args.time)
    grant = issue_grant(places, "off", "off", seconds)
    until = time.strftime("%H:%M:%S", time.localtime(grant.until))
    print(f"built-in guards are off in {places.root} until {until}; `hookline on` switches them on")
    return 0


def _parse_seconds(text: str) -> int:
    match = re.fullmatch(r"(\d{1,6})([smh])", text)
    seconds = int(match[1]) * UNITS[match[2]] if match else 0
    if not 0 < seconds <= MAX_SECONDS:
        raise ValueError(f"invalid duration {text!r}: expected 1s to 8h, such as 10m")
    return seconds
