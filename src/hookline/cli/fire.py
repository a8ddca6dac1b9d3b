"""Fire a portable event from the command line, as a program that uses the protocol would."""

import json
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable
from typing import Any

from hookline import hosts
from hookline.cli._command import Command
from hookline.core.events import EVENTS, Unreadable
from hookline.core.payload import decode
from hookline.runtime.runtime import Runtime

HOST = "envelope"
SESSION = "fire"
BLOCKED = 2


def run(args: Namespace) -> int:
    if args.event not in EVENTS:
        raise LookupError(f"no event is called {args.event!r}; there are: {', '.join(EVENTS)}")
    cwd = os.path.abspath(args.cwd)
    if not os.path.isdir(cwd):
        raise NotADirectoryError(20, "is no folder", args.cwd)
    reply = answer_envelope(_build_envelope(args, cwd), cwd)
    print(reply)
    return BLOCKED if args.exit_code and json.loads(reply)["action"] == "block" else 0


def answer_envelope(envelope: dict[str, Any], cwd: str) -> str:
    """Return the answer of the hooks of the project around *cwd*; raise `Unreadable`."""
    host = hosts.load(HOST)
    decoded = decode(host, envelope)
    if decoded is None:
        raise Unreadable(f"{envelope['hook']} is no moment of {host.name}")
    return _run_hooks(host, *decoded, cwd)


def _run_hooks(host: Any, name: str, event: Any, cwd: str) -> str:
    runtime = Runtime.load(cwd, host=host)
    try:
        return str(runtime.answer(host, name, event).stdout)
    finally:
        runtime.close()


def _build_envelope(args: Namespace, cwd: str) -> dict[str, Any]:
    values = _parse_json(args.json) if args.json else {}
    if not isinstance(values, dict):
        raise ValueError("an event is a JSON object")  # noqa: TRY004 -- one to catch
    if values.setdefault("hook", args.event) != args.event:
        raise ValueError(f"the JSON says another event than {args.event!r} in 'hook'")
    envelope = {"sessionId": SESSION, "cwd": cwd, **values}
    return _set_fields(envelope, args.field)


def _parse_json(text: str) -> Any:
    text = sys.stdin.read() if text == "-" else text
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the event is no JSON: {error}") from None


def _set_fields(envelope: dict[str, Any], fields: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    for name, value in fields:
        inner = envelope
        *outer, last = name.split(".")
        for key in outer:
            inner = inner.setdefault(key, {})
            if not isinstance(inner, dict):
                raise ValueError(f"field {name!r} leads into {key!r}, which is no object")  # noqa: TRY004 -- ditto
        inner[last] = value
    return envelope


def parse_field(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name.removesuffix(":"):
        raise ArgumentTypeError(
            f"{text!r} is no field; write name=text or name:=JSON, such as tool.name=shell"
        )
    if not name.endswith(":"):
        return name, value
    try:
        return name[:-1], json.loads(value)
    except (ValueError, RecursionError):
        raise ArgumentTypeError(f"what stands behind := in {text!r} is no JSON") from None


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("event", metavar="EVENT", help=f"one of {', '.join(EVENTS)}")
    parser.add_argument(
        "--field",
        action="append",
        default=[],
        type=parse_field,
        metavar="NAME=VALUE",
        help="a field of the event envelope, dots lead inwards; name:=JSON for what is no text",
    )
    parser.add_argument(
        "--json", metavar="JSON", help="the envelope, whole or in part; - reads it from stdin"
    )
    parser.add_argument("--cwd", default=".", metavar="DIR", help="the project whose hooks judge it")
    parser.add_argument("--exit-code", action="store_true", help=f"exit with {BLOCKED} when it is blocked")


COMMAND = Command(
    about="Fire a portable event and print the response envelope; recorded like any event.",
    examples="""
hookline fire SessionStart --field source=startup
hookline fire PreToolUse --field tool.name=shell --field tool.input.command='git push --force'
hookline fire PreToolUse --json '{"tool": {"name": "read", "input": {"path": "a.py"}}}'
hookline fire Stop --field continuing:=true --exit-code && echo may stop

Unless the event says another `sessionId`, it belongs to the session "fire".
""",
    run=run,
    arguments=arguments,
    exits="0 whatever the answer; with --exit-code 2 when it is blocked; 2 also when it was called wrongly",
)
