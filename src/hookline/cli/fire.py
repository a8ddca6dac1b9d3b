"""Fire an event in the portable format of the protocol."""

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from hookline import hosts
from hookline.cli._arguments.fire import BLOCKED
from hookline.core.events import EVENTS, Unreadable
from hookline.core.payload import decode
from hookline.core.registry import describe_unknown
from hookline.runtime.find_agent import find_agent
from hookline.runtime.runtime import Runtime

HOST = "envelope"
SESSION = "fire"


def run(args: Namespace) -> int:
    if args.event not in EVENTS:
        raise LookupError(describe_unknown("event", args.event, EVENTS))
    cwd = os.path.abspath(args.cwd)
    if not os.path.isdir(cwd):
        raise NotADirectoryError(20, "not a folder", args.cwd)
    reply = answer_envelope(_build_envelope(args, cwd), cwd, partial(find_agent, os.environ))
    print(reply)
    return BLOCKED if args.exit_code and json.loads(reply)["action"] == "block" else 0


def answer_envelope(envelope: dict[str, Any], cwd: str, find_author: Callable[[], str]) -> str:
    """Return the answer of the hooks of the project around *cwd*; raise `Unreadable`.

    *find_author* returns the agent that writes the prompts, or "".
    """
    host = hosts.load(HOST)
    decoded = decode(host, envelope)
    if decoded is None:
        raise Unreadable(f"{host.name} has no event named {envelope['hook']!r}")
    return _run_hooks(host, *decoded, cwd, find_author)


def _run_hooks(host: Any, name: str, event: Any, cwd: str, find_author: Callable[[], str]) -> str:
    runtime = Runtime.load(cwd, host=host)
    runtime.find_author = find_author
    try:
        return str(runtime.answer(host, name, event).stdout)
    finally:
        runtime.close()


def _build_envelope(args: Namespace, cwd: str) -> dict[str, Any]:
    values = _parse_json(args.json) if args.json else {}
    if not isinstance(values, dict):
        raise ValueError("invalid event: expected a JSON object")  # noqa: TRY004 -- one to catch
    if values.setdefault("hook", args.event) != args.event:
        raise ValueError(f"'hook' in the JSON differs from the event {args.event!r}")
    envelope = {"sessionId": SESSION, "cwd": cwd, **values}
    return _set_fields(envelope, args.field)


def _parse_json(text: str) -> Any:
    text = sys.stdin.read() if text == "-" else text
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"invalid JSON: {error}") from None


def _set_fields(envelope: dict[str, Any], fields: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    for name, value in fields:
        inner = envelope
        *outer, last = name.split(".")
        for key in outer:
            inner = inner.setdefault(key, {})
            if not isinstance(inner, dict):
                raise ValueError(f"invalid field {name!r}: {key!r} is not an object")  # noqa: TRY004 -- ditto
        inner[last] = value
    return envelope
