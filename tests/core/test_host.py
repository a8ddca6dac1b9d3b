"""Test changed outputs: an object replaces the output, and is never merged with the raw text."""

import json

import pytest

from hookline.core.events import PostToolUse
from hookline.core.frozen import Frozen, freeze
from hookline.core.host import ANY_OUTPUT, WHOLE_OUTPUT, find_change
from hookline.core.values import replace

OBJECT = {"summary": "restore failed", "redacted": True}
TEXT = json.dumps(OBJECT)
SHELL = {"stdout": "raw", "stderr": "raw error", "interrupted": False}
STREAMS = {"output": "stdout", "errors": "stderr"}


@pytest.mark.parametrize(
    ("keys", "old", "new", "sent"),
    [
        (STREAMS, SHELL, OBJECT, {"stdout": TEXT, "stderr": "", "interrupted": False}),
        (STREAMS, SHELL, "text", {"stdout": "text", "stderr": "", "interrupted": False}),
        (STREAMS, SHELL, {"stdout": "new"}, {"stdout": "new", "stderr": "", "interrupted": False}),
        (STREAMS, SHELL, {"interrupted": True}, {"stdout": "", "stderr": "", "interrupted": True}),
        (STREAMS, SHELL, {**SHELL, "stdout": "new"}, {**SHELL, "stdout": "new"}),
        (STREAMS, SHELL, {**SHELL, "stdout": "new", "x": 1}, {**SHELL, "stdout": "new", "x": 1}),
        (STREAMS, SHELL, ["a"], {"stdout": '["a"]', "stderr": "", "interrupted": False}),
        ({"output": WHOLE_OUTPUT}, {"llmContent": "raw", "error": "raw"}, OBJECT, OBJECT),
        ({"output": WHOLE_OUTPUT}, ["raw"], OBJECT, TEXT),
        (
            {"output": WHOLE_OUTPUT},
            {"llmContent": "raw", "x": "raw"},
            {"llmContent": "a"},
            {"llmContent": "a"},
        ),
        ({"output": WHOLE_OUTPUT}, "raw", OBJECT, TEXT),
        ({"output": ANY_OUTPUT}, SHELL, OBJECT, OBJECT),
        ({"output": ANY_OUTPUT}, "raw", OBJECT, OBJECT),
        ({}, "raw", OBJECT, TEXT),
        ({}, SHELL, OBJECT, None),
        ({}, SHELL, {"stdout": "new"}, None),
        ({}, SHELL, {**SHELL, "stdout": "new"}, {**SHELL, "stdout": "new"}),
        ({}, ["raw"], OBJECT, None),
    ],
    ids=range(18),
)
def test_a_changed_output_has_the_shape_that_the_host_accepts(keys, old, new, sent):
    before = PostToolUse(tool="x", output=freeze(old), input_keys=Frozen(keys))

    assert find_change(before, replace(before, output=freeze(new))) == sent
