"""Test `hookline allow`, with which a human permits a blocked call: terminal only, limited and audited."""

import json
import stat

import pytest

FORCE = "git push --force"
RULE = "dangerous-command:git-push-force"


pytestmark = pytest.mark.usefixtures("signer")


def stopped(user, command=FORCE):
    reply = user.hook(user.shell(command) | {"session_id": "s"})[1]
    return "deny" in json.dumps(reply)


@pytest.mark.slow
@pytest.mark.parametrize("rule", [RULE, "git-push-force"])
def test_a_rule_is_let_past_once(user, at_terminal, rule):
    code, seen = at_terminal("allow", "--once", rule)

    assert code == 0
    assert f"{rule} would stop" in seen
    assert [stopped(user) for _ in range(2)] == [False, True]


@pytest.mark.slow
def test_it_is_said_and_in_the_trail(user, at_terminal):
    at_terminal("allow", "--once", RULE)
    _, reply, _ = user.hook(user.shell(FORCE) | {"session_id": "s"})
    record = user.log()[-1]

    assert "was allowed once by a person" in reply["systemMessage"]
    assert (record["action"], record["rules"]) == ("pass", [RULE])
    assert "allowed once by a person" in json.dumps(record["trail"])


@pytest.mark.slow
def test_another_rule_or_another_project_is_not_let_past(user, at_terminal, tmp_path):
    at_terminal("allow", "--once", "git-reset-hard")
    assert stopped(user)

    at_terminal("allow", "--once", RULE)
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    reply = user.hook({**user.shell(FORCE), "cwd": str(other)})[1]

    assert "deny" in json.dumps(reply)


@pytest.mark.slow
def test_trying_it_out_does_not_use_it_up(user, at_terminal):
    at_terminal("allow", "--once", RULE)
    user.run("explain", "claude-code", FORCE)

    assert not stopped(user)


@pytest.mark.slow
def test_guards_are_off_for_a_while_and_on_again(user, at_terminal):
    code, seen = at_terminal("off", "10m")
    assert (code, "off in" in seen) == (0, True)
    _, reply, _ = user.hook(user.shell(FORCE) | {"session_id": "s"})
    assert "the built-in guards are off until" in reply["systemMessage"]
    assert "hookSpecificOutput" not in reply
    assert "disabled by a person" in json.dumps(user.log()[-1]["trail"])

    at_terminal("on")
    assert stopped(user)


def test_a_time_that_is_over_holds_no_more(user, at_terminal):
    at_terminal("off", "1s")
    file = user.home / ".local" / "state" / "hookline" / "passes.json"
    (entry,) = json.loads(file.read_text())
    file.write_text(json.dumps([{**entry, "until": 1.0}]))

    assert stopped(user)


@pytest.mark.parametrize(
    "change",
    [
        {"until": 9e9, "ends": 9e9},
        {"what": RULE},
        {"kind": "path"},
        {"signature": ""},
        {"signature": "0" * 64},
    ],
)
@pytest.mark.parametrize(("words", "kind"), [(["off", "10m"], "off"), (["allow", "--once", RULE], "rule")])
def test_a_changed_grant_does_not_count(user, at_terminal, signer, words, kind, change):
    at_terminal(*words)
    file = user.home / ".local" / "state" / "hookline" / "passes.json"
    (entry,) = json.loads(file.read_text())
    changed = {**entry, "root": str(user.project), **change}
    file.write_text(json.dumps([changed]))

    assert entry["kind"] == kind
    assert stopped(user) == (changed != entry)


def test_a_used_grant_that_is_written_again_does_not_count(user, at_terminal):
    at_terminal("allow", "--once", RULE)
    file = user.home / ".local" / "state" / "hookline" / "passes.json"
    kept = file.read_text()
    assert not stopped(user)
    file.write_text(kept)

    assert stopped(user)


def test_a_revoked_grant_that_is_written_again_does_not_count(user, at_terminal):
    at_terminal("off", "10m")
    file = user.home / ".local" / "state" / "hookline" / "passes.json"
    kept = file.read_text()
    user.run("on")
    file.write_text(kept)

    assert stopped(user)


@pytest.mark.slow
@pytest.mark.parametrize("words", [["allow", "--once", RULE], ["off", "10m"]])
def test_an_agent_is_refused(user, at_terminal, words):
    without = user.run(*words)
    inside, seen = at_terminal(*words, CLAUDECODE="1")

    assert (without.returncode, inside) == (1, 1)
    assert b"requires an interactive terminal" in without.stderr
    assert "not allowed inside claude-code" in seen
    assert stopped(user)


@pytest.mark.slow
@pytest.mark.parametrize(("grants", "told"), [(0, "0 grants"), (1, "1 grant"), (2, "2 grants")])
def test_anybody_may_switch_them_on_again(user, at_terminal, grants, told):
    for _ in range(grants):
        at_terminal("off", "10m")
    ended = user.run("on")

    assert ended.returncode == 0
    assert f"; {told} revoked\n" in ended.stdout.decode()
    assert stopped(user)


def test_explain_says_that_the_guards_are_off(user, at_terminal):
    on = user.run("explain", "claude-code", FORCE).stdout.decode()
    at_terminal("off", "10m")
    off = user.run("explain", "claude-code", FORCE).stdout.decode()
    facts = json.loads(user.run("explain", "claude-code", FORCE, "--json").stdout)

    assert "guards are off" not in on
    assert "PreToolUse: block" in on
    assert "the built-in guards are off until " in off
    assert "so this would pass" in off
    assert RULE in off
    assert (facts["action"], facts["action_with_guards"]) == ("pass", "block")
    assert facts["decided"]["rule"] == RULE
    assert facts["switched_off"].keys() == {"until", "action"}
    assert facts["switched_off"]["action"] == "pass"


def test_explain_names_no_other_action_while_the_guards_are_on(user):
    facts = json.loads(user.run("explain", "claude-code", FORCE, "--json").stdout)

    assert facts["action"] == "block"
    assert "action_with_guards" not in facts


@pytest.mark.parametrize(
    ("answer", "action", "told"), [("block", "block", "be blocked"), ("pass", "pass", "pass")]
)
def test_explain_asks_the_hooks_that_are_left(user, at_terminal, answer, action, told):
    entry = {"name": "mine", "command": f"""echo '{{"action": "{answer}", "reason": "mine"}}'"""}
    user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"PreToolUse": [entry]}})
    at_terminal("off", "10m")
    facts = json.loads(user.run("explain", "claude-code", FORCE, "--json").stdout)
    shown = user.run("explain", "claude-code", FORCE).stdout.decode()

    assert (facts["action"], facts["action_with_guards"]) == (action, "block")
    assert facts["switched_off"]["left_to"] == ["mine"]
    assert f"so this would {told} (by mine)" in shown


@pytest.mark.parametrize("time", ["soon", "0m", "9h", "10", "-1m"])
def test_a_wrong_time_is_said(at_terminal, time):
    code, seen = at_terminal("off", "--", time)

    assert code == 2
    assert "expected 1s to 8h, such as 10m" in seen


def test_the_file_is_its_users_alone_and_not_believed_otherwise(user, at_terminal):
    at_terminal("off", "10m")
    file = user.home / ".local" / "state" / "hookline" / "passes.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    file.chmod(0o666)
    assert stopped(user)


@pytest.mark.slow
@pytest.mark.parametrize("content", ["", "{", "[1]", '[{"id": 1}]', "null"])
def test_a_broken_file_lets_nothing_past(user, content):
    file = user.write("~/.local/state/hookline/passes.json", content)
    file.chmod(0o600)

    assert stopped(user)
