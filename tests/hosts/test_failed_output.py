"""Test that secrets in the output of failed commands are redacted, or that the user gets a warning.

`docs/guides/guards.md` lists the hosts of both kinds.
"""

import json
import re
from pathlib import Path

import pytest

from hookline.core.host import value_at
from hookline.hosts import names

ROOT = Path(__file__).parents[2]
TOKEN = "ghp" + "_vK3x9Qm2pLsRt7Yw4Zb8Nc6Df1Gh5Jk0T0k3"
TEXT = f"fatal: refused\npushed with {TOKEN}"
FAILED_SHELL = {"name": "shell", "input": {"command": "exit 3"}, "success": False, "error": "exit code 3"}
CHANGED = {
    "codex": ("PostToolUse.failed", {"tool_response": TEXT}, "reason"),
    "copilot-cli": (
        "postToolUse",
        {
            "toolResult": {
                "resultType": "success",
                "textResultForLlm": f"{TEXT}\n<shellId: 0 completed with exit code 3>",
            }
        },
        "modifiedResult.textResultForLlm",
    ),
    "envelope": ("", {"hook": "PostToolUse", "tool": {**FAILED_SHELL, "output": TEXT}}, "modifiedOutput"),
    "gemini-cli": (
        "AfterTool.failed",
        {"tool_response": {"llmContent": f"Output: {TEXT}\nExit Code: 3", "returnDisplay": TEXT}},
        "reason",
    ),
    "opencode": ("tool.execute.after.failed", {"output": TEXT}, "change"),
}
"""Hosts that accept another output of a failed command: capture, changed fields, and the output's place."""
FAILED_TOOLS = {
    "codex": (
        "PostToolUse.mcp__echo__echo",
        {"tool_response": {"isError": True, "content": [{"type": "text", "text": TEXT}]}},
    ),
    "copilot-cli": ("postToolUse", {"toolResult": {"resultType": "failure", "textResultForLlm": TEXT}}),
    "gemini-cli": (
        "AfterTool.mcp_stub_fail",
        {"tool_response": {"llmContent": TEXT, "error": {"message": TEXT, "type": "mcp_tool_error"}}},
    ),
    "opencode": ("tool.execute.after", {"output": TEXT, "error": TEXT}),
}
"""Failed calls of other tools, whose error is their output."""
CLINE_RESULT = {"id": "call-4", "name": "run_commands", "input": {"commands": ["exit 3"]}}
UNCHANGED = {
    "claude-code": ("PostToolUseFailure.Bash", {"error": TEXT}),
    "cline": (
        "PostToolUse.failed",
        {"tool_result": {**CLINE_RESULT, "output": [{"result": TEXT, "error": "", "success": False}]}},
    ),
    "cursor": ("postToolUseFailure", {"error_message": TEXT}),
    "factory-droid": (
        "PostToolUse.failed",
        {"tool_response": f"{TEXT}\n[Process exited with code 3]"},
    ),
    "kiro": ("PostToolUse.failed", {"tool_response": {"success": False, "result": [TEXT]}}),
    "qwen-code": ("PostToolUseFailure", {"error": TEXT}),
    "reasonix": ("PostToolUseFailure.Bash", {"error": TEXT}),
    "vscode": ("PostToolUse", {"tool_response": TEXT}),
}
"""Hosts that accept no other output of a failed command."""
SILENT = {"windsurf"}
"""Hosts that do not report the output of commands."""


def reply(user, host, capture, changes):
    path = ROOT / "tests" / "captures" / host / f"{capture}.json"
    captured = json.loads(path.read_text()) if capture else {}
    event = ("--event", capture) if host == "copilot-cli" else ()
    ran = user.run("hook", host, *event, stdin=json.dumps({**captured, **changes}))
    assert TOKEN not in (ran.stdout + ran.stderr).decode()
    return ran


def test_every_host_is_tested():
    assert {*CHANGED, *UNCHANGED, *SILENT} == {*names()}


@pytest.mark.parametrize("host", CHANGED)
def test_output_of_a_failed_command_is_redacted(user, host):
    capture, changes, place = CHANGED[host]
    ran = reply(user, host, capture, changes)
    changed = value_at(json.loads(ran.stdout.splitlines()[-1]), place)

    assert "fatal: refused\npushed with [redacted:github-token]" in changed
    assert b"revoke it" not in ran.stdout + ran.stderr


@pytest.mark.parametrize("host", FAILED_TOOLS)
def test_output_of_a_failed_tool_is_redacted_without_a_warning(user, host):
    ran = reply(user, host, *FAILED_TOOLS[host])

    assert b"pushed with [redacted:github-token]" in ran.stdout
    assert b"revoke it" not in ran.stdout + ran.stderr


@pytest.mark.parametrize("host", UNCHANGED)
def test_the_user_is_warned_of_a_secret_in_the_output_of_a_failed_command(user, host):
    capture, changes = UNCHANGED[host]
    ran = reply(user, host, capture, changes)

    assert b"github-token" in ran.stdout + ran.stderr


def test_the_guide_lists_the_hosts():
    text = (ROOT / "docs" / "guides" / "guards.md").read_text()
    rows = dict(re.findall(r"^\| (redacted|a warning|not reported) \| (.*) \|$", text, re.MULTILINE))
    listed = {effect: {*re.findall("`([a-z-]+)`", hosts)} for effect, hosts in rows.items()}

    assert listed == {"redacted": {*CHANGED}, "a warning": {*UNCHANGED}, "not reported": SILENT}
