"""`hookline explain`: who looked, which rule decided, and on what part of the command."""

import json

import pytest
from rich.console import Console

from hookline.cli._underline import underlined

FORCED = "dangerous-command:git-push-force"


def explain(user, what, *words):
    ran = user.run("explain", "claude-code", what, *words)
    assert (ran.returncode, ran.stderr) == (0, b"")
    return json.loads(ran.stdout) if "--json" in words else ran.stdout.decode()


def drawn(text, span):
    console = Console(width=1000)
    with console.capture() as captured:
        console.print(underlined(text, span), soft_wrap=True)
    return captured.get().rstrip("\n").split("\n")


def test_the_part_that_decided_is_underlined(user):
    shown = explain(user, "cd /tmp && git push --force origin dev").splitlines()

    assert shown[0] == "  cd /tmp && git push --force origin dev"
    assert shown[1].strip().strip("^") == ""
    assert shown[1].index("^") == shown[0].index("git push")
    assert f"PreToolUse: block by {FORCED}" in shown[3]


def test_the_reason_says_what_is_allowed_instead(user):
    assert "--force-with-lease" in explain(user, "git push --force origin dev")


def test_every_hook_that_looked_is_listed(user):
    shown = explain(user, "ls")

    assert "PreToolUse: pass" in shown
    assert "dangerous-command  pass" in shown
    assert "budget-countdown" not in shown
    assert "observers, not asked: audit" in shown


@pytest.mark.parametrize(
    ("text", "span", "shown"),
    [
        ("rm -rf /", None, ["  rm -rf /"]),
        ("rm -rf /", (0, 8), ["  rm -rf /", "  ^^^^^^^^"]),
        ("a; rm -rf /; b", (3, 11), ["  a; rm -rf /; b", "     ^^^^^^^^"]),
        ("a\nrm \\\n -rf /\nb", (2, 13), ["  a", "  rm \\", "  ^^^^", "   -rf /", "  ^^^^^^", "  b"]),
        ("日本 rm", (3, 5), ["  日本 rm", "       ^^"]),
        ("a\tb\x1b[2Jc", (2, 3), ["  a␉b␛[2Jc", "    ^"]),
        ("abc", (1, 99), ["  abc", "   ^^"]),
        ("abc", (3, 3), ["  abc"]),
    ],
)
def test_underlining(text, span, shown):
    assert drawn(text, span) == shown


def test_json_has_the_part_and_the_span(user):
    said = explain(user, "ls; git push -f", "--json")

    assert said["action"] == "block"
    assert said["decided"]["rule"] == FORCED
    assert said["decided"]["part"] == "git push -f"
    assert said["decided"]["span"] == [4, 15]
    assert [step["hook"] for step in said["looked"]] == ["dangerous-command"]


def test_a_payload_is_taken_as_it_is(user):
    said = explain(user, json.dumps(user.payload("PostToolUse")), "--json")

    assert (said["event"], said["action"], said["decided"]) == ("PostToolUse", "pass", None)


def test_a_moment_that_is_none_of_ours(user):
    assert "none of ours" in explain(user, '{"hook_event_name": "CwdChanged"}')


def test_a_change_before_the_decision_is_shown_as_it_was_judged(user):
    answer = json.dumps({"action": "modify", "modifiedInput": {"command": "cd /tmp; git push -f"}})
    hooks = {"version": 1, "hooks": {"PreToolUse": [{"command": f"echo '{answer}'", "priority": 1}]}}
    user.write("~/.config/hookline/hooks.json", hooks)
    said = explain(user, "git push", "--json")

    assert [step["said"] for step in said["looked"][:2]] == ["modify", "block"]
    assert said["decided"]["part"] == "git push -f"


def test_a_hook_that_is_off_is_named_with_the_reason(user):
    ran = user.run("explain", "claude-code", "git push -f", AR_DISABLE_DANGEROUS_COMMAND="1")

    assert "off: dangerous-command (AR_DISABLE_DANGEROUS_COMMAND is set)" in ran.stdout.decode()


def test_nothing_is_recorded(user):
    explain(user, "git push -f")

    assert not list(user.home.rglob("*.db"))
    assert user.log() == []


def test_it_is_in_colour_on_a_terminal(at_terminal):
    code, seen = at_terminal("explain", "claude-code", "git push -f")

    assert code == 0
    assert "\x1b[1;31mgit push -f\x1b[0m" in seen


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["claude", "ls"], "no host is called 'claude'; there are: "),
        (["claude-code", " "], "there is nothing to explain"),
        (["claude-code", "{"], "this is no JSON"),
        (["claude-code", "{}"], "does not say which event it is"),
        (["claude-code"], "required: COMMAND|JSON"),
    ],
)
def test_a_wrong_call_is_one_clear_sentence(user, words, said):
    ran = user.run("explain", *words)

    assert ran.returncode == 2
    assert said in ran.stderr.decode()
    assert b"Traceback" not in ran.stderr
