"""Large payloads: guards let no unread command pass, and text that was not searched for secrets is cut."""

import json

import pytest

from hookline import hosts
from hookline.core.events import PreToolUse
from hookline.core.payload import MAX_VALUES, compose
from hookline.redact import MAX_CHARS
from hookline.shell import MAX_LINE

SECRET = "AKIA" + "QYLPMN5HFZ2JSVDT"
LINE = "INFO 2024-05-01 request 17 handled in 3 ms\n"
CUT = "[redacted:too-long-to-check]"
SIZES = [2 * MAX_CHARS, pytest.param(60_000_000, marks=pytest.mark.slow)]
"""Characters of a text; the last size takes seconds."""
SHELL_HOSTS = [
    name
    for name in hosts.names()
    if any(row.kind == "shell" for row in hosts.load(name).tools.values())
    and PreToolUse in {row.event for row in hosts.load(name).moments.values()}
]


def text_of(size):
    return LINE * (size // len(LINE))


def reply_of(user, stem, **changes):
    code, reply, stderr = user.hook(user.payload(stem, **changes))
    assert (code, stderr) == (0, "")
    reply.pop("systemMessage", None)  # a hook that exceeded its time, on a busy machine
    return reply.get("hookSpecificOutput", reply)


@pytest.mark.parametrize("name", SHELL_HOSTS)
def test_a_dangerous_end_of_a_command_that_is_too_long(user, name):
    host = hosts.load(name)
    tool, row = next((tool, row) for tool, row in host.tools.items() if row.kind == "shell")
    command = "echo " + "; git push --force".rjust(MAX_LINE + 1, "x")
    event = PreToolUse(
        host=name,
        session="s",
        cwd=str(user.project),
        tool=tool,
        input={row.input_keys.get("command", "command"): command},
    )
    result = user.run("hook", name, stdin=json.dumps(compose(host, event)))

    assert b"This command is too long to be checked" in result.stdout + result.stderr
    assert user.log()[-1]["action"] in ("ask", "block")


def test_a_command_of_the_maximum_length_is_read(user):
    assert reply_of(user, "PreToolUse", tool_input={"command": "echo hi #".ljust(MAX_LINE, "x")}) == {}


@pytest.mark.parametrize("tool", ["Bash", "PowerShell"])
@pytest.mark.parametrize("size", SIZES)
def test_a_long_command_is_asked_about(user, tool, size):
    command = f"{text_of(size)}git push --force"
    reply = reply_of(user, "PreToolUse", tool_name=tool, tool_input={"command": command})

    assert reply["permissionDecision"] == "ask"


@pytest.mark.parametrize("size", SIZES)
def test_a_long_file_is_written(user, size):
    given = {"file_path": str(user.project / "notes.txt"), "content": text_of(size)}

    assert reply_of(user, "PreToolUse.Write", tool_input=given) == {}


@pytest.mark.parametrize("size", SIZES)
def test_a_long_prompt_passes(user, size):
    assert reply_of(user, "UserPromptSubmit", prompt=text_of(size)) == {}


@pytest.mark.parametrize("size", SIZES)
def test_a_long_output_is_cut_before_its_secrets(user, size):
    output = {"stdout": f"{text_of(size)}{SECRET}", "stderr": "a warning", "interrupted": False}
    reply = reply_of(user, "PostToolUse", tool_response=output)["updatedToolOutput"]

    assert reply["stdout"].endswith(CUT)
    assert output["stdout"].startswith(reply["stdout"].removesuffix(CUT))
    assert MAX_CHARS - 5_000 < len(reply["stdout"]) < MAX_CHARS
    assert {**reply, "stdout": ""} == {**output, "stdout": ""}
    assert SECRET not in json.dumps(user.log())


def test_an_image_is_not_cut(user):
    image = [{"type": "image", "source": {"data": "aB3d" * MAX_CHARS}}]

    assert reply_of(user, "PostToolUse", tool_name="mcp__x__y", tool_response=image) == {}


def test_a_call_with_too_many_values_is_asked_about(user):
    given = {"command": "ls", "junk": [0] * MAX_VALUES}
    reply = reply_of(user, "PreToolUse", tool_input=given)

    assert reply["permissionDecision"] == "ask"
    assert (
        "50,000 values of this call are too many or too deep to be checked."
        in reply["permissionDecisionReason"]
    )
    assert "updatedInput" not in reply


def test_a_call_with_the_maximum_of_values_is_judged(user):
    assert reply_of(user, "PreToolUse", tool_input={"command": "ls", "junk": [0] * (MAX_VALUES - 100)}) == {}


def test_an_output_with_too_many_values_is_cut(user):
    output = {"rows": [{"key": SECRET}] * MAX_VALUES, "count": 1}
    reply = reply_of(user, "PostToolUse", tool_name="mcp__x__y", tool_response=output)

    note = "hookline left out: 50,000 values of this call are too many or too deep to be checked"
    assert reply["updatedToolOutput"] == {"rows": [], "count": 1, "hookline": note}


def nested(depth):
    return "[" * depth + "]" * depth


ODD = {
    "nested": (nested(990).encode(), "ask"),
    "nested-deeply": (nested(100_000).encode(), "ask"),
    "objects": (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, "ask"),
    "brackets-in-a-string": (b'"' + b'\\"[' * 500_000 + b'"', "pass"),
    "a-long-number": (b"9" * 5_000, "pass"),
    "no-text": (b'"\xff"', "pass"),
}


@pytest.mark.parametrize("kind", ODD)
def test_an_odd_value_hides_nothing(user, kind):
    value, action = ODD[kind]
    for command, expected in (("git push --force", "deny"), ("ls", "ask" if action == "ask" else None)):
        sent = (
            json.dumps(user.shell(command))
            .encode()
            .replace(b'"tool_input": {', b'"tool_input": {"x": %s, ' % value)
        )
        reply = json.loads(user.run("hook", "claude-code", stdin=sent).stdout or "{}")

        assert reply.get("hookSpecificOutput", {}).get("permissionDecision") == expected
