"""Test `hookline approve`: a human's permission at a terminal to open a path once, for a limited time."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hookline.daemon import request_grants
from hookline.daemon.grant_key import GrantKey
from hookline.policy import grants

HOOKLINE = str(Path(sys.executable).parent / "hookline")
pytestmark = pytest.mark.usefixtures("signer")


def opens(user, path, session="s-1"):
    """Return (decision or None, changed path or None) of the reply to a Read of *path*."""
    payload = user.payload("PreToolUse", tool_name="Read", tool_input={"file_path": path}, session_id=session)
    reply = user.hook(payload)[1].get("hookSpecificOutput", {})
    return reply.get("permissionDecision"), reply.get("updatedInput", {}).get("file_path")


def says(user, prompt, session="s-1"):
    user.hook(user.payload("UserPromptSubmit", prompt=prompt, session_id=session))


def approvals_file(user):
    return user.home / ".local" / "state" / "hookline" / "passes.json"


@pytest.mark.slow
def test_a_persons_yes_lets_the_agent_open_it_once(user, at_terminal):
    before = opens(user, ".env"), opens(user, "APPROVED:.env")
    code, seen = at_terminal("approve", ".env")

    assert before == (("ask", None), ("deny", None))
    assert code == 0
    assert f": an agent in {user.project} may open {user.project}/.env once" in seen
    assert opens(user, "APPROVED:.env") == (None, ".env")
    assert opens(user, "APPROVED:.env") == ("deny", None)


@pytest.mark.slow
def test_a_yes_in_a_prompt_counts_the_same_through_the_store(user):
    says(user, "yes, you may read config/.env")

    assert opens(user, "APPROVED:config/.env", session="other") == ("deny", None)
    assert opens(user, "APPROVED:config/.env") == (None, "config/.env")
    assert opens(user, "APPROVED:config/.env") == ("deny", None)


def test_an_absolute_path_and_the_home_are_understood(user, at_terminal):
    at_terminal("approve", "~/.aws/credentials")

    assert opens(user, f"APPROVED:{user.home}/.aws/credentials") == (None, f"{user.home}/.aws/credentials")


def test_the_file_is_its_users_alone(user, at_terminal):
    at_terminal("approve", ".env")

    assert stat.S_IMODE(approvals_file(user).stat().st_mode) == 0o600


def test_a_file_that_others_could_have_written_is_not_believed(user, at_terminal):
    at_terminal("approve", ".env")
    approvals_file(user).chmod(0o644)

    assert opens(user, "APPROVED:.env") == ("deny", None)


def test_it_ends(user, at_terminal):
    at_terminal("approve", ".env")
    (entry,) = json.loads(approvals_file(user).read_text())
    approvals_file(user).write_text(json.dumps([{**entry, "until": 1.0}]))

    assert opens(user, "APPROVED:.env") == ("deny", None)


def test_it_holds_in_one_project_only(user, at_terminal, tmp_path):
    at_terminal("approve", ".env")
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    payload = user.payload("PreToolUse", tool_name="Read", tool_input={"file_path": "APPROVED:.env"})
    reply = user.hook({**payload, "cwd": str(other)})[1]

    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_list_and_revoke_need_no_person(user, at_terminal):
    at_terminal("approve", ".env")
    listed = user.run("approve", "--list").stdout.decode()
    said = [user.run("approve", "--revoke", ".env").stdout.decode() for _ in range(2)]

    assert listed.startswith(f"{user.project}/.env  until ")
    assert said == [
        f"{user.project}/.env: approval revoked\n",
        f"{user.project}/.env: was not approved\n",
    ]
    assert user.run("approve", "--list").stdout.decode() == f"no approved paths in {user.project}\n"
    assert opens(user, "APPROVED:.env") == ("deny", None)


def test_an_agent_is_refused(user, at_terminal):
    without = user.run("approve", ".env")
    inside, seen = at_terminal("approve", ".env", CLAUDECODE="1")
    hook, told = at_terminal("approve", ".env", HOOKLINE_DEPTH="gate")

    assert (without.returncode, inside, hook) == (1, 1, 1)
    assert "requires an interactive terminal" in without.stderr.decode()
    assert "not allowed inside claude-code" in seen
    assert "inside a hook" in told
    assert not approvals_file(user).exists()


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="requires /proc to inspect ancestor processes")
def test_an_agent_that_hides_its_variables_is_refused_too(user):
    script = (
        "import os, pty; os._exit(os.waitstatus_to_exitcode(pty.spawn(['env', '-u', 'CLAUDECODE', *%r])))"
    )
    words = [HOOKLINE, "approve", ".env"]
    ran = subprocess.run(
        [sys.executable, "-c", script % words],
        cwd=user.project,
        env=user.environment(CLAUDECODE="1", TERM="xterm"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )

    assert ran.returncode == 1
    assert b"not allowed inside claude-code" in ran.stdout
    assert not approvals_file(user).exists()


@pytest.mark.parametrize("words", [[], ["--minutes", "0", ".env"], ["--minutes", "999", ".env"]])
def test_invalid_arguments(user, at_terminal, words):
    code, seen = at_terminal("approve", *words)

    assert code == 2
    assert "missing PATH" in seen or "invalid --minutes" in seen


def test_a_path_cannot_steer_the_terminal(user, at_terminal):
    _, seen = at_terminal("approve", "a\x1b[2K.env")

    assert "\x1b[2K" not in seen


def test_what_is_no_list_of_approvals_counts_for_nothing(tmp_path):
    for text in ("", "{}", "[1]", '[{"id": 1}]', "\0"):
        (tmp_path / "passes.json").write_text(text)
        (tmp_path / "passes.json").chmod(0o600)
        assert grants.find_active(str(tmp_path / "passes.json"), "/proj/app", 0.0) == ()


def test_an_approval_that_ended_with_its_daemon_is_listed_as_such(user, at_terminal, monkeypatch):
    at_terminal("approve", ".env")
    monkeypatch.setattr(request_grants, "check_grant", GrantKey().check)

    listed = user.run("approve", "--list").stdout.decode()

    assert listed == f"{user.project}/.env  ignored: it ended with the daemon that signed it\n"
