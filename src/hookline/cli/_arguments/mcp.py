"""Arguments of `hookline mcp`."""

from argparse import ArgumentParser, ArgumentTypeError

from hookline.cli._command import Command, add_action
from hookline.core.person_commands import PERSON_ONLY


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) >= 1 << 16:
        raise ArgumentTypeError(f"invalid port {text!r}: expected 0 to 65535")
    return int(text)


def arguments(parser: ArgumentParser) -> None:
    subparsers = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    serve_parser = add_action(subparsers, "serve", "Serve MCP until the client disconnects.", "serve")
    serve_parser.add_argument(
        "--http",
        type=_port,
        metavar="PORT",
        help="serve over local HTTP instead of stdio; 0 for any free port",
    )
    serve_parser.add_argument("--cwd", default=".", metavar="FOLDER", help="project folder")
    serve_parser.add_argument(
        "--fire", action="store_true", help="also offer the tool `fire`; not for agents"
    )


COMMAND = Command(
    about="Serve memory, verdicts and budgets to agents over MCP.",
    examples="""
hookline mcp serve --http 8765      http://127.0.0.1:8765/mcp, with a secret as bearer token

Tools: recall, remember, verdict, budget; with --fire also fire.
""",
    person_only=PERSON_ONLY["mcp"],
    arguments=arguments,
)
