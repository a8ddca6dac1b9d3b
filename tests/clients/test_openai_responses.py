"""Test the Responses protocol: a stream equals the complete response, and text arguments stay text."""

from typing import Any

import pytest

from .model import load
from .script import Reply, call, say

DIALECT = load("openai-responses")
BODY = {
    "model": "m",
    "tools": [{"type": "custom", "name": "apply_patch"}, {"type": "function", "name": "run"}],
}


@pytest.mark.parametrize("reply", [say("hi"), call("run", cmd="ls"), Reply(text="a", calls=call("b").calls)])
def test_a_stream_says_what_the_whole_response_says(reply: Reply) -> None:
    events = list(DIALECT.stream(reply, BODY, 1))
    items = [event["item"] for event in events if event["type"] == "response.output_item.done"]

    assert events[-1]["response"] == DIALECT.whole(reply, BODY, 1)
    assert items == DIALECT.whole(reply, BODY, 1)["output"]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (
            call("run", cmd="ls"),
            {"type": "function_call", "name": "run", "arguments": '{"cmd": "ls"}'},
        ),
        (
            call("mcp__files__read", path="a"),
            {
                "type": "function_call",
                "namespace": "mcp__files",
                "name": "read",
                "arguments": '{"path": "a"}',
            },
        ),
        (
            call("apply_patch", input="*** x"),
            {"type": "custom_tool_call", "name": "apply_patch", "input": "*** x"},
        ),
    ],
)
def test_a_call_is_said_as_its_tool_takes_it(reply: Reply, said: dict[str, Any]) -> None:
    (item,) = DIALECT.whole(reply, BODY, 1)["output"]

    assert item == {"id": "item_1_0", "call_id": "call_1_0", **said}
