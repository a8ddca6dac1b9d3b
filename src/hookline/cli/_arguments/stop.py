"""Arguments of `hookline stop`."""

from argparse import ArgumentParser

from hookline.cli._command import Command


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="RUN", help="run id or prefix, or target")
    parser.add_argument("--finish", action="store_true", help="let the running experiments finish first")


COMMAND = Command(
    about="End a running run; its journal and its work stay.",
    examples="""
hookline stop sort
hookline stop sort --finish
""",
    arguments=arguments,
)
