"""Arguments of `hookline daemon`."""

from argparse import ArgumentParser

from hookline.cli._command import EXITS, Command, add_action
from hookline.core.person_commands import PERSON_ONLY


def arguments(parser: ArgumentParser) -> None:
    subparsers = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    add_action(subparsers, "start", "Start the daemon.", "start")
    add_action(subparsers, "stop", "Stop the daemon after the calls in progress.", "stop")
    status_parser = add_action(subparsers, "status", "Show the state of the daemon.", "status")
    status_parser.add_argument("--json", action="store_true", help="print JSON")
    add_action(subparsers, "logs", "Show the failures that the daemon logged.", "logs")


COMMAND = Command(
    about="Start, stop or inspect the daemon that answers hook calls.",
    examples="""
hookline daemon status

The first hook call starts the daemon; it exits after 30 minutes without calls.
HOOKLINE_DAEMON=off in the environment disables it.
Stopping the daemon ends the grants of `hookline allow`, `approve` and `off`.
""",
    person_only=PERSON_ONLY["daemon"],
    arguments=arguments,
    exits={**EXITS, 0: "success, or it is running", 1: "failure, or it is not running"},
)
