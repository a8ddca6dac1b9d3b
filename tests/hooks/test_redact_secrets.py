import pytest

from hookline import PostToolUse, PreModelCall, State, modify
from hookline.core import degrade
from hookline.core.events import BLOCK, INJECT
from hookline.core.frozen import Frozen, freeze
from hookline.core.outcome import Outcome
from hookline.core.response import Response
from hookline.core.state import Facts
from hookline.hooks.redact_secrets import redact_secrets
from hookline.testing import post_tool_use, pre_tool_use

TOKEN = "gh" + "p_" + "CIDNb76xxP8McqTxLZbqVCjQbEyOBnL6T0k3"
CUT = "[redacted:github-token]"
STATE = State(now=0.0)


def judge(event, state=STATE, **settings):
    return redact_secrets.judge(event, state, **settings)


def output(value):
    return PostToolUse(tool="Bash", kind="shell", output=freeze(value))


@pytest.mark.parametrize(
    ("value", "after", "reason"),
    [
        (f"a\n{TOKEN}", f"a\n{CUT}", "github-token (line 2)"),
        (
            {"stdout": f"x {TOKEN}", "code": 0},
            {"stdout": f"x {CUT}", "code": 0},
            "github-token (stdout, line 1)",
        ),
        (
            [{"type": "text", "text": f"a\n{TOKEN}"}],
            [{"type": "text", "text": f"a\n{CUT}"}],
            "github-token (text, line 2)",
        ),
    ],
)
def test_secrets_go_from_output_of_any_shape(value, after, reason):
    assert judge(output(value)) == modify(output=after, reason=reason, rule="github-token")


@pytest.mark.parametrize("value", ["nothing", {"stdout": "nothing"}, [1, None], None, ""])
def test_output_without_secrets_passes(value):
    assert judge(output(value)) is None


def test_the_shape_of_the_output_stays():
    answer = judge(output({"a": [TOKEN]}))

    assert isinstance(answer.changes["output"], Frozen)
    assert isinstance(answer.changes["output"]["a"], tuple)


def test_many_secrets_are_not_all_named():
    reason = judge(output("\n".join([TOKEN] * 7))).reason

    assert reason.endswith("github-token (line 5) and 2 more")


def test_secrets_go_from_what_the_model_reads():
    event = PreModelCall(messages=({"role": "user", "content": f"use {TOKEN}"},))

    assert judge(event).changes["messages"] == ({"role": "user", "content": f"use {CUT}"},)


def test_where_output_cannot_be_changed_kind_and_line_are_told_but_not_the_secret():
    event = output(f"a\n{TOKEN}")
    said = judge(event)
    outcome = Outcome(event=event).with_response(said, step(said)).with_steps(step(said))
    [warning] = degrade.degrade(outcome, event, {BLOCK, INJECT}).warnings

    assert "github-token (line 2)" in warning
    assert TOKEN not in warning


def step(said: Response):
    from hookline.core.outcome import Step

    return Step(hook="redact-secrets", action="modify", reason=said.reason)


def test_an_error_text_is_told_of_since_nothing_can_change_it():
    event = post_tool_use(success=False, error=f"fatal\nbad {TOKEN}")
    [warning] = judge(event).warnings

    assert warning.endswith("github-token (line 2)")
    assert TOKEN not in warning


def test_what_is_excepted_stays():
    allow = ({"rule": "github-token", "match": "*T0k3", "reason": "it is a fixture"},)

    kept = judge(output(TOKEN), allow=allow)

    assert (kept, kept.note) == (Response(), "github-token excepted: it is a fixture")
    assert judge(output(TOKEN[:-1] + "4"), allow=allow).rule == "github-token"


RULES = "[[rules]]\nid = 'acme-key'\nregex = 'acme_[a-z]{4}'\nkeywords = ['acme']"


def with_rules(text="", wrong="", **more):
    return State(now=0.0, facts=Facts({"rule_file": lambda: lambda name: (text, wrong)}), **more)


def test_rules_of_a_file_are_used_too():
    answer = judge(output("an acme_abcd"), with_rules(RULES), rules="rules.toml")

    assert answer == modify(output="an [redacted:acme-key]", reason="acme-key (line 1)", rule="acme-key")


def test_a_rule_file_that_cannot_be_used_is_told_of_once():
    told = judge(output("x"), with_rules(wrong="is not there"), rules="rules.toml")
    again = judge(output("x"), with_rules(wrong="is not there", memory=told.memory), rules="rules.toml")

    assert told.warnings == ("redact-secrets: 'rules.toml' is not there",)
    assert again is None


@pytest.mark.parametrize(
    "command", ["echo hi", "cat <<E\nx\nE", "echo a # b", "a && b", "echo 2>&1", "a &> b"]
)
def test_wrapping_pipes_the_command_through_the_redactor(command):
    answer = judge(pre_tool_use(command), wrap=True)

    assert answer.changes["input"]["command"].startswith(f"{{ {command}\n}} 2>&1 | hookline redact")
    assert answer.rule == "wrap"


def test_wrapping_twice_changes_nothing_more():
    event = pre_tool_use(judge(pre_tool_use("echo hi"), wrap=True).changes["input"]["command"])

    assert judge(event, wrap=True) is None


@pytest.mark.parametrize("command", ["sleep 9 &", "a & b", "echo \\", ""])
def test_what_cannot_be_wrapped_is_left_alone(command):
    assert judge(pre_tool_use(command), wrap=True) is None


def test_nothing_is_wrapped_unless_asked_for():
    assert judge(pre_tool_use("echo hi")) is None


def test_a_project_may_switch_wrapping_on_but_not_name_rules():
    assert redact_secrets.stricter == {"wrap": (True,)}
