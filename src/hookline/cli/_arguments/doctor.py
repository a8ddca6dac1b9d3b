"""Arguments of `hookline doctor`."""

from argparse import ArgumentParser

from hookline.cli._command import EXITS, Command


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--host", action="append", default=[], metavar="NAME", help="check only this agent")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print JSON")
    output.add_argument("--fix", action="store_true", help="run the advised commands, after asking for each")
    parser.add_argument("--yes", action="store_true", help="with --fix: skip the confirmations")


COMMAND = Command(
    about="Check the installed hooks and the environment.",
    examples="""
hookline doctor --host codex
hookline doctor --fix

Each installed command is run with a forced push that it must block. Nothing is recorded.
! requires action   · for information   ✓ tested, correct
""",
    arguments=arguments,
    exits={**EXITS, 0: "no problems", 1: "something requires action"},
)
