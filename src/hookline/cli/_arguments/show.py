"""Arguments of `hookline show`."""

from argparse import ArgumentParser

from hookline.cli._command import Command, add_run_argument


def arguments(parser: ArgumentParser) -> None:
    add_run_argument(parser)
    parser.add_argument("experiment", nargs="?", type=int, metavar="N", help="number of one experiment")
    parser.add_argument("--json", action="store_true", help="print JSON lines")


COMMAND = Command(
    about="Show the experiments of a run, or one of them with its diff.",
    examples="""
hookline show sort-261115-1850 3
""",
    arguments=arguments,
)
