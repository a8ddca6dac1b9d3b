"""Arguments of `hookline trust`."""

from argparse import ArgumentParser

from hookline.cli._command import Command
from hookline.core.person_commands import PERSON_ONLY


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--show", action="store_true", help="show the trusted files, or the changes since then"
    )
    parser.add_argument("--yes", action="store_true", help="skip the confirmation")


COMMAND = Command(
    about="Trust the current hooks and settings of this project.",
    examples="""
hookline trust --show

Project hooks run only if trusted. Changed files must be trusted again.
Requires an interactive terminal outside an agent, also with --yes, or a consent in consents.toml.
""",
    person_only=PERSON_ONLY["trust"],
    arguments=arguments,
)
