"""Test `hookline explain`: the guards that ran, the rule that decided, and the part of the command."""

import json
import re

import pytest
from rich.console import Console

from hookline.cli._explain import underline

FORCED = "dangerous-command:git-push-force"


def explain(user, what, *words):
    ran = user.run("explain", "claude-code", what, *words)
    assert (ran.returncode, ran.stderr) == (0, b"")
    return json.loads(ran.stdout) if "--json" in words else ran.stdout.decode()


def drawn(text, span):
    console = Console(width=1000)
    with console.capture() as captured:
        console.print(underline(text, span), soft_wrap=True)
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
    assert "simplify-gate" not in shown
    assert "observers, not run: audit" in shown


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
    looked = {step["hook"]: step["said"] for step in said["looked"]}
    assert looked["self-protect"] == "pass"
    assert looked["dangerous-command"] == "block"
    assert looked["redact-secrets"] == "skipped"


def test_a_payload_is_taken_as_it_is(user):
    said = explain(user, json.dumps(user.payload("PostToolUse")), "--json")

    assert (said["event"], said["action"], said["decided"]) == ("PostToolUse", "pass", None)


def test_a_moment_that_is_none_of_ours(user):
    assert "does not handle this event" in explain(user, '{"hook_event_name": "CwdChanged"}')


def test_a_change_before_the_decision_is_shown_as_it_was_judged(user):
    answer = json.dumps({"action": "modify", "modifiedInput": {"command": "cd /tmp; git push -f"}})
    hooks = {"version": 1, "hooks": {"PreToolUse": [{"command": f"echo '{answer}'", "priority": 1}]}}
    user.write("~/.config/hookline/hooks.json", hooks)
    said = explain(user, "git push", "--json")

    assert said["looked"][0]["said"] == "modify"
    assert said["decided"]["part"] == "git push -f"
    assert said["decided"]["rule"] == FORCED


def test_a_hook_that_is_off_is_named_with_the_reason(user):
    ran = user.run("explain", "claude-code", "git push -f", AR_DISABLE_DANGEROUS_COMMAND="1")

    assert "disabled: dangerous-command (AR_DISABLE_DANGEROUS_COMMAND is set)" in ran.stdout.decode()


def test_a_hook_that_is_off_and_would_not_have_looked_is_not_named(user):
    said = explain(user, "ls", "--json")

    assert "compress-output" not in said["off"]
    assert "compress-output" not in explain(user, "ls")


def why(said, hook):
    return next(step for step in said["looked"] if step["hook"] == hook).get("why")


def test_below_each_hook_stands_why(user):
    shown = explain(user, "cd sub; sudo git push -f; cat notes.txt").splitlines()
    at = next(number for number, line in enumerate(shown) if line.startswith("dangerous-command "))

    assert shown[at + 1 : at + 6] == [
        "├── cd sub: no rule for cd",
        "├── git push -f  (via sudo) in ./sub",
        "│   └── git-push-force · pack core · blocks",
        "├── cat notes.txt in ./sub: no rule for cat matches",
        "└── effects: reads notes.txt",
    ]
    assert "└── no protected file, setting or command is affected" in shown


def test_json_has_the_tree_too(user):
    said = explain(user, "ls; git push -f", "--json")

    assert why(said, "dangerous-command") == [
        {"text": "ls: no rule for ls matches"},
        {
            "text": "git push -f",
            "below": [{"text": "git-push-force · pack core", "said": "block", "rule": FORCED}],
        },
        {"text": "effects: lists ."},
    ]
    assert why(said, "redact-secrets") is None


TELLING = """
from hookline import PreToolUse, State, block, hook
from hookline.core.explanation import branch

def tell(event, state, *, word):
    if "broken" in event.command:
        yield 1 / 0
    if "wrong" in event.command:
        yield branch("x", judgement="shout")
    yield branch(f"it is {word}", branch("in the line", judgement="block", rule="day"))

@hook(priority=3, why=tell)
def days(event: PreToolUse, state: State, *, word: str = "friday"):
    return block("not today", rule="day") if word in event.command else None
"""


def test_a_hook_of_the_user_can_tell_why(user):
    user.write("~/.config/hookline/hooks/days.py", TELLING)
    user.write("~/.config/hookline/hookline.toml", "[hooks.days]\nword = 'monday'")

    assert why(explain(user, "echo monday", "--json"), "days") == [
        {"text": "it is monday", "below": [{"text": "in the line", "said": "block", "rule": "days:day"}]}
    ]
    assert "└── it is monday\n    └── in the line · blocks\n" in explain(user, "echo monday")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("broken", "no explanation: failed: ZeroDivisionError: division by zero (hooks/days.py:7)"),
        ("wrong", "no explanation: returned an explanation that is not a tree of branches: "),
    ],
)
def test_a_hook_that_cannot_tell_why_is_no_harm(user, command, said):
    user.write("~/.config/hookline/hooks/days.py", TELLING)

    assert said in explain(user, command)


EXCEPTION = """
[hooks.dangerous-command]
allow = [{rule = "git-push-force", match = "git push -f fork*", reason = "our own fork"}]
"""


def test_an_exception_is_shown_with_its_reason(user):
    user.write("~/.config/hookline/hookline.toml", EXCEPTION)
    shown = explain(user, "git push -f fork")

    assert "PreToolUse: pass" in shown
    assert "git-push-force excepted: our own fork" in shown
    assert "└── git-push-force · pack core · exempt: our own fork" in shown
    assert "block by dangerous-command" in explain(user, "git push -f origin")


@pytest.mark.slow
def test_an_exception_is_in_the_trail(user):
    user.write("~/.config/hookline/hookline.toml", EXCEPTION)
    code, _, _ = user.hook(user.shell("git push -f fork"))
    shown = user.run("log").stdout.decode()

    assert code == 0
    assert "    dangerous-command: git-push-force excepted: our own fork\n" in shown
    notes = [step.get("note") for step in user.log()[-1]["trail"] if step["hook"] == "dangerous-command"]
    assert notes == ["git-push-force excepted: our own fork"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("[hooks.dangerous-command]\nallow = ['git-push-forc']", "no rule named 'git-push-forc'"),
        (
            "[hooks.self-protect]\nallow = ['nosuch']",
            "available: agent, command, hidden, secret, switch, too-long, ",
        ),
        ("[hooks.scout-block]\nallow = ['nosuch']", "available: ignored-operand, ignored-path"),
        ("[hooks.privacy-block]\nallow = ['nosuch']", "available: environment, keychain, "),
        ("[hooks.scout-block]\nallow = ['privacy-block:unread']", "is not a rule of scout-block"),
        ("[hooks.redact-secrets]\nallow = ['scout-block:x']", "is not a rule of redact-secrets"),
        ("[hooks.dangerous-command.packs]\ndisc = 'off'", "but it has the key 'disc'"),
        ("[hooks.dangerous-command.packs]\ndisk = 'of'", "but 'disk' is 'of'"),
    ],
)
def test_an_exception_or_pack_that_there_is_not_is_refused_by_name(user, settings, said):
    user.write("~/.config/hookline/hookline.toml", settings)
    problem = explain(user, "ls").splitlines()[0]

    assert problem.startswith("problem: ")
    assert said in problem


SECRET = "gh" + "p_" + "CIDNb76xxP8McqTxLZbqVCjQbEyOBnL6T0k3"


@pytest.mark.parametrize(
    "command",
    [
        f"T={SECRET}; cat $T.txt; git push $T",
        f"T={SECRET}; cat ${{T#ghp_}}/.env; rm -rf /${{T:10}}",
        f"mysql --password={SECRET} -e 'DROP TABLE x'",
    ],
)
def test_what_a_line_makes_of_a_secret_is_not_shown(user, command):
    whole = explain(user, command) + json.dumps(explain(user, command, "--json"))

    assert not any(SECRET[at : at + 8] in whole.split("\nhook ")[-1] for at in range(4, len(SECRET) - 8))


def test_a_long_line_is_a_short_tree(user):
    shown = explain(user, "; ".join(["true"] * 100 + ["git push -f"]))

    assert "… and 81 more" in shown
    assert "git-push-force · pack core · blocks" in shown


def test_the_tree_is_folded_on_a_narrow_terminal(at_terminal):
    _, seen = at_terminal("explain", "claude-code", "git commit -m '" + "word " * 30 + "'", COLUMNS="60")
    plain = re.sub(r"\x1b\[[\d;]*m", "", seen).splitlines()
    tree = plain[next(n for n, line in enumerate(plain) if line.startswith("dangerous-command ")) :]

    assert all(len(line) <= 60 for line in tree)
    assert tree[1].startswith("└── git commit -m 'word")
    assert all(line.startswith("    ") for line in tree[2:5])


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
        (["claude", "ls"], "no host named 'claude'; did you mean 'claude-code'?"),
        (["claude-code", " "], "nothing to explain"),
        (["claude-code", '{"a": '], "invalid JSON payload"),
        (["claude-code", "{}"], "does not name its event"),
        (["claude-code"], "nothing to explain"),
    ],
)
def test_a_wrong_call_is_one_clear_sentence(user, words, said):
    ran = user.run("explain", *words)

    assert ran.returncode == 2
    assert said in ran.stderr.decode()
    assert b"Traceback" not in ran.stderr


def test_a_group_of_commands_is_no_payload(user):
    said = user.run("explain", "claude-code", "{ git push -f; }").stdout.decode()

    assert "block by dangerous-command:git-push-force" in said


def test_the_host_may_be_left_out_where_one_agent_has_hookline(user):
    none = user.run("explain", "git push -f")
    user.run("init", "--host", "codex", "--yes")
    one = user.run("explain", "git push -f", "--json")
    user.run("init", "--host", "claude-code", "--yes")
    two = user.run("explain", "git push -f")

    assert (none.returncode, one.returncode, two.returncode) == (2, 0, 2)
    assert b"not installed here; name the host" in none.stderr
    assert b"several agents; name the host: claude-code, codex" in two.stderr
