"""Test that a call without a user waits for a person's decision, and ends as usual without one."""

import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress

import pytest
from tests.daemon.test_grants import RUN, at_terminal

pytestmark = pytest.mark.slow
HEADLESS = {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}


def read_file(house, call, name=".env"):
    given = {"file_path": f"{house.user.project}/{name}"}
    return {**house.user.payload("PreToolUse", tool_name="Read", tool_input=given), "tool_use_id": call}


def configure(house, text='approvals = "wait"\n', seconds=605):
    house.user.write("~/.config/hookline/hookline.toml", text)
    hook = {"type": "command", "command": f"{house.client} hook claude-code", "timeout": seconds}
    house.user.write("~/.claude/settings.json", {"hooks": {"PreToolUse": [{"hooks": [hook]}]}})


@contextmanager
def waiting(house, call="first", **env):
    """Start a call as a host does, and yield its process; a call that does not end is killed."""
    started = subprocess.Popen(
        [sys.executable, "-c", RUN, house.client, "hook", "claude-code"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=house.user.project,
        env=house.environment(**HEADLESS, **env),
        start_new_session=True,
    )
    with started as process:
        process.stdin.write(json.dumps(read_file(house, call)).encode())
        process.stdin.close()
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def questions(house):
    return json.loads(house.run("approvals", "--json").stdout)


def wait_for_question(house, count=1):
    return house.until(lambda: len(found := questions(house)) == count and found)[0]


def verdict(process):
    process.wait(30)
    return json.loads(process.stdout.read())["hookSpecificOutput"]


def test_a_person_allows_a_waiting_call(daemon):
    configure(daemon)
    with waiting(daemon) as process:
        question = wait_for_question(daemon)
        code, shown = at_terminal(daemon, "approvals", "allow", question["id"][:8])

        assert (code, "allowed once" in shown) == (0, True)
        assert verdict(process)["permissionDecision"] == "allow"
    assert (question["host"], question["rules"]) == ("claude-code", ["privacy-block:sensitive-path"])
    assert question["summary"].endswith("/.env")
    assert questions(daemon) == []
    step = daemon.user.log()[-1]["trail"][-1]
    assert step["note"] == "allowed once by a person"


def test_a_person_denies_with_a_message(daemon):
    configure(daemon)
    with waiting(daemon) as process:
        question = wait_for_question(daemon)
        at_terminal(daemon, "approvals", "deny", question["id"], "--message", "use .env.example")
        answer = verdict(process)

    assert answer["permissionDecision"] == "deny"
    assert "a person denied this call: use .env.example" in answer["permissionDecisionReason"]


def test_a_rule_allowed_for_the_session_asks_no_more_in_it(daemon):
    configure(daemon)
    with waiting(daemon) as process:
        question = wait_for_question(daemon)
        at_terminal(daemon, "approvals", "allow", "--session", question["id"])
        assert verdict(process)["permissionDecision"] == "allow"
    again = daemon.ask(read_file(daemon, "second", ".env.production"), **HEADLESS).stdout
    other = {**read_file(daemon, "third"), "session_id": "another"}

    assert b"permissionDecision" not in again
    with waiting(daemon, "fourth") as process:
        process.wait(30)
    assert b'"ask"' in daemon.ask(other).stdout


def test_an_unanswered_call_ends_as_without_waiting(daemon):
    configure(daemon, 'approvals = "wait"\napprovals_within = 1\n')
    with waiting(daemon) as process:
        assert verdict(process)["permissionDecision"] == "ask"
    assert daemon.user.log()[-1]["trail"][-1]["note"] == "no person answered in time"


def test_a_call_never_waits_longer_than_the_installed_timeout(daemon):
    configure(daemon, seconds=11)
    with waiting(daemon) as process:
        question = wait_for_question(daemon)
        assert verdict(process)["permissionDecision"] == "ask"

    assert question["until"] - question["at"] == 1


@pytest.mark.parametrize("env", [{}, {"CLAUDE_CODE_ENTRYPOINT": "cli"}])
def test_a_session_with_a_user_does_not_wait(daemon, env):
    configure(daemon)

    assert b'"ask"' in daemon.ask(read_file(daemon, "first"), **env).stdout


def test_a_call_does_not_wait_by_default(daemon):
    configure(daemon, "")

    assert b'"ask"' in daemon.ask(read_file(daemon, "first"), **HEADLESS).stdout


def test_waiting_calls_delay_no_other_call(daemon):
    configure(daemon)
    with ExitStack() as stack:
        for number in range(6):
            stack.enter_context(waiting(daemon, str(number)))
        wait_for_question(daemon, 6)
        assert [daemon.ask_force() for _ in range(3)] == [True] * 3
        assert (daemon.status()["waiting"], daemon.status()["under_way"]) == (6, 0)


def test_a_question_disappears_with_its_agent(daemon):
    configure(daemon)
    with waiting(daemon):
        wait_for_question(daemon)
    daemon.until(lambda: questions(daemon) == [])


def test_the_end_of_the_daemon_answers_waiting_calls(daemon):
    configure(daemon)
    with waiting(daemon) as process:
        wait_for_question(daemon)
        daemon.kill(signal.SIGTERM)
        assert verdict(process)["permissionDecision"] == "ask"


def test_an_agent_decides_nothing(daemon):
    configure(daemon)
    with waiting(daemon):
        question = wait_for_question(daemon)
        ran = daemon.run("approvals", "allow", question["id"], CLAUDECODE="1")
        assert (ran.returncode, "not allowed inside" in ran.stderr) == (1, True)
        assert daemon.run("approvals", "allow", question["id"]).returncode == 1
        code, shown = at_terminal(daemon, "approvals", "allow", "nope")

        assert (code, "no waiting call with the id 'nope'" in shown) == (2, True)
        assert len(questions(daemon)) == 1
