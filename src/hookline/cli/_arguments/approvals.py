"""Arguments of `hookline approvals`."""

from argparse import ArgumentParser

from hookline.cli._command import Command
from hookline.core.person_commands import PERSON_ONLY


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    allow = actions.add_parser("allow", help="let the call pass")
    allow.add_argument("--session", action="store_true", help="allow its rules for the rest of the session")
    deny = actions.add_parser("deny", help="stop the call")
    deny.add_argument("--message", default="", metavar="TEXT", help="message to the agent")
    for action in (allow, deny):
        action.add_argument("id", metavar="ID", help="id of the waiting call, or the beginning of it")


COMMAND = Command(
    about="List calls that wait for a person, and decide them.",
    examples="""
hookline approvals                                   list the calls that wait
hookline approvals allow 3f2a                        let this call pass
hookline approvals allow --session 3f2a              also allow its rules for the rest of the session
hookline approvals deny 3f2a --message 'use staging'

Calls wait if `approvals = "wait"` is set and the session has no user.
Deciding requires an interactive terminal outside an agent.
""",
    person_only=PERSON_ONLY["approvals"],
    arguments=arguments,
)
