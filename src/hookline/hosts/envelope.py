"""The portable protocol as a host: each event has its own name, each reply is a response envelope."""

import json

from hookline.core.envelope import COMMON_PATHS, check_event, encode_response, field_paths
from hookline.core.events import EVENTS
from hookline.core.host import ANY_OUTPUT, Host, Reply, ReplyContext, moment, tool

KINDS = ("shell", "read", "write", "edit", "glob", "grep", "list", "search", "fetch", "agent", "question")


def encode(answer: ReplyContext) -> Reply:
    return Reply(stdout=json.dumps(encode_response(answer.outcome, answer.changed), ensure_ascii=False))


HOST = Host(
    name="envelope",
    about="The portable protocol, for programs that use it directly.",
    tested_version="",
    event_key="hook",
    common_paths=COMMON_PATHS,
    moments={name: moment(event, *event.abilities, **field_paths(event)) for name, event in EVENTS.items()},
    tools={kind: tool(kind, output=ANY_OUTPUT) for kind in KINDS},
    find_tool=lambda name: tool("other", output=ANY_OUTPUT),
    check_payload=check_event,
    encode=encode,
)
