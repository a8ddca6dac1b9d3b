"""The portable protocol as a host: every event under its own name, every answer a response envelope."""

import json

from hookline.core.envelope import COMMON, check_event, places, response_out
from hookline.core.events import EVENTS
from hookline.core.host import Host, Reply, Said, moment, tool

KINDS = ("shell", "read", "write", "edit", "glob", "grep", "list", "search", "fetch", "agent", "question")


def encode(said: Said) -> Reply:
    return Reply(stdout=json.dumps(response_out(said.outcome, said.changed), ensure_ascii=False))


HOST = Host(
    name="envelope",
    about="The portable protocol itself, for programs that speak it.",
    proved="",
    names_event="hook",
    common=COMMON,
    moments={name: moment(event, *event.may, **places(event)) for name, event in EVENTS.items()},
    tools={kind: tool(kind) for kind in KINDS},
    check=check_event,
    encode=encode,
)
