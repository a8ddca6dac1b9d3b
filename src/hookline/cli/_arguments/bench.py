"""Arguments of `hookline bench`."""

from argparse import ArgumentParser
from collections.abc import Callable

from hookline.cli._command import EXITS, Command, parse_positive_int


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--quick", action="store_true", help="smaller sizes: a few seconds")
    length.add_argument("--long", action="store_true", help="idle for a minute")
    for name, (kind, what) in SIZE_OPTIONS.items():
        parser.add_argument(f"--{name}", type=kind, metavar="N", help=what)


SIZE_OPTIONS: dict[str, tuple[Callable[[str], float], str]] = {
    "calls": (parse_positive_int, "calls of each kind"),
    "sequence": (parse_positive_int, "sequential calls"),
    "seconds": (parse_positive_int, "seconds of load by 50 agents"),
    "idle": (float, "idle seconds"),
}
COMMAND = Command(
    about="Measure the time of hook calls on this machine.",
    examples="""
hookline bench --quick

Uses a temporary home folder and daemon; your data is not read or changed.
""",
    arguments=arguments,
    exits={0: "all limits are met", 1: "one is not", 2: EXITS[2], 3: "the machine is too busy"},
)
