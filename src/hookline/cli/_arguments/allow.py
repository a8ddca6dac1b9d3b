"""Arguments of `hookline allow`."""

from argparse import ArgumentParser

from hookline.cli._command import Command
from hookline.core.person_commands import PERSON_ONLY


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--once", required=True, metavar="RULE", help="rule id, as shown in the reason of the block"
    )


COMMAND = Command(
    about="Allow one call that a rule would stop.",
    examples="""
hookline allow --once dangerous-command:git-push-force

The daemon signs and verifies the exception, which ends with it; calls without a daemon ignore it.
""",
    person_only=PERSON_ONLY["allow"],
    arguments=arguments,
)
