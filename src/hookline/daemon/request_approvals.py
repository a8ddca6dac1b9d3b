"""Requests to the daemon about calls that wait for a person: list them, and decide one."""

import json

from msgspec import convert, to_builtins

from hookline.core.approval import Decision, Question
from hookline.daemon import control
from hookline.daemon.paths import find_daemon_folder

NO_DAEMON = "no daemon answers, so no call waits; see `hookline daemon status`"


def list_questions() -> list[Question]:
    """Return the questions of all calls that wait, oldest first; none without a daemon."""
    reply = control.ask(find_daemon_folder(), "questions")
    return convert(json.loads(reply.stdout), list[Question]) if reply is not None and not reply.code else []


def decide(decision: Decision) -> str:
    """Send a person's decision; return why it does not count, or an empty text if it does."""
    reply = control.ask(find_daemon_folder(), "decide", json.dumps(to_builtins(decision)).encode())
    if reply is None:
        return NO_DAEMON
    return reply.stderr.decode(errors="replace") if reply.code else ""
