"""Test translating a tool call of one host to another's format, and translating the answer back."""

import json
from pathlib import Path

import pytest

from hookline import hosts
from hookline.core.frozen import thaw
from hookline.core.payload import decode
from hookline.core.response import Response, block, inject, modify
from hookline.core.translate import translate_event, translate_response

CAPTURES = Path(__file__).parents[1] / "captures"
CLAUDE = hosts.load("claude-code")


def heard(name, stem, moment="", **changes):
    payload = json.loads((CAPTURES / name / f"{stem}.json").read_text())
    return decode(hosts.load(name), {**payload, **changes}, moment)[1]


def told(event):
    (call,) = translate_event(CLAUDE, event)
    return call.tool, thaw(call.input)


@pytest.mark.parametrize(
    ("name", "stem", "moment", "tool", "given"),
    [
        ("codex", "PreToolUse", "", "Bash", {"command": "echo hi"}),
        ("gemini-cli", "BeforeTool", "", "Bash", {"command": "echo hi", "description": "say hi"}),
        ("copilot-cli", "preToolUse", "preToolUse", "Bash", {"command": "echo hi", "description": "say hi"}),
        (
            "copilot-cli",
            "preToolUse.create",
            "preToolUse",
            "Write",
            {"file_path": "/repo/note.txt", "content": "one line\n"},
        ),
        ("opencode", "tool.execute.before", "", "Bash", {"command": "echo hi", "description": "x"}),
        (
            "opencode",
            "tool.execute.before.write",
            "",
            "Write",
            {"file_path": "/repo/note.txt", "content": "one line\n"},
        ),
        ("codex", "PreToolUse.mcp__echo__echo", "", "mcp__echo__echo", {"text": "hello"}),
    ],
)
def test_a_call_has_the_other_hosts_name_and_shape(name, stem, moment, tool, given):
    assert told(heard(name, stem, moment)) == (tool, given)


def test_the_hosts_own_call_stays_as_it_is():
    event = heard("claude-code", "PreToolUse.Write")

    assert translate_event(CLAUDE, event)[0] is event


def test_what_is_no_call_stays_as_it_is():
    event = heard("codex", "Stop")

    assert translate_event(CLAUDE, event) == (event,)


PATCH = (
    "*** Begin Patch\n*** Add File: new.py\n+a = 1\n*** Update File: /repo/old.py\n+b = 2\n*** End Patch\n"
)


def patched():
    return heard("codex", "PreToolUse.apply_patch", tool_input={"command": PATCH})


def test_a_patch_is_one_call_a_file_so_that_no_file_is_hidden_behind_the_first():
    calls = [(call.tool, thaw(call.input)) for call in translate_event(CLAUDE, patched())]

    assert calls == [
        ("Write", {"file_path": "/repo/new.py", "content": "a = 1"}),
        ("Edit", {"file_path": "/repo/old.py", "new_string": "b = 2"}),
    ]


def test_a_changed_input_comes_back_in_the_hosts_own_shape():
    event = heard("opencode", "tool.execute.before.write")
    (call,) = translate_event(CLAUDE, event)
    answer = translate_response(event, call, modify(input={**call.input, "content": "other"}))

    assert thaw(answer.changes) == {"input": {"filePath": "note.txt", "content": "other"}}


def test_a_path_that_a_hook_changed_is_its_own():
    event = heard("opencode", "tool.execute.before.write")
    (call,) = translate_event(CLAUDE, event)
    answer = translate_response(event, call, modify(input={**call.input, "file_path": "/repo/other.txt"}))

    assert answer.changes["input"]["filePath"] == "/repo/other.txt"


def test_a_change_of_one_file_of_a_patch_stops_it_since_it_cannot_be_made():
    event = patched()
    call = translate_event(CLAUDE, event)[0]
    answer = translate_response(event, call, modify(input={"file_path": "x"}).plus(inject("why")))

    assert (answer.verdict, dict(answer.changes), answer.context) == ("block", {}, ("why",))


@pytest.mark.parametrize("answer", [Response(), block("no"), inject("context")])
def test_an_answer_without_changes_is_passed_on(answer):
    event = heard("gemini-cli", "BeforeTool")

    assert translate_response(event, translate_event(CLAUDE, event)[0], answer) == answer


@pytest.mark.parametrize(
    ("name", "stem", "moment", "text"),
    [
        ("codex", "PostToolUse", "", "hi\n"),
        ("copilot-cli", "postToolUse", "postToolUse", None),
        ("gemini-cli", "AfterTool", "", None),
    ],
)
def test_the_output_of_a_command_lies_where_the_other_host_has_it(name, stem, moment, text):
    event = heard(name, stem, moment)
    (call,) = translate_event(CLAUDE, event)
    answer = translate_response(event, call, modify(output={"stdout": "changed", "stderr": ""}))

    assert set(call.output) == {"stdout", "stderr"}
    assert "hi" in call.output["stdout"]
    assert text in (None, call.output["stdout"])
    assert dict(answer.changes) == {"output": "changed"}
