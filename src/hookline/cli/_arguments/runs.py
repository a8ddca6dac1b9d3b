"""Arguments of `hookline runs`."""

from argparse import ArgumentParser

from hookline.cli._command import Command


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON lines")


COMMAND = Command(
    about="List the runs of this repository and their results.",
    examples="""
hookline runs
""",
    arguments=arguments,
)
