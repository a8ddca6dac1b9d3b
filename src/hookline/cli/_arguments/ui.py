"""Arguments of `hookline ui`."""

from argparse import ArgumentParser, ArgumentTypeError

from hookline.cli._command import EXITS, Command
from hookline.core.person_commands import PERSON_ONLY

MAX_PORT = 65_535


def _parse_port(text: str) -> int:
    if not text.isdecimal() or int(text) > MAX_PORT:
        raise ArgumentTypeError(f"invalid port {text!r}: expected 0 to {MAX_PORT}")
    return int(text)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--port", type=_parse_port, default=0, metavar="PORT", help="port (default: any free port)"
    )
    parser.add_argument("--read-only", action="store_true", help="show everything, change nothing")


COMMAND = Command(
    about="Show sessions, decisions, spend and runs on a live local page.",
    examples="""
hookline ui
hookline ui --read-only --port 8770

Prints a link that opens the page once, and a new one after each use. Without --read-only it requires an
interactive terminal outside an agent.
""",
    person_only=PERSON_ONLY["ui"],
    arguments=arguments,
    exits={1: EXITS[1], 2: EXITS[2], 130: "ended by Ctrl-C"},
)
