"""Test the scripted model: order of replies, streams, and recorded requests."""

import http.client
import json
from typing import Any

import pytest

from .model import ASIDE, EXHAUSTED, Model, load, serve
from .script import Reply, call, say

DIALECT = load("anthropic-messages")


def ask(model: Model, **body: Any) -> tuple[int, str]:
    line = http.client.HTTPConnection("127.0.0.1", model.server_port, timeout=10)
    try:
        line.request("POST", body.pop("path", "/v1/messages"), json.dumps({"model": "m", **body}))
        answer = line.getresponse()
        return answer.status, answer.read().decode()
    finally:
        line.close()


def words(answer: tuple[int, str]) -> str:
    return str(json.loads(answer[1])["content"][0]["text"])


def test_gives_replies_in_order_and_then_says_that_they_are_over() -> None:
    with serve(DIALECT, [say("one"), say("two")], 0) as model:
        heard = [words(ask(model, tools=[{}])) for _ in range(3)]

    assert heard == ["one", "two", EXHAUSTED.text]


def test_a_request_without_tools_uses_up_no_reply() -> None:
    with serve(DIALECT, [say("one")], 0) as model:
        heard = [words(ask(model)), words(ask(model, tools=[{}]))]

    assert heard == [ASIDE.text, "one"]
    assert [request["aside"] for request in model.requests] == [True, False]


def test_remembers_what_it_was_sent() -> None:
    with serve(DIALECT, [], 0) as model:
        ask(model, messages=["hello"], path="/v1/messages?beta=true")

    body = {"model": "m", "messages": ["hello"]}
    assert model.requests == [{"path": "/v1/messages", "body": body, "aside": True}]


def test_refuses_other_paths() -> None:
    with serve(DIALECT, [], 0) as model:
        status, _ = ask(model, path="/v1/other")

    assert (status, model.requests) == (404, [])


@pytest.mark.parametrize(
    "reply",
    [
        say("hi"),
        call("Bash", command="ls"),
        Reply(text="a", calls=call("B").calls),
        Reply(text="bit by bit", calls=call("Bash", command="ls -la").calls, pieces=4),
    ],
)
def test_a_stream_says_what_the_whole_message_says(reply: Reply) -> None:
    with serve(DIALECT, [reply], 0) as model:
        _, stream = ask(model, tools=[{}], stream=True)
    events = [json.loads(line[6:]) for line in stream.splitlines() if line.startswith("data: ")]

    assert put_together(events) == DIALECT.whole(reply, {"model": "m"}, 1)


def put_together(events: list[dict[str, Any]]) -> dict[str, Any]:
    message: dict[str, Any] = events[0]["message"]
    for event in events[1:]:
        if event["type"] == "content_block_start":
            message["content"].append(event["content_block"])
        elif event["type"] == "content_block_delta":
            add(message["content"][event["index"]], event["delta"])
        elif event["type"] == "content_block_stop" and "json" in message["content"][event["index"]]:
            block = message["content"][event["index"]]
            block["input"] = json.loads(block.pop("json"))
        elif event["type"] == "message_delta":
            message |= event["delta"]
    return message


def add(block: dict[str, Any], delta: dict[str, Any]) -> None:
    if delta["type"] == "text_delta":
        block["text"] += delta["text"]
    else:
        block["json"] = block.get("json", "") + delta["partial_json"]
