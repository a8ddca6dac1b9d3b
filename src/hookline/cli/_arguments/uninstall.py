"""Arguments of `hookline uninstall`."""

from argparse import ArgumentParser

from hookline.cli._command import Command
from hookline.core.person_commands import PERSON_ONLY


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--host", action="append", default=[], metavar="NAME", help="agent, such as claude-code; repeatable"
    )
    parser.add_argument("--user", action="store_true", help="remove from your user settings")
    parser.add_argument("--all", action="store_true", help="remove from all projects and your user settings")
    parser.add_argument("--yes", action="store_true", help="skip the confirmation")
    parser.add_argument("--dry-run", action="store_true", help="show the changes only")


COMMAND = Command(
    about="Remove the installed hooks from the agents' settings files.",
    examples="""
hookline uninstall --host codex

Requires an interactive terminal outside an agent, also with --yes, or a consent in consents.toml.
""",
    person_only=PERSON_ONLY["uninstall"],
    arguments=arguments,
)
