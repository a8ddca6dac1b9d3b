"""Test the OpenCode plugin alone in Node, with answers that are hard to produce in a real session."""

import json
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookline import hosts
from hookline.core.install_table import InstallEntry

from .client import NODE

pytestmark = pytest.mark.clients

HARNESS = """
import { Hookline } from "./hookline.mjs"
const [name, input, output] = JSON.parse(process.argv[2])
const calls = []
const client = {
  tui: { showToast: async ({ body }) => calls.push(["toast", body.message]) },
  app: { log: async () => {} },
  session: { promptAsync: async ({ body }) => calls.push(["prompt", body.parts[0].text]) },
  postSessionIdPermissionsPermissionId: async ({ body }) => calls.push(["permission", body.response]),
}
const hooks = await Hookline({ client, directory: process.cwd() })
const args = output.args
const thrown = await hooks[name](input, output).then(() => null, (error) => error.message)
console.log(JSON.stringify({ output, thrown, calls, inPlace: args === output.args }))
"""
CALL = {"tool": "bash", "sessionID": "ses_1", "callID": "call_1"}
Play = Callable[..., dict[str, Any]]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    if not NODE.exists():
        pytest.skip("Node is not installed in .clients; run: make clients")
    (tmp_path / "harness.mjs").write_text(HARNESS)

    def played(answer: Any, name: str, given: Any, output: Any) -> dict[str, Any]:
        text = answer if isinstance(answer, str) else json.dumps(answer)
        (tmp_path / "hookline.mjs").write_text(plugin(f"printf %s {shlex.quote(text)} #"))
        argv = [str(NODE), "harness.mjs", json.dumps([name, given, output])]
        done = subprocess.run(argv, cwd=tmp_path, timeout=30, check=True, capture_output=True, text=True)
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    return played


def plugin(command: str) -> str:
    host = hosts.load("opencode")
    assert host.install is not None
    entries = tuple(InstallEntry(moment=name, command=command, timeout=10.0) for name in host.moments)
    (text,) = host.install.layout.make_files(entries).values()  # type: ignore[union-attr]  # the layout is OwnFiles
    return str(text)


def test_arguments_are_changed_in_place_because_a_new_object_would_be_ignored(play: Play) -> None:
    told = play(
        {"change": {"command": "ls"}}, "tool.execute.before", CALL, {"args": {"command": "x", "timeout": 1}}
    )

    assert (told["output"], told["inPlace"]) == ({"args": {"command": "ls"}}, True)


def test_a_denied_tool_is_thrown(play: Play) -> None:
    assert play({"deny": "no"}, "tool.execute.before", CALL, {"args": {}})["thrown"] == "no"


def test_the_output_of_an_mcp_tool_is_changed_where_it_lies(play: Play) -> None:
    image = {"type": "image", "data": "..."}
    output = {"content": [{"type": "text", "text": "old"}, image], "isError": False}
    told = play({"change": "new", "context": "mind"}, "tool.execute.after", CALL, output)

    assert told["output"]["content"] == [{"type": "text", "text": "new\nmind"}, image]


def test_what_a_command_printed_is_changed_for_the_screen_as_well(play: Play) -> None:
    output = {"title": "x", "output": "old", "metadata": {"output": "old", "exit": 0}}
    told = play({"change": "new"}, "tool.execute.after", CALL, output)

    assert told["output"] == {"title": "x", "output": "new", "metadata": {"output": "new", "exit": 0}}


def test_context_at_a_prompt_is_a_part_of_its_own(play: Play) -> None:
    message = {"id": "msg_1", "sessionID": "ses_1", "agent": "build"}
    parts = [{"type": "text", "text": "hi", "id": "prt_1"}]
    told = play(
        {"context": "mind"}, "chat.message", {"sessionID": "ses_1"}, {"message": message, "parts": parts}
    )

    assert told["output"]["parts"][1] == {
        "id": "prt_1h",
        "sessionID": "ses_1",
        "messageID": "msg_1",
        "type": "text",
        "text": "mind",
        "synthetic": True,
    }


def test_a_blocked_prompt_is_thrown_and_the_reason_shown(play: Play) -> None:
    message = {"id": "msg_1", "sessionID": "ses_1"}
    told = play({"deny": "no"}, "chat.message", {"sessionID": "ses_1"}, {"message": message, "parts": []})

    assert (told["thrown"], told["calls"]) == ("no", [["toast", "no"]])


@pytest.mark.parametrize(
    ("answer", "calls"),
    [
        ({"allow": True}, [["permission", "once"]]),
        ({"deny": "no"}, [["permission", "reject"]]),
        ({}, []),
    ],
)
def test_a_permission_is_answered_only_where_a_hook_has_an_opinion(
    answer: dict[str, Any], calls: list[list[str]], play: Play
) -> None:
    asked = {"id": "per_1", "sessionID": "ses_1", "permission": "bash", "patterns": [], "metadata": {}}
    event = {"event": {"type": "permission.asked", "properties": asked}}

    assert play(answer, "event", event, {})["calls"] == calls


@pytest.mark.parametrize(
    ("answer", "status"), [({"allow": True}, "allow"), ({"deny": "no"}, "deny"), ({}, "ask")]
)
def test_the_declared_permission_hook_is_answered_too_should_it_ever_be_called(
    answer: dict[str, Any], status: str, play: Play
) -> None:
    asked = {"id": "per_1", "sessionID": "ses_1", "type": "bash", "metadata": {}}

    assert play(answer, "permission.ask", asked, {"status": "ask"})["output"] == {"status": status}


def test_guidance_for_a_compaction_is_added(play: Play) -> None:
    told = play(
        {"context": "keep"}, "experimental.session.compacting", {"sessionID": "ses_1"}, {"context": []}
    )

    assert told["output"] == {"context": ["keep"]}


def test_what_the_model_reads_is_changed_wherever_it_is_text(play: Play) -> None:
    info = {"role": "user", "sessionID": "ses_1", "model": {"providerID": "p", "modelID": "m"}}
    tool = {"id": "prt_2", "type": "tool", "state": {"status": "error", "error": "s3cret"}}
    messages = [{"info": info, "parts": [{"id": "prt_1", "type": "text", "text": "hi"}, tool]}]
    change = [{"role": "user", "text": "hi"}, {"role": "tool", "text": "[redacted]"}]
    told = play({"change": change}, "experimental.chat.messages.transform", {}, {"messages": messages})

    (message,) = told["output"]["messages"]
    assert message["parts"][0]["text"] == "hi"
    assert message["parts"][1]["state"]["error"] == "[redacted]"


@pytest.mark.parametrize("answer", ["nonsense", "[1]", "null", '"text"', "{"])
def test_what_is_no_answer_stops_nothing_and_is_shown(answer: str, play: Play) -> None:
    told = play(answer, "tool.execute.before", CALL, {"args": {"command": "x"}})

    assert (told["output"], told["thrown"]) == ({"args": {"command": "x"}}, None)
    assert [text for kind, text in told["calls"] if kind == "toast" and "printed an invalid answer" in text]


@pytest.mark.parametrize("output", [{}, {"parts": None}, {"message": None, "parts": None}])
def test_a_mistake_of_the_plugin_is_shown_and_thrown_at_nobody(output: dict[str, Any], play: Play) -> None:
    told = play({}, "chat.message", {"sessionID": "ses_1"}, output)

    assert told["thrown"] is None
    assert "the plugin failed at chat.message" in told["calls"][0][1]


def test_warnings_are_shown(play: Play) -> None:
    assert play({"warnings": ["mind"]}, "tool.execute.before", CALL, {"args": {}})["calls"] == [
        ["toast", "mind"]
    ]
