"""Test reading tool calls and results from lines of transcripts and rollouts."""

import json
from pathlib import Path

import pytest

from hookline.hosts import _claude_transcript, _codex_transcript
from hookline.hosts._transcript import Call, Result, SessionInfo

RECORDED = Path(__file__).parent / "recordings" / "claude-code.jsonl"
FAILED = '{"output": "no", "metadata": {"exit_code": 1}}'


def used(call, tool="Bash", session="s1", **given):
    block = {"type": "tool_use", "id": call, "name": tool, "input": given}
    return {"type": "assistant", "sessionId": session, "cwd": "/w", "message": {"content": [block]}}


def item(**payload):
    return {"timestamp": "2026-01-02T03:04:05Z", "type": "response_item", "payload": payload}


def ran(call, **arguments):
    return item(type="function_call", name="exec_command", call_id=call, arguments=json.dumps(arguments))


def test_a_transcripts_results_are_what_hooks_are_handed():
    lines = [json.loads(line) for line in RECORDED.read_text().splitlines()]
    entries = [entry for line in lines for entry in _claude_transcript.read_calls(line)]
    results = {entry.id: entry for entry in entries if isinstance(entry, Result)}

    assert all(_claude_transcript.recognises(line) for line in lines)
    assert results["toolu_1_0"].output["stdout"] == "hi\nerr"
    assert results["toolu_2_0"] == Result(id="toolu_2_0", error="Exit code 3")
    assert results["toolu_4_0"].output["filePath"] == "a.txt"


def test_several_results_in_one_line_are_told_apart():
    blocks = [
        {"type": "tool_result", "tool_use_id": n, "content": [{"type": "text", "text": n}]} for n in "ab"
    ]
    line = {"type": "user", "message": {"content": blocks}, "toolUseResult": {"stdout": "whose?"}}

    assert [*_claude_transcript.read_calls(line)] == [Result(id="a", output="a"), Result(id="b", output="b")]


@pytest.mark.parametrize(
    ("extra", "helper"),
    [({}, ""), ({"isSidechain": True}, "sidechain"), ({"isSidechain": True, "agentId": "a1"}, "a1")],
)
def test_the_calls_of_helper_agents_are_calls(extra, helper):
    (call,) = _claude_transcript.read_calls({**used("c1", command="ls"), **extra})

    assert call == Call(id="c1", tool="Bash", input={"command": "ls"}, session="s1", cwd="/w", helper=helper)


@pytest.mark.parametrize(
    ("line", "entries"),
    [
        (
            {"type": "session_meta", "payload": {"id": "t1", "cwd": "/w"}},
            [SessionInfo(session="t1", cwd="/w")],
        ),
        ({"type": "turn_context", "payload": {"id": "turn", "cwd": "/v"}}, [SessionInfo(cwd="/v")]),
        ({"id": "old", "timestamp": "t", "instructions": None}, [SessionInfo(session="old")]),
        (
            ran("c1", cmd="ls", workdir="/w"),
            [
                Call(
                    id="c1",
                    tool="exec_command",
                    kind="shell",
                    cwd="/w",
                    input={"cmd": "ls", "workdir": "/w", "command": "ls"},
                )
            ],
        ),
        (
            item(type="local_shell_call", call_id="c1", action={"type": "exec", "command": ["ls", "a b"]}),
            [
                Call(
                    id="c1",
                    tool="local_shell",
                    kind="shell",
                    input={"type": "exec", "command": "ls 'a b'"},
                )
            ],
        ),
        (
            item(type="function_call", name="list", namespace="mcp__files", call_id="c1", arguments="{}"),
            [Call(id="c1", tool="mcp__files__list", kind="mcp", input={"content": ""})],
        ),
        (
            {"type": "function_call_output", "call_id": "c1", "output": "bare, as the oldest are"},
            [Result(id="c1", output="bare, as the oldest are")],
        ),
        (
            item(type="function_call_output", call_id="c1", output=FAILED),
            [Result(id="c1", error="no")],
        ),
        (
            item(type="function_call_output", call_id="c1", output='{"output": "its own JSON"}'),
            [Result(id="c1", output='{"output": "its own JSON"}')],
        ),
        (
            item(type="custom_tool_call_output", call_id="c1", output=[{"text": "yes"}, {"image_url": "x"}]),
            [Result(id="c1", output="yes\n")],
        ),
        (item(type="reasoning", encrypted_content="x"), []),
        ({"type": "event_msg", "payload": {"type": "token_count"}}, []),
    ],
)  # fmt: skip
def test_a_line_of_a_rollout_comes_to(line, entries):
    assert _codex_transcript.recognises(line)
    assert [*_codex_transcript.read_calls(line)] == entries


@pytest.mark.parametrize(
    ("argv", "command", "kind"),
    [
        (["bash", "-lc", "git push -f"], "git push -f", "shell"),
        (["/bin/zsh", "-c", "a && b"], "a && b", "shell"),
        (["bash", "run me.sh"], "bash 'run me.sh'", "shell"),
        (["powershell.exe", "-NoProfile", "-Command", "rd /s x"], "rd /s x", "powershell"),
        ("ls -l", "ls -l", "shell"),
        ([], "", "shell"),
    ],
)
def test_an_argument_list_becomes_the_line_that_a_shell_would_run(argv, command, kind):
    given = json.dumps({"command": argv})
    (call,) = _codex_transcript.read_calls(
        item(type="function_call", name="shell", call_id="c", arguments=given)
    )

    assert (call.input["command"], call.kind) == (command, kind)


def test_a_patch_is_a_call_for_each_of_its_files():
    patch = """*** Begin Patch
*** Add File: a.py
+one
+two
*** Update File: b.py
@@
-old
+new
*** Move to: c.py
*** Delete File: d.py
*** End Patch"""
    given = item(type="custom_tool_call", name="apply_patch", call_id="p", input=patch)
    calls = [*_codex_transcript.read_calls(given)]

    assert [(call.id, call.kind, call.input["path"], call.input["content"]) for call in calls] == [
        ("p", "write", "a.py", "one\ntwo"),
        ("p/1", "edit", "b.py", "new"),
        ("p/2", "write", "c.py", ""),
        ("p/3", "edit", "d.py", ""),
    ]


def test_a_command_that_the_model_ran_from_code_is_found_once():
    line = {"type": "event_msg", "payload": {"type": "exec_command_end", "call_id": "e", "stdout": "hi"}}
    line["payload"] |= {"command": ["bash", "-lc", "git push -f"], "cwd": "/w"}
    call, result = _codex_transcript.read_calls(line)

    assert (call.input["command"], call.cwd, result) == ("git push -f", "/w", Result(id="e", output="hi"))
