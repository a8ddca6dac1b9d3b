"""Arguments of `hookline off`."""

from argparse import ArgumentParser

from hookline.cli._command import Command
from hookline.core.person_commands import PERSON_ONLY


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("time", metavar="TIME", help="duration, such as 10m; at most 8h")


COMMAND = Command(
    about="Switch the built-in guards off for a limited time.",
    examples="""
hookline off 10m

The daemon signs and verifies this, and it ends with the daemon; calls without a daemon ignore it.
To disable a guard for good, use `enabled = false` in the settings.
""",
    person_only=PERSON_ONLY["off"],
    arguments=arguments,
)
