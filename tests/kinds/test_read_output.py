"""Test how a command's output and exit code are read, including the effect of on_failure."""

import json
from collections.abc import Mapping

import pytest

from hookline.core.chain import RunOptions, run
from hookline.core.events import (
    Notification,
    PostToolUse,
    PreToolUse,
    SessionStart,
    Stop,
    TurnEnd,
    TurnStart,
    UserPromptSubmit,
)
from hookline.core.frozen import Frozen
from hookline.core.hook import Hook
from hookline.core.kind import HookFailed, ProcessResult
from hookline.core.response import Response
from hookline.core.state import State
from hookline.hosts.claude_code import HOST
from hookline.kinds._read_output import parse_directives, read_result

PRE = PreToolUse(tool="Bash")
NOTE = Notification()
DIALECTS = (HOST.dialect,)
STATE = State(now=1.0)


def said(event, stdout="", *, code=0, stderr="", cut=(), leftover=0) -> Response:
    finished = ProcessResult(code=code, stdout=stdout, stderr=stderr, cut=cut, leftover=leftover)
    return read_result(event, finished, DIALECTS, name="mine")


def outcome(event, finished: ProcessResult, **hook):
    made = Hook(
        name="mine",
        on=(type(event),),
        judge=lambda e, s: read_result(e, finished, DIALECTS, name="mine"),
        **hook,
    )
    return run(event, STATE, [made], RunOptions())


# 1. JSON


@pytest.mark.parametrize(
    ("stdout", "response"),
    [
        ('{"action": "passThrough"}', Response()),
        ('\n\t {"action": "block", "reason": "no"}\n', Response(verdict="block", reason="no")),
        ('{"action": "ask", "reason": "?"}', Response(verdict="ask", reason="?")),
        ('{"action": "modify", "modifiedInput": {"a": 1}}', Response(changes=Frozen(input=Frozen(a=1)))),
        ('{"decision": "block", "reason": "no"}', Response(verdict="block", reason="no")),
        ('{"systemMessage": "w"}', Response(warnings=("w",))),
        ('{"continue": true}', Response()),
        ('{"permissionDecision": "ask"}', Response(verdict="ask")),
        ('{"hookSpecificOutput": {"additionalContext": "c"}}', Response(context=("c",))),
        ('{"action": "passThrough", "decision": "block"}', Response()),
        ("{}", Response()),
        (
            '{"action": "injectContext", "additionalContext": "@@WARN: not here"}',
            Response(context=("@@WARN: not here",)),
        ),
    ],
)
def test_json_is_an_envelope_or_a_hosts_reply(stdout, response) -> None:
    assert said(PRE, stdout) == response


@pytest.mark.parametrize(
    ("stdout", "complaint"),
    [
        (
            '{"verdict": "block"}',
            "returned JSON that is not an answer: 'action' is missing; the keys are 'verdict'",
        ),
        ("{oops", "returned JSON that is not an answer: Expecting property name enclosed in double quotes"),
        ('{"action": "block"} and more', "returned JSON that is not an answer: Extra data"),
        ('{"action": "deny"}', "returned an invalid answer: field 'action' must be one of: passThrough"),
        (
            '{"action": "block", "reason": 1}',
            "returned an invalid answer: field 'reason' is a whole number",
        ),
        ('{"decision": 3}', "returned 'decision' that is not text"),
        ('{"action":' + "[" * 100_000, "returned JSON that is not an answer: "),
    ],
)
def test_other_json_is_a_failure_that_names_the_hook(stdout, complaint) -> None:
    warned = outcome(PRE, ProcessResult(code=0, stdout=stdout))
    blocked = outcome(PRE, ProcessResult(code=0, stdout=stdout), on_failure="block")

    assert (warned.blocked, len(warned.warnings)) == (None, 1)
    assert warned.warnings[0].startswith(f"hook 'mine' {complaint}")
    cause, colon, rest = complaint.partition(": ")
    assert blocked.blocked.startswith(
        f"hook 'mine' {cause}, and it is configured to block if it fails{colon}{rest}"
    )


@pytest.mark.parametrize("name", ["modifiedInput", "modifiedOutput"])
def test_a_change_that_cannot_be_made_is_refused_aloud(name) -> None:
    stdout = json.dumps({"action": "modify", name: {"a": 1}})
    told = outcome(SessionStart(), ProcessResult(code=0, stdout=stdout))

    assert told.warnings == (f"hook 'mine' cannot change {name[8:].lower()} at SessionStart",)


def test_json_that_was_cut_says_that_it_was_cut() -> None:
    told = outcome(PRE, ProcessResult(code=0, stdout='{"action": "bl', cut=("stdout",)))

    assert told.warnings == (
        "hook 'mine' printed more than 256 KiB on stdout, so its JSON is incomplete; it was skipped",
        "hook 'mine' printed more than 256 KiB on stdout; the rest was not read",
    )


# 2. directives


@pytest.mark.parametrize(
    ("text", "context", "warnings", "rest"),
    [
        ("@@INJECT: a", ("a",), (), ""),
        ("@@WARN: a", (), ("a",), ""),
        ("@@inject:a\n@@Warn : b", ("a",), ("b",), ""),
        ("@@INJECT \t : a\r\n@@WARN: b\r\n", ("a",), ("b",), ""),
        ("@@INJECT: a\nb\n\nc", ("a\nb",), (), "c"),
        ("@@INJECT: a\r\nb\r\n\r\nc", ("a\nb",), (), "c"),
        ("@@INJECT: a\nb\n  \nc\n@@INJECT: d", ("a\nb", "d"), (), "c"),
        ("@@INJECT:\na", ("a",), (), ""),
        ("@@INJECT:\n@@WARN: b", (), ("b",), ""),
        ("@@INJECT:\n\na", (), (), "a"),
        ("x\n@@INJECT: a: b", ("a: b",), (), "x"),
        (" @@INJECT: a", (), (), "@@INJECT: a"),
        ("x @@INJECT: a", (), (), "x @@INJECT: a"),
        ("@@INJECTED: a", (), (), "@@INJECTED: a"),
        ("@@INJECT a", (), (), "@@INJECT a"),
        ("@@INJECT: a\u2028b", ("a\u2028b",), (), ""),
        ("", (), (), ""),
    ],
)
def test_directives_go_on_to_the_next_one_or_a_blank_line(text, context, warnings, rest) -> None:
    found = parse_directives(text)

    assert (found.response, found.rest) == (Response(context=context, warnings=warnings), rest)


@pytest.mark.parametrize("event", [PRE, NOTE, SessionStart()])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_directives_count_on_success(event, stream) -> None:
    text = {stream: "text\n@@INJECT: a\n@@WARN: b"}

    assert said(event, **text) == Response(context=("a",), warnings=("b",))


@pytest.mark.parametrize("code", [1, 127, -9])
def test_directives_count_on_failure(code) -> None:
    finished = ProcessResult(code=code, stdout="@@INJECT: a\n@@WARN: b", stderr="broken")
    with pytest.raises(HookFailed) as caught:
        read_result(PRE, finished, DIALECTS, name="mine")

    assert caught.value.response == Response(context=("a",), warnings=("b",))


def test_directives_of_a_failure_reach_the_outcome() -> None:
    told = outcome(PRE, ProcessResult(code=1, stdout="@@INJECT: a\n@@WARN: b", stderr="broken"))

    assert told.context == ("a",)
    assert set(told.warnings) == {"b", "hook 'mine' exited with status 1: broken; it was skipped"}


# 3. plain text


@pytest.mark.parametrize("event", [SessionStart(), UserPromptSubmit(prompt="p"), TurnStart()])
def test_plain_text_is_context_where_the_agent_begins(event) -> None:
    assert said(event, " hello\nyou \n") == Response(context=("hello\nyou",))


@pytest.mark.parametrize("event", [PRE, PostToolUse(tool="Bash"), Stop(), TurnEnd(), NOTE])
def test_plain_text_is_nothing_elsewhere(event) -> None:
    assert said(event, "hello") == Response()


def test_plain_text_beside_directives_is_no_context() -> None:
    assert said(SessionStart(), "hello\n@@WARN: w") == Response(warnings=("w",))


def test_the_errors_of_a_hook_that_passes_are_nothing() -> None:
    assert said(SessionStart(), "", stderr="noise") == Response()


# exit codes


@pytest.mark.parametrize(
    ("stdout", "stderr", "reason"),
    [
        ("out", " err \n", "err"),
        ("out", " \n", "out"),
        ("", "", "blocked by hook 'mine'; it gave no reason; ask the user how to continue"),
        ("why\n@@WARN: w", "", "why"),
        ("@@INJECT: fix it", "", "blocked by hook 'mine'; first follow its instructions"),
        ("@@INJECT: fix it", "err", "err"),
        ('{"decision": "block", "reason": "json"}', "err", "err"),
        ('{"action": "allow", "reason": "json"}', "", "json"),
        (
            '{"action": "allow"}',
            "",
            "blocked by hook 'mine'; it gave no reason; ask the user how to continue",
        ),
        ("{oops", "err", "err"),
    ],
)
def test_exit_2_blocks_with_a_reason(stdout, stderr, reason) -> None:
    told = outcome(PRE, ProcessResult(code=2, stdout=stdout, stderr=stderr))

    assert told.blocked == reason


@pytest.mark.parametrize("event", [NOTE, SessionStart()])
def test_exit_2_is_a_warning_where_nothing_can_be_blocked(event) -> None:
    told = outcome(event, ProcessResult(code=2, stderr="no"))

    assert (told.blocked, told.warnings) == (
        None,
        (f"hook 'mine' cannot block at {event.name}: no",),
    )


@pytest.mark.parametrize(
    ("stdout", "response"),
    [
        (
            '{"action": "modify", "additionalContext": ["c"], "warnings": "w", "modifiedInput": {}}',
            Response(verdict="block", reason="no", context=("c",), warnings=("w",)),
        ),
        (
            '{"systemMessage": "w", "decision": "approve", "hookSpecificOutput": {"additionalContext": "c"}}',
            Response(verdict="block", reason="no", context=("c",), warnings=("w",)),
        ),
        ("{}", Response(verdict="block", reason="no")),
        (
            '{"x": 1}',
            Response(
                verdict="block",
                reason="no",
                warnings=(
                    "hook 'mine' returned JSON that is not an answer: 'action' is missing; the keys are 'x'",
                ),
            ),
        ),
    ],
)
def test_with_exit_2_json_gives_context_and_warnings_only(stdout, response) -> None:
    assert said(PRE, stdout, code=2, stderr="no") == response


def test_a_deeply_nested_answer_does_not_lose_a_block() -> None:
    nested = '{"action": "modify", "modifiedInput": ' + '{"a":' * 600 + "1" + "}" * 601

    assert said(PRE, nested, code=2, stderr="no").verdict == "block"


def test_a_block_gives_its_directives_as_what_to_fix() -> None:
    assert said(TurnEnd(), "@@INJECT: a\n@@INJECT: b", code=2, stderr="no") == Response(
        verdict="block", reason="no", context=("a", "b")
    )


FAILED: Mapping[str, tuple[ProcessResult, str]] = {
    "status": (ProcessResult(code=1, stderr="broken"), "exited with status 1: broken"),
    "silent": (ProcessResult(code=3), "exited with status 3"),
    "stdout": (ProcessResult(code=255, stdout="broken"), "exited with status 255: broken"),
    "json": (ProcessResult(code=1, stdout='{"action": "block"}'), "exited with status 1"),
    "signal": (ProcessResult(code=-9), "was killed by signal 9 (SIGKILL)"),
    "strange": (ProcessResult(code=-99), "was killed by signal 99 (unnamed)"),
    "unstarted": (
        ProcessResult(code=None, problem="no such program"),
        "could not be started: no such program",
    ),
}


@pytest.mark.parametrize("case", FAILED)
def test_a_failure_warns(case) -> None:
    finished, how = FAILED[case]
    told = outcome(PRE, finished)

    assert (told.blocked, told.warnings) == (None, (f"hook 'mine' {how}; it was skipped",))


@pytest.mark.parametrize("case", FAILED)
def test_a_failure_blocks_if_it_shall(case) -> None:
    finished, how = FAILED[case]
    told = outcome(PRE, finished, on_failure="block")

    failure, colon, output = how.partition(": ")
    assert told.blocked == f"hook 'mine' {failure}, and it is configured to block if it fails{colon}{output}"


@pytest.mark.parametrize("case", FAILED)
def test_a_failure_warns_where_nothing_can_be_blocked(case) -> None:
    finished, how = FAILED[case]
    told = outcome(NOTE, finished, on_failure="block")

    assert (told.blocked, told.warnings) == (None, (f"hook 'mine' {how}; it was skipped",))


@pytest.mark.parametrize(
    ("event", "hook", "blocks"),
    [
        (PRE, {}, False),
        (PRE, {"on_timeout": "block"}, True),
        (PRE, {"on_failure": "block"}, True),
        (PRE, {"on_failure": "block", "on_timeout": "warn"}, False),
        (NOTE, {"on_timeout": "block"}, False),
    ],
)
def test_a_timeout_is_as_on_timeout_says(event, hook, blocks) -> None:
    told = outcome(
        event, ProcessResult(code=-9, timed_out=True, stdout='{"action": "block"}'), timeout=2.0, **hook
    )

    assert (told.blocked is not None, bool(told.warnings)) == (blocks, not blocks)
    assert "timed out after 2 s" in (told.blocked or told.warnings[0])


# warnings


def test_a_long_complaint_is_shown_from_its_end() -> None:
    told = outcome(PRE, ProcessResult(code=1, stderr="x" * 1000 + "the end"))

    assert len(told.warnings[0]) < 600
    assert "the end; it was skipped" in told.warnings[0]


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_cut_is_said(stream) -> None:
    assert said(SessionStart(), "text", cut=(stream,)) == Response(
        context=("text",),
        warnings=(f"hook 'mine' printed more than 256 KiB on {stream}; the rest was not read",),
    )


def test_processes_that_were_left_behind_are_said() -> None:
    assert said(PRE, leftover=2) == Response(
        warnings=("hook 'mine' left 2 processes running; they were ended",)
    )
