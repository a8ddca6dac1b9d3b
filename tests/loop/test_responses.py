"""Test the effects of hook responses on the model's input, on tool calls, and on the user's output."""

import asyncio
import json
import subprocess
import sys

import pytest
from tests.loop.scripted_turn import Played, calls, says

from hookline import PreModelCall, SessionStart, ask, block, hook, inject, modify, warn
from hookline.loop import Answer, Failed, Tool, ToolCall, tool
from hookline.runtime.runtime import Runtime

SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6"


def test_context_of_the_session_stands_in_the_system_prompt_of_every_call():
    played = Played(
        [calls("look"), says("hi")], {"SessionStart": [inject("use tabs", "be brief")]}, system="You help."
    )
    played.run("please")

    assert [one.system for one in played.requests] == [
        "You help.\n\n[Session context]\nuse tabs\nbe brief"
    ] * 2


def test_without_context_the_system_prompt_stays_as_it_was():
    played = Played([says("hi")], system="You help.")
    played.run("please")

    assert played.requests[0].system == "You help."


@pytest.mark.parametrize(
    ("length", "kept", "cut"), [(4096, 4096, False), (4097, 4016, True), (50_000, 4016, True)]
)
def test_each_hook_has_4096_characters_of_the_system_prompt(length, kept, cut):
    played = Played([says("hi")], {"SessionStart": [inject("a" * length)]})

    @played.runtime.register
    @hook(priority=60)
    def other(event: SessionStart, state):
        return inject("b" * 100)

    played.run("please")
    system = played.requests[0].system

    assert (system.count("a" * kept), system.count("b" * 100)) == (1, 1)
    assert (f"[hookline: truncated, 4,016 of {length:,} characters shown]" in system) == cut


def test_context_that_replaces_what_was_said_before_it_replaces_it():
    played = Played([says("hi")], {"SessionStart": [inject("old")]})

    @played.runtime.register
    @hook(priority=60)
    def other(event: SessionStart, state):
        return inject("new", replace=True)

    played.run("please")

    assert played.requests[0].system == "[Session context]\nnew"


def test_context_of_a_prompt_stands_beside_it():
    played = Played(
        [says("hi")], {"UserPromptSubmit": [inject("it is Monday")], "TurnStart": [inject("be brief")]}
    )
    played.run("please")

    assert played.read == [("user", "please\n\n[context] it is Monday\n\n[context] be brief")]


@pytest.mark.parametrize("moment", ["UserPromptSubmit", "TurnStart"])
def test_a_blocked_prompt_ends_with_the_reason_and_leaves_no_message(moment):
    played = Played([says("hi")], {moment: [block("not on Mondays")]})
    (done, again) = played.run("please", "and now?")

    assert (done.ended, done.reason, done.text) == ("blocked", "not on Mondays", "")
    assert again.text == "hi"
    assert played.read == [("user", "and now?")]


def test_a_blocked_model_call_says_why_each_time_and_ends_with_a_done():
    played = Played([], {"PreModelCall": [block("over quota").plus(inject("use less"))] * 3})
    (done,) = played.run("please")

    assert (played.requests, done.ended) == ([], "capped")
    assert played.warned[:2] == ["the model was not called: over quota"] * 2
    assert done.reason.startswith("capped: ")
    assert "last reason: over quota" in done.reason
    assert done.reason in played.warned


def test_the_gate_before_the_model_sees_what_it_said_before():
    played = Played([says("hi")], {"PreModelCall": [block("say please").plus(inject("please"))]})
    played.run("do it")
    first, second = [event.messages for event in played.events if event.name == "PreModelCall"]

    assert [message["text"] for message in first] == ["do it"]
    assert [message["text"] for message in second] == ["do it", "[context] please"]


def test_messages_that_a_hook_changes_are_what_this_call_reads_and_no_other():
    short = modify(messages=[{"role": "user", "text": "(left out)"}]).plus(inject("mind"))
    played = Played([calls("look"), says("hi")], {"PreModelCall": [short]})
    played.run("my password is swordfish")

    assert [message["text"] for message in played.requests[0].messages] == ["(left out)", "[context] mind"]
    assert played.read[0] == ("user", "my password is swordfish")


@pytest.mark.parametrize(
    "made", [None, 7, "words", ["words"], [None], [{"role": "user"}], [{"text": "words"}]]
)
def test_messages_that_are_none_are_not_read(made):
    played = Played([says("done")], {"PreModelCall": [modify(messages=made)]})
    (done,) = played.run("please")

    assert done.ended == "done"
    assert played.read == [("user", "please")]
    assert played.warned == ["a hook returned invalid messages; the original messages are used"]


@pytest.mark.parametrize("calls", [None, 7, ["look"], ({"tool": "look"},)])
def test_calls_that_are_none_end_the_turn_with_a_done(calls):
    (done,) = Played([Answer(text="hi", calls=calls)]).run("please")

    assert done.ended == "error"
    assert "invalid `calls` in the Answer" in done.reason


def test_an_answer_that_a_hook_changes_is_what_was_said():
    other = {"text": "all well", "calls": [{"id": "x", "tool": "look", "input": {}}]}
    raw = Answer(text="all is lost", raw={"thought": "all is lost"})
    played = Played([raw, says("bye")], {"PostModelCall": [modify(response=other)]})
    played.run("please")

    assert played.read == [("user", "please"), ("assistant", "all well"), ("tool", "seen")]
    assert "lost" not in str(played.agent.messages)


@pytest.mark.parametrize(
    "other", ["text", {"text": 1, "calls": []}, {"calls": []}, {"text": "", "calls": [{}]}, None]
)
def test_an_answer_that_is_none_is_not_taken(other):
    played = Played([says("as it was")], {"PostModelCall": [modify(response=other)]})
    (done,) = played.run("please")

    assert done.text == "as it was"
    assert played.warned == ["a hook returned an invalid answer; the model's answer is used"]


@pytest.mark.parametrize(
    ("change", "raw"),
    [
        ({"text": "other"}, None),
        ({"text": "other", "raw": {"thought": "other"}}, {"thought": "other"}),
        ({}, {"thought": "mine"}),
    ],
)
def test_a_message_whose_words_a_hook_changed_is_not_told_by_its_raw_answer(change, raw):
    played = Played([Answer(text="words", calls=calls("look").calls, raw={"thought": "mine"}), says("hi")])

    @played.runtime.register
    @hook()
    def changing(event: PreModelCall, state):
        return modify(
            messages=[{**one, **(change if one["role"] == "assistant" else {})} for one in event.messages]
        )

    played.run("please")

    assert played.requests[-1].messages[1].get("raw") == raw
    assert played.requests[-1].messages[1]["text"] == change.get("text", "words")


def test_what_a_model_wants_back_is_given_back():
    played = Played([Answer(calls=calls("look").calls, raw={"signature": "abc"}), says("hi")])
    played.run("please")

    assert played.requests[-1].messages[1]["raw"] == {"signature": "abc"}


def test_a_blocked_tool_becomes_a_result_with_the_reason_and_does_not_run():
    ran = []
    other = Tool(name="rm", run=lambda: ran.append("ran"))
    played = Played(
        [calls("rm"), says("hi")], {"PreToolUse": [block("use trash").plus(inject("see docs"))]}, [other]
    )
    played.run("please")

    assert ran == []
    assert played.read[-1] == ("tool", "[blocked] use trash\n\n[context] see docs")
    assert played.requests[-1].messages[-1]["success"] is False


def test_modified_input_is_what_runs():
    echo = Tool(name="echo", run=lambda text: text)
    played = Played(
        [calls("echo", text="one"), says("hi")], {"PreToolUse": [modify(input={"text": "two"})]}, [echo]
    )
    played.run("please")

    assert played.read[-1] == ("tool", "two")
    assert played.one("PostToolUse").input == {"text": "two"}


def test_modified_input_is_what_a_person_is_asked_about():
    asked = []
    echo = Tool(name="echo", run=lambda text: text)
    wanted = {"PreToolUse": [modify(input={"text": "two"}).plus(ask("sure?"))]}
    played = Played(
        [calls("echo", text="one"), says("hi")], wanted, [echo], ask=lambda one: asked.append(one) or True
    )
    played.run("please")

    assert [(one.tool, one.input, one.reason) for one in asked] == [("echo", {"text": "two"}, "sure?")]
    assert played.one("PermissionRequest").input == {"text": "two"}
    assert played.read[-1] == ("tool", "two")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda one: False, "[blocked] sure? (a person denied it)"),
        (lambda one: "yes", "[blocked] sure? (a person denied it)"),
        (lambda one: 1 / 0, "[blocked] sure? (asking a person failed: ZeroDivisionError: division by zero)"),
        (None, "[blocked] sure? (this requires a person's approval, and no person can be asked here)"),
    ],
)
def test_only_a_yes_is_a_yes(answer, said):
    played = Played([calls("look"), says("hi")], {"PreToolUse": [ask("sure?")]}, ask=answer)
    played.run("please")

    assert played.read[-1] == ("tool", said)


def test_modified_output_is_what_the_model_reads():
    played = Played([calls("look"), says("hi")], {"PostToolUse": [modify(output="[redacted]")]})
    played.run("please")

    assert played.read[-1] == ("tool", "[redacted]")


def test_feedback_and_context_after_a_tool_stand_behind_its_output():
    said = block("this file is generated").plus(inject("edit the template"))
    played = Played([calls("look"), says("hi")], {"PreToolUse": [inject("mind")], "PostToolUse": [said]})
    played.run("please")

    wanted = "seen\n\n[context] mind\n\n[context] this file is generated\n\n[context] edit the template"
    assert played.read[-1] == ("tool", wanted)


def test_a_failed_tool_tells_what_went_wrong_and_hooks_may_change_that_too():
    played = Played(
        [calls("fail"), says("hi")],
        {"PostToolUse": [modify(output="it failed")], "OnError": [inject("try ls")]},
    )
    played.run("please")

    assert played.read[-1] == ("tool", "it failed\n\n[context] try ls")
    assert (played.one("OnError").error, played.one("PostToolUse").success) == ("no such file", False)


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("text", "text"),
        ({"a": [1, None]}, '{"a": [1, null]}'),
        (None, "null"),
        (3.5, "3.5"),
        ({1, 2}, "{1, 2}"),
        ("ünïcode ✓", "ünïcode ✓"),
    ],
)
def test_output_of_any_sort_is_told(output, text):
    played = Played([calls("any"), says("hi")], {}, [Tool(name="any", run=lambda: output)])
    played.run("please")

    assert played.read[-1] == ("tool", text)


def test_a_secret_in_what_a_tool_raises_is_not_told():
    def leak():
        raise RuntimeError(f"token {SECRET} expired")

    played = Played([calls("leak"), says("hi")], {}, [leak])
    played.run("please")

    assert SECRET not in json.dumps(played.agent.messages) + repr(played.events)


def test_the_built_in_guards_hold_in_a_loop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runtime = Runtime.load(str(tmp_path), {"HOME": str(tmp_path)})
    ran = []
    shell = Tool(name="sh", kind="shell", run=lambda command: ran.append(command) or f"token={SECRET}")
    played = Played([calls("sh", command="git push --force"), calls("sh", command="env"), says("hi")])
    played.agent.session.runtime, played.agent.tools["sh"] = runtime, shell
    played.run("please")
    results = [message["text"] for message in played.agent.messages if message["role"] == "tool"]

    assert ran == ["env"]
    assert results[0].startswith("[blocked] ")
    assert "[dangerous-command:git-push-force]" in results[0]
    assert SECRET not in json.dumps(played.agent.messages)
    runtime.close()


def test_the_end_of_a_turn_is_told_what_to_mend():
    played = Played([says("a"), says("b")], {"TurnEnd": [block("tests fail").plus(inject("see test_x"))]})
    (done,) = played.run("please")

    assert played.read[-1] == ("user", "tests fail\n\n[context] see test_x")
    assert (done.ended, done.text, done.continuations) == ("done", "b", 1)
    assert [event.again for event in played.events if event.name == "TurnEnd"] == [False, True]


def test_one_cap_is_shared_by_all_that_makes_a_turn_go_on():
    script = {"TurnEnd": [block("mend"), None] * 20, "Stop": [block("go on")] * 20}
    played = Played([], script)
    (done,) = played.run("please")

    assert (done.ended, done.continuations) == ("capped", 7)
    assert played.order.count("PreModelCall") == 8
    assert played.warned[-1].startswith("capped: ")


def test_a_capped_end_says_so_and_shows_the_last_directives():
    played = Played([], {"TurnEnd": [block(f"mend {n}") for n in range(9)]})
    (done,) = played.run("please")

    assert done.ended == "capped"
    assert [text for text in played.warned if text.startswith("capped: ") and "last reason: mend 2" in text]


def test_a_budget_that_is_spent_is_told_or_ends_the_turn():
    told = Played([says("hi")], {"OnBudgetExceeded": [inject("wrap up")]}, ends_at=1.0)
    told.run("please")
    ended = Played([says("hi")], {"OnBudgetExceeded": [block("it is over")]}, ends_at=1.0)
    (done,) = ended.run("please")

    assert told.read == [("user", "please"), ("user", "[context] wrap up")]
    assert (told.one("OnBudgetExceeded").threshold, told.one("OnBudgetExceeded").percent) == ("time", 100.0)
    assert (ended.requests, done.ended, done.reason) == ([], "budget", "it is over")


def test_guidance_of_hooks_reaches_the_compaction_and_its_summary_reaches_them():
    given = []

    def compact(messages, guidance):
        given.append((len(messages), guidance))
        return "the story so far"

    script = {"PreCompact": [inject("keep the issue's number")], "PostCompact": [inject("it is issue 6")]}
    played = Played(
        [Answer(calls=calls("look").calls, usage={"input": 900}), says("hi")],
        script,
        compact=compact,
        compact_at=800,
    )
    played.run("please")

    assert given == [(3, "keep the issue's number")]
    assert played.one("PostCompact").summary == "the story so far"
    assert played.read == [("user", "the story so far"), ("user", "[context] it is issue 6")]


def test_warnings_are_told_to_the_user_and_not_to_the_model():
    played = Played([says("hi")], {"TurnStart": [warn("mind the gap")]})
    played.run("please")

    assert played.warned == ["mind the gap"]
    assert "gap" not in str(played.agent.messages)


def test_context_that_nobody_reads_in_this_turn_is_read_in_the_next():
    played = Played([says("a"), says("b")], {"Stop": [inject("the tests were slow")]})
    played.run("one", "two")

    assert ("user", "[context] the tests were slow") in played.read


def test_a_function_becomes_a_tool_by_its_signature():
    def read(path: str, lines: int = 10) -> str:
        """Read a file."""
        return f"{lines} lines of {path}"

    made = tool(read, kind="read")

    assert (made.name, made.about, made.kind) == ("read", "Read a file.", "read")
    assert made.schema["required"] == ("path",)
    assert made.schema["properties"]["lines"] == {"type": "integer", "default": 10}
    assert made.run(path="x") == "10 lines of x"
    with pytest.raises(Failed, match="missing required field `path`"):
        made.run()
    with pytest.raises(Failed, match="unknown field `x`"):
        made.run(path="a", x=1)


def test_an_async_function_is_a_tool_too():
    async def slow(text: str) -> str:
        """Wait."""
        return text

    played = Played([calls("slow", text="done"), says("hi")], {}, [slow])
    played.run("please")

    assert played.read[-1] == ("tool", "done")


def test_a_session_is_known_to_the_store():
    played = Played([says("hi")], name="my-agent", cwd="/repo")
    played.run("please")

    assert played.runtime.store.begin_session(played.agent.session.id, host="x", cwd="/", at=1.0) is False
    assert {(event.host, event.cwd) for event in played.events} == {("my-agent", "/repo")}


def test_a_conversation_goes_on_where_it_was():
    played = Played([says("hi")], messages=[{"role": "user", "text": "before"}])
    played.run("please")

    assert played.one("SessionStart").source == "resume"
    assert [text for _, text in played.read] == ["before", "please"]


def test_a_call_without_input_is_no_trouble():
    played = Played([Answer(calls=(ToolCall(id="1", tool="look"),)), says("hi")])
    played.run("please")

    assert played.read[-1] == ("tool", "seen")


@pytest.mark.parametrize("given", ["{not json", None, ["a"], 7])
def test_input_that_is_no_object_is_told_to_the_model_and_judged_by_nobody(given):
    played = Played([Answer(calls=(ToolCall(id="1", tool="look", input=given),)), says("hi")])
    played.run("please")

    assert played.read[-1] == ("tool", "the input is not a JSON object")
    assert played.requests[-1].messages[1]["calls"] == [{"id": "1", "tool": "look", "input": {}}]
    assert "PreToolUse look" not in played.order


@pytest.mark.parametrize("given", [None, {"text": "hi"}, 7])
def test_a_model_that_gives_something_else_is_told_what_it_is_to_give(given):
    played = Played()
    played.agent.model = lambda request: given
    (done,) = played.run("please")

    kind = type(given).__name__
    assert done.reason == f"the model failed: expected text or an Answer from the model, got {kind}"


def test_half_a_character_does_not_break_the_conversation():
    played = Played([calls("odd"), says("hi")], {}, [Tool(name="odd", run=lambda: "a\ud800b")])
    played.run("please")

    assert played.read[-1] == ("tool", "a?b")


def test_a_question_that_is_aborted_lets_nothing_run():
    ran = []
    rm = Tool(name="rm", run=lambda: ran.append(1))
    played = Played([calls("rm")], {"PreToolUse": [ask("sure?")]}, [rm])

    async def asked(question):
        played.agent.abort("enough")
        await asyncio.sleep(60)

    played.agent.ask = asked
    (done,) = played.run("please")

    assert (done.ended, ran) == ("aborted", [])
    assert played.order[-3:] == ["PermissionRequest rm", "Notification", "SessionEnd"]


def test_the_loop_imports_nothing_heavy():
    program = "import sys, hookline.loop; print(*{name.partition('.')[0] for name in sys.modules})"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert not {*ran.stdout.split()} & {"rich", "httpx", "mcp", "pydantic", "anyio", "sqlite3"}


def test_two_tools_of_one_name_are_refused():
    with pytest.raises(ValueError, match="duplicate tool name 'look'"):
        Played([], {}, [Tool(name="look", run=print)])
    with pytest.raises(ValueError, match="duplicate tool name 'look'"):
        Played().agent.helper("look", "Look.")


def test_what_was_said_in_another_turn_is_not_said_in_this_one():
    played = Played([says("hi")], {"TurnStart": [None, block("enough")]})

    assert [done.text for done in played.run("one", "two")] == ["hi", ""]
