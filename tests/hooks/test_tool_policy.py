"""Test tool-policy: the first matching rule decides, and an invalid rule is reported once per session."""

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

    assert denied == "No database from here. Continue without it, or ask the user."
    assert "mcp__db__query" in asked


BAD_RULES = [
    ('action = "forbid"', "has an invalid action 'forbid': expected one of allow, ask, deny"),
    ('kind = "mcp"', "has an invalid action None: expected one of allow, ask, deny"),
    ('action = "deny"\ntols = "x"', "has an unknown key 'tols'; allowed: action, reason, branch, host"),
    ('action = "deny"\ntool = 3', "has an invalid tool 3: expected text or a list of texts"),
    ('action = "deny"\nkind = ["mcp", 1]', "has an invalid kind ('mcp', 1): expected text"),
    ('action = "deny"\nreason = 3', "has an invalid reason 3"),
]


@pytest.mark.parametrize(("rule", "error"), BAD_RULES)
def test_a_bad_rule_is_an_error_with_file_and_line_and_the_others_hold(user, rule, error):
    table = "[[hooks.tool-policy.rules]]\n"
    user.write(
        "~/.config/hookline/hookline.toml",
        f'{table}action = "deny"\nkind = "mcp"\n{table}{rule}\n{table}action = "deny"\ntool = "Bash"\n',
    )
    _, reply, _ = user.hook(user.shell("ls"))

    assert "hookline.toml:4: item 2 of 'rules' of hook 'tool-policy' " + error in reply["systemMessage"]
    assert "tool-policy:rule-3" in reply["hookSpecificOutput"]["permissionDecisionReason"]


def test_a_bad_rule_matches_nothing():
    response = judged({"action": "deny", "tols": "x"}, {"action": "ask", "kind": "mcp"})

    assert (response.verdict, response.rule) == ("ask", "rule-2")


def test_rules_come_from_the_settings():
    rules = [{"action": "deny", "tool": "mcp__*"}]
    hook = configure(tool_policy, {"rules": rules})

    assert hook(EVENT, STATE).verdict == "block"
    with pytest.raises(BadSetting, match="rules"):
        configure(tool_policy, {"rules": ["deny"]})
