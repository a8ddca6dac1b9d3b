"""Test Codex: the published schemas, and the pitfalls of its replies and payloads."""

import json
import os
from pathlib import Path

import pytest

from hookline import block, hook
from hookline.core.degrade import build_reply
from hookline.core.derive import derive
from hookline.core.events import (
    Notification,
    OnError,
    PostModelCall,
    PostToolUse,
    PreModelCall,
    Stop,
    Subagent,
    TurnStart,
    UserPromptSubmit,
)
from hookline.core.frozen import freeze
from hookline.core.host import Reply
from hookline.core.install_table import InstallEntry
from hookline.core.outcome import Outcome
from hookline.core.payload import decode
from hookline.core.state import State
from hookline.core.values import replace
from hookline.hosts import load
from hookline.hosts._codex_codec import is_sender
from hookline.hosts.codex import make_entry
from hookline.runtime.runtime import Runtime

HOST = load("codex")
ROOT = Path(__file__).parents[2]
CAPTURES = ROOT / "tests" / "captures"
SHARED = Path(os.environ.get("HOOKLINE_SHARED", ROOT.parent / "shared" / "corpora")).parent
SCHEMAS = SHARED / "hosts" / "data" / "codex" / "schema-0.166.0"


def heard(capture, **changed):
    """Return the moment and event of a captured payload with fields *changed*."""
    payload = {**json.loads((CAPTURES / "codex" / f"{capture}.json").read_text()), **changed}
    return decode(HOST, payload)


def said(capture, **outcome):
    name, event = heard(capture)
    reply, _ = build_reply(HOST, name, event, Outcome(event=outcome.pop("event", event), **outcome))
    assert (reply.code, reply.stderr) == (0, "")
    return json.loads(reply.stdout) if reply.stdout else None


def altered(capture, **changes):
    return replace(heard(capture)[1], **changes)


# --- replies: Codex ignores a reply that it does not fully know


OUTCOMES = [
    {"blocked": "no"},
    {"asked": "really?"},
    {"allowed": "yes"},
    {"context": ("mind this",)},
    {"warnings": ("look",)},
    {"blocked": "no", "context": ("mind this",), "warnings": ("look",)},
]
CHANGES = {"PreToolUse": {"input": freeze({"command": "ls"})}, "PostToolUse": {"output": "other"}}


@pytest.mark.parametrize("moment", [name for name in HOST.moments if "Model" not in name])
def test_one_unknown_field_drops_the_whole_reply_so_every_reply_is_of_the_published_schema(moment):
    kebab = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in moment).lstrip("-")
    path = SCHEMAS / f"{kebab}.command.output.schema.json"
    if not SCHEMAS.exists():
        pytest.skip("published schemas not found; set HOOKLINE_SHARED")
    schema = json.loads(path.read_text()) if path.exists() else {"properties": {}}
    changes = [{"event": altered(moment, **CHANGES[moment])}] if moment in CHANGES else []

    for outcome in (*OUTCOMES, *changes, {**OUTCOMES[-1], **(changes[0] if changes else {})}):
        name, event = heard(moment)
        given = dict(outcome)
        reply, _ = build_reply(HOST, name, event, Outcome(event=given.pop("event", event), **given))
        assert broken(schema, json.loads(reply.stdout) if reply.stdout else {}, schema) == []


def broken(schema, value, whole):
    """Return the schema violations of *value*; only the keywords that these schemas use are supported."""
    for one in schema.get("allOf", ()):
        schema = {**schema, **one}
    if "$ref" in schema:
        schema = whole["definitions"][schema["$ref"].rpartition("/")[2]]
    types = {"object": dict, "string": str, "boolean": bool}
    if "type" in schema and not isinstance(value, types[schema["type"]]):
        return [f"{value!r} is no {schema['type']}"]
    if value not in schema.get("enum", [schema.get("const", value)]) or value != schema.get("const", value):
        return [f"{value!r} is not allowed"]
    if not isinstance(value, dict) or "properties" not in schema:
        return []
    known = schema["properties"]
    found = [f"{key!r} is unknown" for key in value if key not in known]
    found += [f"{key!r} is missing" for key in schema.get("required", ()) if key not in value]
    return found + [one for key in value if key in known for one in broken(known[key], value[key], whole)]


@pytest.mark.parametrize("capture", sorted(path.stem for path in (CAPTURES / "codex").glob("*.json")))
def test_exit_2_with_empty_stderr_does_nothing_so_nothing_is_said_by_exit_code(capture):
    for outcome in OUTCOMES:
        name, event = heard(capture)
        reply, _ = build_reply(HOST, name, event, Outcome(event=event, **outcome))
        assert reply.code == 0


def test_a_denial_without_words_lets_the_tool_run_so_it_always_has_some():
    assert said("PreToolUse", blocked=" ") == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "A hook blocked this.",
        }
    }
    assert said("Stop", blocked="") == {"decision": "block", "reason": "A hook blocked this."}


def test_half_a_surrogate_pair_is_no_json_to_codex_so_it_is_replaced():
    reply = said("PreToolUse", blocked="not \udc80 that")

    assert reply["hookSpecificOutput"]["permissionDecisionReason"] == "not ? that"


def test_allow_alone_is_failed_so_an_allowance_is_silence():
    assert said("PreToolUse", allowed="fine") is None


def test_ask_is_failed_so_it_becomes_a_denial():
    reply = said("PreToolUse", asked="really?")["hookSpecificOutput"]

    assert reply["permissionDecision"] == "deny"
    assert reply["permissionDecisionReason"].startswith("really? (a person must decide this")


def test_changed_input_counts_only_beside_an_allowance():
    assert said("PreToolUse", event=altered("PreToolUse", input=freeze({"command": "ls"}))) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "updatedInput": {"command": "ls"},
        }
    }


@pytest.mark.parametrize("capture", ["PreToolUse", "PostToolUse", "PreCompact", "Stop", "UserPromptSubmit"])
def test_continue_false_is_failed_or_does_not_stop_the_run_so_it_is_never_said(capture):
    reply = said(capture, blocked="no", context=("mind this",), warnings=("look",))

    assert not {"continue", "stopReason"} & set(reply)


def test_a_block_after_a_tool_replaces_the_result_so_words_about_it_go_beside_it():
    assert said("PostToolUse", blocked="too slow", context=("mind this",)) == {
        "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "too slow\nmind this"}
    }


def test_a_block_after_a_tool_replaces_the_result_so_it_says_what_was_changed():
    reply = said("PostToolUse", event=altered("PostToolUse", output="ha"), context=("mind this",))

    assert reply == {
        "decision": "block",
        "reason": "ha",
        "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "mind this"},
    }


def test_a_changed_result_that_is_empty_still_replaces_the_old_one():
    reply = said("PostToolUse", event=altered("PostToolUse", output=""))

    assert reply == {"decision": "block", "reason": "(A hook removed the output.)"}


def test_a_changed_result_keeps_that_the_command_failed():
    name, event = heard("PostToolUse")
    failed = replace(event, success=False, error="exit code 3")
    reply, _ = build_reply(HOST, name, failed, Outcome(event=replace(failed, output="ha")))

    assert json.loads(reply.stdout)["reason"] == "exit code 3\nha"


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ({"content": [{"type": "text", "text": "ha"}], "isError": False}, "ha"),
        ({"content": [{"type": "image", "data": "ha"}]}, '{"content": [{"type": "image", "data": "ha"}]}'),
        ({"content": [], "more": 1}, '{"content": [], "more": 1}'),
        ("ha", "ha"),
    ],
)
def test_the_changed_result_of_an_mcp_tool_is_text(response, reason):
    capture = "PostToolUse.mcp__echo__echo"
    name, event = heard(capture, tool_response={"content": []})
    reply, _ = build_reply(HOST, name, event, Outcome(event=replace(event, output=freeze(response))))

    assert json.loads(reply.stdout)["reason"] == reason


@pytest.mark.parametrize("capture", ["SessionEnd", "PreModelRequest", "PostModelRequest"])
def test_where_no_reply_is_read_warnings_go_to_stderr(capture):
    name, event = heard(capture)
    reply, _ = build_reply(HOST, name, event, Outcome(event=event, warnings=("look",)))

    assert reply == Reply(stderr="hookline: look\n")


# --- payloads


def test_exact_tokens_come_with_undocumented_model_requests():
    assert isinstance(heard("PreModelRequest")[1], PreModelCall)
    _, event = heard("PostModelRequest")

    assert isinstance(event, PostModelCall)
    assert (event.model, event.usage["input_tokens"], event.usage["output_tokens"]) == ("gpt-5.5", 100, 10)


def test_a_model_request_that_failed_is_an_error():
    _, event = heard("PostModelRequest", status="failed", error="stream disconnected", token_usage=None)

    assert isinstance(event, OnError)
    assert event.error == "stream disconnected"


def test_a_helpers_task_looks_like_a_persons_prompt_and_is_none():
    assert isinstance(heard("UserPromptSubmit")[1], UserPromptSubmit)
    _, event = heard("UserPromptSubmit.subagent")

    assert isinstance(event, TurnStart)
    assert event.prompt == "CHILD-TASK"


def test_the_session_of_a_helper_is_its_parents_so_it_is_told_apart_by_its_id():
    _, parent = heard("PreToolUse.spawn_agent")
    _, child = heard("PreToolUse.subagent")

    assert child.session == parent.session
    assert (parent.subagent, child.subagent) == (
        None,
        Subagent(id="01a1dcbd-6239-7d81-a080-772e99129b12", type="default"),
    )


def test_a_patch_lies_where_others_have_a_command_and_names_every_file_that_it_touches():
    moved = "*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y"
    patch = f"*** Begin Patch\n{moved}\n*** Delete File: .env\n*** End Patch"
    _, event = heard("PreToolUse.apply_patch", tool_input={"command": patch})

    assert (event.kind, event.command, event.path, event.content) == ("edit", None, "a.py", "\ny\n")
    assert [part.path for part in event.patch] == ["a.py", "b.py", ".env"]


# --- failing commands: the payload has no error


def rollout(*items):
    return "\n".join(
        json.dumps({"type": "event_msg", "payload": {"type": "item_completed", "item": item}})
        for item in items
    )


def ran(call, code, **more):
    return {"type": "CommandExecution", "id": call, "exit_code": code, **more}


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        (rollout(ran("call_1_0", 3)), "exit code 3"),
        (rollout(ran("call_1_0", 0)), ""),
        (rollout(ran("call_1_0", 3), ran("call_2_0", 0)), "exit code 3"),
        (rollout(ran("call_1_0", 0), ran("call_2_0", 3)), ""),
        (rollout(ran("call_1_01", 3)), ""),
        (rollout(ran("call_1_0", None, status="failed")), "exit code None"),
        (rollout({"type": "FileChange", "id": "call_1_0"}), ""),
        ('ut of a cut line", "exit_code": 3}\n' + rollout(ran("call_1_0", 1)), "exit code 1"),
        ('{"item_completed": "call_1_0', ""),
        ("", ""),
    ],
)
def test_a_failing_command_says_nothing_but_the_recording_has_its_exit_code(lines, error):
    assert HOST.find_recorded_error(lines, "call_1_0") == error


def noting(seen):
    @hook(name="noting")
    def noting(event: PostToolUse | OnError, state: State):
        seen.append(event.name)

    return noting


@pytest.mark.parametrize(
    ("tool", "response", "error"),
    [
        ("Bash", "Exit code: 3\nis what it printed", ""),
        ("apply_patch", "Exit code: 1\nWall time: 0 seconds\nOutput:\nno", "Exit code: 1"),
        ("apply_patch", "Exit code: 0\nWall time: 0 seconds\nOutput:\nyes", ""),
        ("apply_patch", "Done!", ""),
        ("mcp__a__b", {"content": [], "isError": True}, "the tool reported a failure"),
        ("mcp__a__b", {"content": [], "isError": False}, ""),
    ],
)
def test_other_results_tell_of_their_failure(tool, response, error):
    _, event = heard("PostToolUse", tool_name=tool, tool_response=response)

    assert (event.success, event.error) == (not error, error)


# --- no limit on stops


def test_no_cap_on_stops_so_ours_holds_though_helpers_begin_turns_meanwhile():
    @hook(name="never")
    def never(event: Stop, state: State):
        return block("go on")

    runtime = Runtime()
    runtime.register(never)
    went_on = []
    for _ in range(10):
        runtime.answer(HOST, *heard("UserPromptSubmit.subagent"))
        went_on.append("go on" in json.loads(runtime.answer(HOST, *heard("Stop")).stdout).get("reason", ""))

    assert went_on == [True] * 7 + [False] * 3


# --- installation and detection


@pytest.mark.parametrize(("moment", "timeout"), [("SessionEnd", 3), ("Interrupt", 3), ("Stop", 60)])
def test_the_end_of_a_session_has_a_second_by_default_and_three_at_most(moment, timeout):
    wired = make_entry(InstallEntry(moment=moment, command="hookline hook codex", timeout=60.0))
    handler = {"type": "command", "command": "hookline hook codex", "timeout": timeout}

    assert wired == {"hooks": [handler]}
    assert (HOST.moments[moment].timeout or HOST.timeout) < timeout


def test_untrusted_hooks_are_skipped_silently_so_a_person_is_told_what_to_do():
    assert "/hooks" in HOST.install.manual_steps[0]


def test_no_environment_marks_it_so_it_is_recognised_by_its_payloads():
    for path in sorted(CAPTURES.glob("*/*.json")):
        assert is_sender(json.loads(path.read_text()), {}) is (path.parent.name == "codex"), path


# --- other behaviour ---


def test_the_check_of_schemas_finds_what_is_wrong():
    schema = {"properties": {"a": {"$ref": "#/definitions/A"}}, "required": ["a"]}
    schema["definitions"] = {"A": {"type": "string", "enum": ["x"]}}

    assert broken(schema, {"a": "x"}, schema) == []
    assert broken(schema, {"a": "y"}, schema) == ["'y' is not allowed"]
    assert broken(schema, {"a": 1}, schema) == ["1 is no string"]
    assert broken(schema, {"b": 1}, schema) == ["'b' is unknown", "'a' is missing"]


def test_a_permission_is_given_or_refused_with_words():
    refused = {"behavior": "deny", "message": "no"}

    assert said("PermissionRequest", blocked="no")["hookSpecificOutput"]["decision"] == refused
    assert said("PermissionRequest", allowed="ok")["hookSpecificOutput"]["decision"] == {"behavior": "allow"}


def test_an_interrupted_turn_is_told():
    _, event = heard("Interrupt")

    assert (type(event), event.kind) == (Notification, "interrupt")


@pytest.mark.parametrize(("code", "told"), [(3, ["PostToolUse", "OnError"]), (0, ["PostToolUse"])])
def test_a_failing_command_fires_an_error(tmp_path, code, told):
    recording = tmp_path / "rollout-1.jsonl"
    recording.write_text(rollout(ran("call_1_0", code)))
    seen = []
    name, event = heard("PostToolUse", transcript_path=str(recording))
    runtime = Runtime()
    runtime.register(noting(seen))
    runtime.answer(HOST, name, event)
    runtime.close()

    assert seen == told


@pytest.mark.parametrize("transcript", [None, "/no/such/file", "/dev/zero", "."])
def test_without_a_recording_nothing_is_known_and_nothing_breaks(transcript):
    name, event = heard("PostToolUse", transcript_path=transcript)
    runtime = Runtime()

    assert runtime.answer(HOST, name, event) == Reply()


@pytest.mark.parametrize("capture", ["Stop", "UserPromptSubmit"])
def test_turns_are_concluded(capture):
    _, event = heard(capture)

    assert {one.name for one in derive(HOST, event)} == {
        "Stop": {"Stop", "TurnEnd"},
        "UserPromptSubmit": {"UserPromptSubmit", "TurnStart"},
    }[capture]
