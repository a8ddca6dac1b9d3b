"""Test `hookline fire`: a portable event as input, the response envelope as output, and its record."""

import json

import pytest

FORCED = "dangerous-command:git-push-force"
PUSH = ("--field", "tool.name=shell", "--field", "tool.input.command=git push --force")


def fire(user, *words, stdin=""):
    ran = user.run("fire", *words, stdin=stdin)
    assert ran.stderr == b""
    return ran.returncode, json.loads(ran.stdout)


def test_a_block_is_an_answer(user):
    code, said = fire(user, "PreToolUse", *PUSH)

    assert code == 0
    assert (said["version"], said["action"], said["metadata"]["rules"]) == (1, "block", [FORCED])


def test_it_is_recorded_like_any_event(user):
    fire(user, "PreToolUse", *PUSH, "--field", "sessionId=mine")
    record = user.log()[-1]

    assert (record["session"], record["event"], record["host"]) == ("mine", "PreToolUse", "envelope")
    assert (record["action"], record["cwd"]) == ("block", str(user.project))


@pytest.mark.parametrize("from_stdin", [True, False])
def test_the_envelope_may_come_as_json(user, from_stdin):
    text = json.dumps({"tool": {"name": "shell", "input": {"command": "git push -f"}}})
    _, said = fire(
        user, "PreToolUse", "--json", "-" if from_stdin else text, stdin=text if from_stdin else ""
    )

    assert said["action"] == "block"


def test_fields_are_laid_over_the_json(user):
    text = json.dumps({"tool": {"name": "shell", "input": {"command": "git push -f"}}})
    _, said = fire(user, "PreToolUse", "--json", text, "--field", "tool.input.command=git push")

    assert said == {"version": 1, "action": "passThrough"}


def test_what_is_no_text_is_json_behind_a_colon(user):
    _, said = fire(user, "Stop", "--field", "continuing:=true", "--field", "lastAssistantText=1 = 1")

    assert said["action"] == "passThrough"


@pytest.mark.parametrize(("words", "code"), [(PUSH, 2), (PUSH[:2], 0)])
def test_the_exit_code_may_say_it(user, words, code):
    assert fire(user, "PreToolUse", *words, "--exit-code")[0] == code


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["Nothing"], 2, "no event named 'Nothing'; available: SessionStart, UserPromptSubmit"),
        (["UserPromptSubmit"], 2, "has no 'prompt', which is required"),
        (["Stop", "--field", "continuing=yes"], 2, "field 'continuing' is text, not true or false"),
        (
            ["Stop", "--field", "continuing"],
            2,
            "invalid field 'continuing': expected name=text or name:=JSON",
        ),
        (["Stop", "--field", "continuing:={"], 2, "invalid JSON after := in"),
        (["Stop", "--field", "cwd.x=1"], 2, "invalid field 'cwd.x': 'cwd' is not an object"),
        (["Stop", "--json", "{"], 2, "invalid JSON: "),
        (["Stop", "--json", "[]"], 2, "expected a JSON object"),
        (["Stop", "--json", '{"hook": "Start"}'], 2, "differs from the event 'Stop'"),
        (["Stop", "--cwd", "nowhere"], 1, "nowhere: not a folder"),
    ],
)
def test_a_wrong_call_is_one_clear_sentence(user, words, code, said):
    ran = user.run("fire", *words)

    assert (ran.returncode, ran.stdout) == (code, b"")
    assert said in ran.stderr.decode()
    assert b"Traceback" not in ran.stderr
