"""Arguments of `hookline approve`."""

from argparse import ArgumentParser

from hookline.cli._command import Command
from hookline.core.person_commands import PERSON_ONLY


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="PATH", help="path, as the agent wrote it")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--list", action="store_true", help="list the approved paths of this project")
    group.add_argument("--revoke", action="store_true", help="revoke the approval of PATH")
    parser.add_argument(
        "--minutes", type=int, default=10, metavar="N", help="duration of the approval (default: 10)"
    )


COMMAND = Command(
    about="Allow an agent to open a guarded path once.",
    examples="""
hookline approve .env            the agent may open APPROVED:.env once

Requires an interactive terminal outside an agent, except for --list and --revoke.
The daemon signs and verifies the approval, which ends with it; calls without a daemon ignore it.
""",
    person_only=PERSON_ONLY["approve"],
    arguments=arguments,
)
