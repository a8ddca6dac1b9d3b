"""Arguments of `hookline init`."""

from argparse import ArgumentParser

from hookline.cli._command import Command


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--host", action="append", default=[], metavar="NAME", help="agent, such as claude-code; repeatable"
    )
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument("--user", action="store_true", help="install for all your projects")
    scope.add_argument("--local", action="store_true", help="install for yourself in this project")
    parser.add_argument("--yes", action="store_true", help="skip the confirmation")
    parser.add_argument("--dry-run", action="store_true", help="show the changes only")
    parser.add_argument("--print", action="store_true", help="print the settings to add by hand")


COMMAND = Command(
    about="Install hooks into the agents that are used here.",
    examples="""
hookline init
hookline init --host codex --dry-run

Your own hooks, comments and formatting are kept. `hookline uninstall` reverts the changes.
""",
    arguments=arguments,
)
