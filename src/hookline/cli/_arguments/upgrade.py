"""Arguments of `hookline upgrade`."""

from argparse import ArgumentParser

from hookline.cli._command import Command


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="skip the confirmation")
    parser.add_argument("--dry-run", action="store_true", help="show the changes only")


COMMAND = Command(
    about="Update the installed hooks of all projects to this version.",
    examples="""
hookline upgrade --dry-run
""",
    arguments=arguments,
)
