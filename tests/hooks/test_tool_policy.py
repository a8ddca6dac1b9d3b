"""tool-policy: the first rule that fits decides, and a rule that cannot be read is said, once a session."""

import pytest

from hookline import State
from hookline.core.hook import BadSetting, configure
from hookline.core.state import Facts
from hookline.hooks.tool_policy import tool_policy
from hookline.testing import pre_tool_use

FACTS = Facts({"root": lambda: "/home/me/shop", "branch": lambda: "main"})
STATE = State(now=0.0, facts=FACTS)
EVENT = pre_tool_use(tool="mcp__db__query", kind="mcp", mode="default", repository="me/shop")


def judged(*rules, event=EVENT, state=STATE):
    return tool_policy.judge(event, state, rules=rules)


def said(*rules, **more):
    response = judged(*rules, **more)
    return "pass" if response is None else f"{response.verdict} {response.rule}"


def test_empty_by_default():
    assert tool_policy.judge(EVENT, STATE) is None


@pytest.mark.parametrize(("action", "verdict"), [("allow", "allow"), ("ask", "ask"), ("deny", "block")])
def test_actions(action, verdict):
    assert said({"action": action}) == f"{verdict} rule-1"


@pytest.mark.parametrize(
    ("key", "fitting", "other"),
    [
        ("kind", "mcp", "shell"),
        ("tool", "mcp__db__*", "mcp__web__*"),
        ("tool", ["Bash", "mcp__*"], ["Bash", "Read"]),
        ("host", "claude-*", "codex"),
        ("mode", "default", "plan"),
        ("repository", "/home/me/*", "/srv/*"),
        ("repository", "shop", "sho"),
        ("repository", "me/shop", "you/shop"),
        ("branch", "ma*", "release/*"),
    ],
)
def test_what_a_rule_is_for(key, fitting, other):
    assert said({"action": "deny", key: fitting}) == "block rule-1"
    assert said({"action": "deny", key: other}) == "pass"


def test_all_that_a_rule_says_must_fit():
    assert said({"action": "deny", "kind": "mcp", "branch": "main"}) == "block rule-1"
    assert said({"action": "deny", "kind": "mcp", "branch": "topic"}) == "pass"


def test_names_are_told_apart_by_case():
    assert said({"action": "deny", "tool": "MCP__*"}) == "pass"


def test_the_first_rule_that_fits_wins():
    rules = [{"action": "deny", "kind": "shell"}, {"action": "ask", "tool": "mcp__*"}, {"action": "deny"}]

    assert said(*rules) == "ask rule-2"
    assert said(*rules, event=pre_tool_use()) == "block rule-1"


def test_the_event_s_own_branch_counts_before_the_one_that_is_checked_out():
    assert said({"action": "deny", "branch": "topic"}, event=pre_tool_use(branch="topic")) == "block rule-1"


def test_the_reason_is_told_to_the_agent():
    denied = judged({"action": "deny", "reason": "No database from here."}).reason
    asked = judged({"action": "ask"}).reason

    assert denied == "No database from here. Go on without it, or ask the person you work for."
    assert "mcp__db__query" in asked


@pytest.mark.parametrize(
    ("rule", "warning"),
    [
        ({"action": "forbid"}, "rule 2 has the action 'forbid'; there are: allow, ask, deny"),
        ({"kind": "mcp"}, "rule 2 has the action None; there are: allow, ask, deny"),
        (
            {"action": "deny", "tols": "x"},
            "rule 2 has 'tols'; a rule has an action, a reason, and: branch, host",
        ),
        ({"action": "deny", "tool": 3}, "rule 2 has 3 as tool; write a text, or a list of texts"),
        ({"action": "deny", "kind": ["mcp", 1]}, "rule 2 has ['mcp', 1] as kind; write a text"),
        ({"action": "deny", "reason": 3}, "rule 2 has 3 as reason"),
    ],
)
def test_a_bad_rule_is_named_and_the_others_hold(rule, warning):
    response = judged({"action": "deny", "kind": "shell"}, rule, {"action": "ask", "kind": "mcp"})

    assert (response.verdict, response.rule) == ("ask", "rule-3")
    assert warning in response.warnings[0]


def test_a_bad_rule_is_said_once_a_session():
    bad = {"action": "nope"}
    first = judged(bad)
    later = State(now=0.0, facts=FACTS, memory=first.memory)

    assert len(first.warnings) == 1
    assert judged(bad, state=later) is None
    assert judged(bad, {"action": "deny"}, state=later).warnings == ()
    assert len(judged({"action": "worse"}, state=later).warnings) == 1


def test_rules_come_from_the_settings():
    rules = [{"action": "deny", "tool": "mcp__*"}]
    hook = configure(tool_policy, {"rules": rules})

    assert hook(EVENT, STATE).verdict == "block"
    with pytest.raises(BadSetting, match="rules"):
        configure(tool_policy, {"rules": ["deny"]})
