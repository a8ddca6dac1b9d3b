"""Arguments of `hookline status`."""

from argparse import ArgumentParser

from hookline.cli._arguments.log import parse_time
from hookline.cli._command import Command


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--watch", action="store_true", help="keep running, and update on changes; q ends it")
    parser.add_argument(
        "--since", type=parse_time, metavar="WHEN", help="include sessions active since 30m, 2h, 7d"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list")


COMMAND = Command(
    about="Show active sessions and runs, with the time and tokens left.",
    examples="""
hookline status --watch
""",
    arguments=arguments,
)
