"""Test turn-gate: the user's checks at the end of a turn, strikes, trust, and invalid settings."""

import json

import pytest

from hookline.policy import trust
from hookline.runtime.setup import load_setup

pytestmark = pytest.mark.slow

USER = "~/.config/hookline/hookline.toml"
OWN = ".hookline/hookline.toml"


def commands(*listed):
    return f"[hooks.turn-gate]\ncommands = [{', '.join(map(toml, listed))}]\n"


def toml(item):
    if isinstance(item, str):
        return json.dumps(item)
    return "{" + ", ".join(f"{key} = {json.dumps(value)}" for key, value in item.items()) + "}"


def ended(user, times, **env):
    return [user.hook(user.payload("Stop"), **env)[1] for _ in range(times)]


def failing(times, user):
    """Write a check that fails *times* times and then passes, and return its path."""
    return user.write(
        "check.sh",
        f"echo ran >> {user.home}/runs\n[ $(wc -l < {user.home}/runs) -gt {times} ] && exit 0\n"
        "echo '@@INJECT: run the tests again'\necho '@@WARN: the tests fail'\necho broken >&2\nexit 2\n",
    )


def test_a_check_that_fails_twice_and_then_passes_gives_two_corrections(user):
    user.write(USER, commands(f"sh {failing(2, user)}"))
    replies = ended(user, 4)

    assert [reply.get("decision") for reply in replies] == ["block", "block", None, None]
    assert replies[0]["reason"] == "broken\nrun the tests again"
    assert "the tests fail" in replies[0]["systemMessage"]


def test_a_check_that_always_fails_ends_capped_with_its_last_directives(user):
    user.write(USER, commands(f"sh {failing(9, user)}"))
    replies = ended(user, 3)

    assert [reply.get("decision") for reply in replies] == ["block", "block", None]
    assert "capped: turn-gate.user-1 blocked TurnEnd 3 times in a row" in replies[2]["systemMessage"]
    assert "run the tests again" in replies[2]["systemMessage"]


def test_a_new_prompt_gives_it_three_strikes_again(user):
    user.write(USER, commands(f"sh {failing(9, user)}"))
    ended(user, 3)
    user.hook(user.payload("UserPromptSubmit"))

    assert [reply.get("decision") for reply in ended(user, 3)] == ["block", "block", None]


@pytest.mark.parametrize(
    ("check", "decision", "said"),
    [
        ("true", None, ""),
        ("echo told; exit 0", None, ""),
        ("echo why >&2; exit 2", "block", "why"),
        ("echo why; exit 2", "block", "why"),
        ("exit 2", "block", "it gave no reason"),
        ("echo 1 failed; exit 1", "block", "block if it fails: 1 failed"),
        ("kill -9 $$", "block", "SIGKILL"),
        ("no-such-program", "block", "127"),
        ({"command": "exit 1", "on_failure": "warn"}, None, "exited with status 1"),
        ({"command": "sleep 9", "timeout": 0.3}, None, "timed out after 0.3 s"),
        ({"command": "sleep 9", "timeout": 0.3, "on_timeout": "block"}, "block", "timed out after 0.3 s"),
        ('echo \'{"action": "block", "reason": "why"}\'', "block", "why"),
        ('echo \'{"decision": "block", "reason": "why"}\'', "block", "why"),
    ],
)
def test_what_a_command_prints_and_how_it_exits(user, check, decision, said):
    user.write(USER, commands(check))
    reply = ended(user, 1)[0]

    assert reply.get("decision") == decision
    assert said in reply.get("reason", "") + reply.get("systemMessage", "")


def test_the_first_check_that_fails_is_told_and_each_has_its_own_strikes(user):
    user.write(USER, commands("exit 2", "echo second >&2; exit 2"))
    replies = ended(user, 3)

    assert ["turn-gate.user-1" in reply.get("reason", "") for reply in replies] == [True, True, False]


def trusted(user):
    """Trust the current content of the project."""
    setup = load_setup(user.environment(), str(user.project))
    trust.pin(setup.places.trust, setup.places.root, setup.trust.now)
    setup.resources.close()


def test_checks_of_a_project_wait_for_trust_and_then_add_up(user):
    user.write(USER, commands(f"echo user >> {user.home}/ran"))
    user.write(OWN, commands(f"echo project >> {user.home}/ran; exit 2"))
    waiting = ended(user, 1)[0]
    before = (user.home / "ran").read_text().split()
    trusted(user)
    reply = ended(user, 1)[0]

    assert (waiting.get("decision"), before) == (None, ["user"])
    assert "1 item of this project waits for your trust" in waiting["systemMessage"]
    assert reply.get("decision") == "block"
    assert (user.home / "ran").read_text().split() == ["user", "user", "project"]


def test_a_script_that_a_trusted_check_runs_is_trusted_as_it_was(user):
    user.write(OWN, commands("sh checks/all.sh"))
    user.write("checks/all.sh", "exit 2\n")
    trusted(user)
    before = ended(user, 1)[0]
    user.write("checks/all.sh", f"touch {user.home}/hijacked; exit 2\n")
    after = ended(user, 1)[0]

    assert (before.get("decision"), after.get("decision")) == ("block", None)
    assert not (user.home / "hijacked").exists()


@pytest.mark.parametrize(
    "switch", ["AR_DISABLE_TURN_GATE", "AR_DISABLE_TURN_GATE_USER_1"], ids=["all", "one"]
)
def test_checks_are_switched_off_with_the_hook_or_singly(user, switch):
    user.write(USER, commands("exit 2"))

    assert ended(user, 1, **{switch: "1"}) == [{}]


def test_enabled_false_switches_them_off(user):
    user.write(USER, commands("exit 2") + "enabled = false\n")

    assert ended(user, 1) == [{}]


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ("[3]", "hookline.toml:2: item 1 of 'commands' of hook 'turn-gate' must be a command"),
        ("[{timeout = 3}]", "must be a command, or a table with a `command`"),
        (
            '["true", {command = "true", timout = 3}]',
            "hookline.toml:2: no field of a command hook named 'timout'; did you mean 'timeout'?",
        ),
        ('[{command = "true", timeout = 0}]', "'timeout' must be more than 0"),
        ('"true"', "setting 'commands' of hook 'turn-gate' must be a list"),
    ],
)
def test_a_wrong_setting_is_said_with_its_line(user, listed, said):
    user.write(USER, f"[hooks.turn-gate]\ncommands = {listed}\n")

    assert said in user.hook(user.payload("SessionStart"))[1]["systemMessage"]


def test_a_check_is_listed_as_a_hook_of_its_own(user):
    user.write(USER, commands({"command": "make test", "name": "tests"}, "make lint"))
    listed = user.run("list", "hooks").stdout.decode()

    assert "tests" in listed
    assert "turn-gate.user-2" in listed
