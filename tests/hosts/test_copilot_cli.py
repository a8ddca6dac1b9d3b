"""Test the two dialects of GitHub Copilot CLI, and the pitfalls of its hooks."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from hookline import hosts
from hookline.core.degrade import build_reply
from hookline.core.derive import derive
from hookline.core.events import OnError, PermissionRequest, PostToolUse, PreToolUse, Stop
from hookline.core.frozen import freeze
from hookline.core.install_table import InstallEntry
from hookline.core.outcome import Outcome
from hookline.core.payload import decode
from hookline.core.values import replace

HOST = hosts.load("copilot-cli")
CAPTURES = Path(__file__).parent.parent / "captures" / "copilot-cli"
SPELLINGS = pytest.mark.parametrize("name", ["preToolUse", "PreToolUse.pascal"])


def sent(name):
    return json.loads((CAPTURES / f"{name}.json").read_text())


def heard(name, **more):
    return decode(HOST, {**sent(name), **more})


def replied(name, **outcome):
    moment, event = heard(name)
    reply, _ = build_reply(HOST, moment, event, Outcome(**{"event": event, **outcome}))
    return reply


def test_the_spelling_of_the_event_selects_the_dialect_and_both_are_understood():
    (camel, one), (pascal, other) = heard("postToolUse"), heard("PostToolUse.pascal")

    assert (camel, pascal) == ("postToolUse", "PostToolUse")
    assert (one.tool, other.tool) == ("bash", "Bash")
    assert (one.kind, one.command, one.output) == (other.kind, other.command, other.output)
    assert one.output == {
        "resultType": "success",
        "textResultForLlm": "hi\n<shellId: 0 completed with exit code 0>",
    }


def test_a_permission_request_is_camel_case_in_both_spellings():
    events = [heard(name)[1] for name in ("permissionRequest", "PermissionRequest.pascal")]

    assert [type(event) for event in events] == [PermissionRequest] * 2
    assert [event.command for event in events] == ["echo hi"] * 2


@pytest.mark.parametrize("path", sorted(CAPTURES.glob("*.json")), ids=lambda path: path.stem)
def test_a_payload_that_names_no_event_is_recognised_by_its_fields(path):
    name = path.stem.split(".")[0]
    found = HOST.normalize(json.loads(path.read_text()))["hook_event_name"]

    assert found.lower() == name.lower()


@SPELLINGS
def test_only_flat_fields_are_sent_because_nested_ones_are_ignored(name):
    reply = replied(name, blocked="no", context=("mind",))

    assert json.loads(reply.stdout) == {
        "permissionDecision": "deny",
        "permissionDecisionReason": "no",
        "additionalContext": "mind",
    }


@pytest.mark.parametrize("name", ["postToolUse", "PostToolUse.pascal", "postToolUseFailure.view"])
def test_after_a_tool_context_is_flat_and_a_block_does_not_hide_what_the_tool_said(name):
    reply = replied(name, blocked="wrong", context=("mind",))

    assert json.loads(reply.stdout) == {"additionalContext": "wrong\nmind"}


@pytest.mark.parametrize("name", ["userPromptSubmitted", "UserPromptSubmit.pascal", "sessionStart"])
def test_context_at_a_prompt_and_at_the_start_is_sent_whatever_the_documents_say(name):
    assert json.loads(replied(name, context=("mind",)).stdout) == {"additionalContext": "mind"}


@SPELLINGS
def test_a_changed_input_is_sent_as_modified_args(name):
    _, event = heard(name)
    reply = replied(name, event=replace(event, input=freeze({"command": "ls"})))

    assert json.loads(reply.stdout) == {"modifiedArgs": {"command": "ls"}}


@pytest.mark.parametrize("name", ["postToolUse", "PostToolUse.pascal"])
def test_a_changed_output_is_sent_as_modified_result_in_copilots_own_shape(name):
    reply = replied(name, event=replace(heard(name)[1], output="new"))

    assert json.loads(reply.stdout) == {
        "modifiedResult": {"resultType": "success", "textResultForLlm": "new"}
    }


@pytest.mark.parametrize("name", ["preToolUse", "permissionRequest"])
def test_an_allow_is_never_sent_because_it_would_beat_the_users_own_deny_rules(name):
    assert replied(name, allowed="fine").stdout == ""


def test_a_permission_is_denied_in_words_of_its_own():
    assert json.loads(replied("permissionRequest", blocked="no").stdout) == {
        "behavior": "deny",
        "message": "no",
    }


def test_output_is_one_json_document_and_warnings_are_lines_of_progress_before_it():
    *progress, last = replied("preToolUse", blocked="no", warnings=("one\ntwo", "three")).stdout.splitlines()

    assert [json.loads(line) for line in progress] == [
        {"type": "progress", "message": "hookline: one\ntwo"},
        {"type": "progress", "message": "hookline: three"},
    ]
    assert json.loads(last)["permissionDecision"] == "deny"


def test_every_answer_ends_with_0_because_any_other_code_denies():
    codes = {replied(path.stem, blocked="no").code for path in CAPTURES.glob("*.json") if heard(path.stem)}

    assert codes == {0}


def wired(command):
    entries = tuple(InstallEntry(moment=name, command=command, timeout=59.6) for name in HOST.moments)
    (text,) = HOST.install.layout.make_files(entries).values()
    return json.loads(text)


def test_only_one_spelling_is_wired_because_both_would_fire_twice():
    hooks = wired("hookline hook copilot-cli")["hooks"]

    assert {name[0].lower() + name[1:] for name in hooks} == set(hooks)
    assert {type(HOST.moments[name]) for name in hooks} == {type(HOST.moments["Stop"])}
    assert {HOST.moments[name].event for name in hooks} == {row.event for row in HOST.moments.values()}
    assert {entry["timeoutSec"] for (entry,) in hooks.values()} == {60}


@pytest.mark.parametrize("command", ["hookline-that-is-gone hook copilot-cli", "sh -c 'exit 7'", "false"])
def test_the_configured_command_ends_with_0_and_says_so_where_hookline_is_missing(command):
    (entry,) = wired(command)["hooks"]["preToolUse"]
    done = subprocess.run(["bash", "-c", entry["bash"]], capture_output=True, text=True, check=False)

    assert done.returncode == 0
    assert json.loads(done.stdout)["type"] == "progress"


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ('{"command": "ls"}', {"command": "ls"}),
        ("*** Begin Patch", {"input": "*** Begin Patch"}),
        ("[1]", {"input": "[1]"}),
    ],
)
def test_tool_args_may_be_text(text, args):
    assert heard("preToolUse", toolArgs=text)[1].input == args


def test_there_is_no_tool_call_id():
    assert {heard(path.stem)[1].call for path in CAPTURES.glob("p*ToolUse*.json")} == {""}


def ran(text, kind="success", **more):
    return heard("postToolUse", toolResult={"resultType": kind, "textResultForLlm": text}, **more)[1]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("out\n<shellId: 0 completed with exit code 3>", "exit code 3"),
        ("<shellId: build completed with exit code -1>\n", "exit code -1"),
        ("out\n<shellId: 0 completed with exit code 0>", ""),
        ("<shellId: 0 completed with exit code 3>\nand more", ""),
        ("completed with exit code 3", ""),
    ],
)
def test_a_failing_command_is_a_success_whose_text_ends_with_its_exit_code(text, error):
    event = ran(text)

    assert (event.success, event.error) == (not error, error)


def test_a_result_that_is_called_a_failure_is_one():
    assert (ran("gone", "failure").success, ran("gone", "failure").error) == (False, "gone")


def test_a_tool_that_fails_has_an_event_of_its_own():
    _, event = heard("postToolUseFailure.view")

    assert (type(event), event.success, event.error) == (PostToolUse, False, "Path does not exist")


def test_a_helpers_own_stop_and_prompt_are_none_of_the_sessions():
    assert heard("agentStop.subagent") is None
    assert heard("Stop.pascal.subagent") is None
    assert heard("userPromptSubmitted.subagent") is None


@pytest.mark.parametrize("name", ["preToolUse.subagent", "PreToolUse.pascal.subagent", "subagentStop"])
def test_a_helper_belongs_to_the_session_that_began_it(name):
    _, event = heard(name)
    payload = HOST.normalize(sent(name))

    assert event.session == payload["parentAgentId"]
    assert (event.subagent.id, event.subagent.type) == (payload["agentId"], "task")


@pytest.mark.parametrize("name", ["agentStop", "Stop.pascal"])
def test_a_forced_turn_begins_with_our_own_reason_which_is_no_prompt_of_a_person(name):
    reason = json.loads(replied(name, blocked="tests fail").stdout)["reason"]

    assert reason.endswith("tests fail")
    session = heard(name)[1].session
    assert heard("userPromptSubmitted", prompt=reason, sessionId=session) is None
    assert heard("UserPromptSubmit.pascal", prompt=reason, session_id=session) is None
    assert heard("userPromptSubmitted", prompt="tests fail") is not None
    assert heard("userPromptSubmitted", prompt=reason, sessionId="other") is not None  # another session


def test_a_prompt_may_come_before_the_session_start_which_is_not_told_twice_then():
    prompt, call = heard("userPromptSubmitted")[1], heard("preToolUse")[1]

    assert [event.name for event in derive(HOST, prompt, session_known=False)] == [
        "UserPromptSubmit",
        "TurnStart",
    ]
    assert [event.name for event in derive(HOST, call, session_known=False)] == ["SessionStart", "PreToolUse"]


def test_we_let_go_before_the_eighth_stop_block_at_which_copilot_ends_the_turn_itself():
    assert HOST.continuations < 8


def test_a_stop_says_whether_it_was_made_to_go_on():
    assert [heard(name)[1].again for name in ("agentStop", "agentStop.active")] == [False, True]
    assert isinstance(heard("agentStop")[1], Stop)


@pytest.mark.parametrize(
    ("env", "payload", "ours"),
    [
        ({"COPILOT_CLI": "1"}, "PreToolUse.pascal", True),
        ({}, "PreToolUse.pascal", False),
    ],
)
def test_it_is_recognised_by_its_environment_where_claudes_settings_are_read(env, payload, ours):
    assert HOST.recognises(sent(payload), env) is ours


# --- other behaviour ---


def test_what_the_settings_say_beats_what_the_payload_looks_like():
    assert decode(HOST, sent("preToolUse"), "PreToolUse")[0] == "PreToolUse"


def test_a_person_is_asked():
    assert json.loads(replied("preToolUse", asked="sure?").stdout) == {
        "permissionDecision": "ask",
        "permissionDecisionReason": "sure?",
    }


def test_the_configured_command_says_which_moment_it_is_and_nothing_more_where_hookline_answers():
    (entry,) = wired("echo hookline hook copilot-cli")["hooks"]["agentStop"]
    done = subprocess.run(["bash", "-c", entry["bash"]], capture_output=True, text=True, check=False)

    assert shlex.split(done.stdout) == ["hookline", "hook", "copilot-cli", "--event", "agentStop"]


def test_a_patch_names_its_files():
    patch = "*** Begin Patch\n*** Update File: .env\n@@\n+x\n*** End Patch"

    assert heard("preToolUse", toolName="apply_patch", toolArgs=patch)[1].path == ".env"


def test_an_error_of_the_model_is_told():
    _, event = heard("errorOccurred")

    assert (type(event), "scripted failure" in event.error) == (OnError, True)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("bash", "shell"),
        ("Bash", "shell"),
        ("Read", "read"),
        ("echo-echo", "mcp"),
        ("echo/echo", "mcp"),
        ("sql", "other"),
    ],
)
def test_tools_are_known_by_either_name(name, kind):
    event = heard("preToolUse", toolName=name)[1]

    assert (type(event), event.kind) == (PreToolUse, kind)


def test_every_tools_output_can_be_changed():
    assert build_reply(
        HOST, "postToolUse", ran("s3cret", toolName="sql"), Outcome(event=replace(ran("s3cret"), output="x"))
    )[0].stdout


def test_a_file_is_found_where_a_permission_is_asked_for():
    assert heard("permissionRequest.edit")[1].path == "/repo/note.txt"


def test_another_host_that_was_started_inside_of_it_is_not_taken_for_it():
    assert HOST.recognises({"hook_event_name": "PreToolUse", "prompt_id": "1"}, {"COPILOT_CLI": "1"}) is False
