"""Arguments of `hookline fire`."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from hookline.cli._command import EXITS, Command

BLOCKED = 2


def parse_field(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name.removesuffix(":"):
        raise ArgumentTypeError(
            f"invalid field {text!r}: expected name=text or name:=JSON, such as tool.name=shell"
        )
    if not name.endswith(":"):
        return name, value
    try:
        return name[:-1], json.loads(value)
    except (ValueError, RecursionError):
        raise ArgumentTypeError(f"invalid JSON after := in {text!r}") from None


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "event", metavar="EVENT", help="event name, such as PreToolUse (see `hookline list hosts`)"
    )
    parser.add_argument(
        "--field",
        action="append",
        default=[],
        type=parse_field,
        metavar="NAME=VALUE",
        help="field of the event, such as tool.name=shell; NAME:=JSON for JSON values",
    )
    parser.add_argument("--json", metavar="JSON", help="event as JSON; - for stdin")
    parser.add_argument("--cwd", default=".", metavar="DIR", help="project folder")
    parser.add_argument(
        "--exit-code", action="store_true", help=f"exit with {BLOCKED} if the event is blocked"
    )


COMMAND = Command(
    about="Fire an event, record it, and print the response as JSON.",
    examples="""
hookline fire PreToolUse --field tool.name=shell --field tool.input.command='git push --force'
hookline fire PreToolUse --json '{"tool": {"name": "read", "input": {"path": "a.py"}}}'

The default session id is "fire".
""",
    arguments=arguments,
    exits={**EXITS, 0: "success, for every response", 2: "invalid arguments, or blocked with --exit-code"},
)
