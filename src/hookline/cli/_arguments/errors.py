"""Arguments of `hookline errors`."""

from argparse import ArgumentParser

from hookline.cli._command import Command, add_action, parse_positive_int
from hookline.core.person_commands import PERSON_ONLY


def arguments(parser: ArgumentParser) -> None:
    subparsers = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    subparser = add_action(subparsers, "list", "List known errors, latest first.", "list_errors")
    _add_all_option(subparser)
    subparser.add_argument("--fixed", action="store_true", help="only errors with a fix")
    subparser.add_argument(
        "-n",
        dest="last",
        type=parse_positive_int,
        default=50,
        metavar="N",
        help="show the latest N (default: 50)",
    )
    subparser.add_argument("--json", action="store_true", help="print JSON lines")
    subparser = add_action(subparsers, "show", "Show one error.", "show")
    _add_key_argument(subparser)
    subparser.add_argument("--json", action="store_true", help="print JSON")
    subparser = add_action(subparsers, "resolve", "Set the fix of an error, or mark it resolved.", "resolve")
    _add_key_argument(subparser)
    subparser.add_argument(
        "--fix", default="", metavar="COMMAND", help="fix; without it, agents are no longer warned"
    )
    _add_all_option(add_action(subparsers, "export", "Export known errors as JSON lines.", "export"))


def _add_key_argument(parser: ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", help="error key or prefix")


def _add_all_option(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="all repositories")


COMMAND = Command(
    about="List known errors and their fixes, and record new fixes.",
    examples="""
hookline errors resolve pytest#3d37 --fix "uv sync"
""",
    person_only=PERSON_ONLY["errors"],
    arguments=arguments,
)
