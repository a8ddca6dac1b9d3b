"""Arguments of `hookline clean`."""

from argparse import ArgumentParser

from hookline.cli._command import Command


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("runs", nargs="*", metavar="RUN", help="run ids or prefixes (default: all runs)")
    parser.add_argument("--refs", action="store_true", help="also remove the refs to discarded experiments")
    parser.add_argument("--everything", action="store_true", help="also remove branches and journals")
    parser.add_argument("--yes", action="store_true", help="skip the confirmation")


COMMAND = Command(
    about="Remove the worktrees of runs; asks first.",
    examples="""
hookline clean --everything sort-261115-1850

A cleaned run can still be resumed, unless --everything removed it.
""",
    arguments=arguments,
)
