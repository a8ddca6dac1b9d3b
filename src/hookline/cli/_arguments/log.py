"""Arguments of `hookline log`."""

import time
from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime

from hookline.cli._command import Command
from hookline.core.registry import describe_unknown

ACTIONS = ("pass", "ask", "block", "modify")
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def parse_action_name(text: str) -> str:
    if text not in ACTIONS:
        raise ArgumentTypeError(describe_unknown("action", text, ACTIONS))
    return text


def parse_time(text: str) -> float:
    """Return the Unix time of a text such as "2h" (ago) or an ISO date."""
    number, unit = text[:-1], text[-1:]
    try:
        if unit in UNITS and number.isascii() and number.replace(".", "", 1).isdecimal():
            return time.time() - float(number) * UNITS[unit]
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise ArgumentTypeError(
            f"invalid time {text!r}: expected an age (30s, 10m, 2h, 7d) or a date (2026-01-31T12:00)"
        ) from None


def parse_count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"invalid number of records {text!r}: expected 1 or more")
    return int(text)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--session", default="", metavar="S", help="session id or prefix")
    parser.add_argument("--event", default="", metavar="E", help="event name")
    parser.add_argument("--action", type=parse_action_name, metavar="A", help=", ".join(ACTIONS))
    parser.add_argument("--rule", default="", metavar="R", help="rule id")
    parser.add_argument(
        "--since", type=parse_time, metavar="WHEN", help="age such as 30s, 10m, 2h, 7d, or ISO date"
    )
    parser.add_argument("-n", dest="last", type=parse_count, metavar="N", help="show the newest N records")
    parser.add_argument("--follow", action="store_true", help="keep printing new records")
    parser.add_argument("--json", action="store_true", help="print JSON lines")


COMMAND = Command(
    about="Show the audit trail.",
    examples="""
hookline log --action block --since 2h
hookline log --session 58eca2c0 --follow

Output columns: time, session, event, tool, action, rules, summary. Indented lines: reason, warnings, notes.
""",
    arguments=arguments,
)
