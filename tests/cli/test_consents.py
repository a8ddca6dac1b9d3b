"""Test the file of consents: commands for people that need no terminal in containers and CI."""

import json
import os

import pytest

from hookline.policy import consents
from hookline.policy.consents import FILE, read_consents
from hookline.system.paths import find_places

HOOKS = {"hooks": {"Stop": [{"name": "own", "command": "true"}]}}


@pytest.fixture
def no_agent(alone, monkeypatch):
    """Return a user outside of any agent, whatever runs these tests."""
    monkeypatch.setattr("hookline.cli._require_person.find_agent", lambda env: "")
    monkeypatch.setattr(consents, "SYSTEM_FOLDER", str(alone.home / "etc"))
    alone.write(".hookline/hooks.json", HOOKS)
    return alone


def consent(user, text, name=f"~/.config/hookline/{FILE}", mode=0o600):
    path = user.write(name, text)
    path.chmod(mode)
    path.parent.chmod(0o700)
    return path


def test_trust_needs_no_terminal_with_a_consent_for_the_project(no_agent):
    refused = no_agent.run("trust", "--yes")
    consent(no_agent, f'trust = ["{no_agent.project}"]\n')
    trusted = no_agent.run("trust", "--yes")

    assert refused.returncode == 1
    assert b"requires an interactive terminal, or a consent in consents.toml" in refused.stderr
    assert trusted.returncode == 0, trusted.stderr
    assert b"trusted: 1 file" in trusted.stdout


def test_a_consent_for_another_project_does_not_count(no_agent):
    consent(no_agent, f'trust = ["{no_agent.project}-other"]\nbudget = true\n')

    assert no_agent.run("trust", "--yes").returncode == 1


def test_uninstall_needs_no_terminal_with_a_consent(no_agent):
    assert no_agent.run("init", "--host", "claude-code", "--yes").returncode == 0
    refused = no_agent.run("uninstall", "--yes")
    consent(no_agent, "uninstall = true\n")
    removed = no_agent.run("uninstall", "--yes")

    assert refused.returncode == 1
    assert removed.returncode == 0, removed.stderr
    assert not (no_agent.project / ".claude" / "settings.json").exists()


def test_a_budget_needs_no_terminal_with_a_consent(no_agent):
    consent(no_agent, "budget = true\n")
    ran = no_agent.run("budget", "set", "20m")

    assert b"interactive terminal" not in ran.stderr


def test_an_agent_is_refused_in_spite_of_a_consent(no_agent, monkeypatch):
    monkeypatch.setattr("hookline.cli._require_person.find_agent", lambda env: "claude-code")
    consent(no_agent, f'trust = ["{no_agent.project}"]\n')
    ran = no_agent.run("trust", "--yes")

    assert ran.returncode == 1
    assert b"not allowed inside claude-code" in ran.stderr


def read(user):
    return list(read_consents(find_places(user.environment(), str(user.project))))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("trust = true\n", "invalid 'trust'"),
        ('trust = ["relative"]\n', "invalid 'trust'"),
        ("budget = 1\n", "invalid 'budget'"),
        ("allow = true\n", "no key named 'allow'"),
        ("= nonsense", "Invalid"),
    ],
)
def test_a_wrong_file_allows_nothing_and_is_reported(no_agent, text, problem):
    consent(no_agent, text)
    (found,) = read(no_agent)
    facts = json.loads(no_agent.run("doctor", "--json").stdout)
    (finding,) = [item for item in facts["findings"] if item["id"].startswith("consents")]

    assert problem in found.problem
    assert finding["id"] == "consents.ignored"
    assert not any(found.allows(action, str(no_agent.project)) for action in consents.ACTIONS)


def test_a_file_that_others_can_write_does_not_count(no_agent):
    consent(no_agent, "budget = true\n", mode=0o666)

    assert "other users can change" in read(no_agent)[0].problem


def test_a_file_in_a_folder_that_others_can_write_does_not_count(no_agent):
    consent(no_agent, "budget = true\n").parent.chmod(0o777)

    assert "other users can change" in read(no_agent)[0].problem


@pytest.mark.skipif(os.getuid() != 0, reason="requires root")
def test_a_file_of_another_user_does_not_count(no_agent):
    os.chown(consent(no_agent, "budget = true\n"), 12345, 12345)

    assert "other users can change" in read(no_agent)[0].problem


def test_a_file_inside_the_project_does_not_count(no_agent):
    no_agent.env["XDG_CONFIG_HOME"] = str(no_agent.project / "config")
    consent(no_agent, "budget = true\n", name=f"config/hookline/{FILE}")

    assert read(no_agent)[0].problem == "it is inside the project"


def test_doctor_lists_the_consents_of_the_machine(no_agent):
    consent(no_agent, f'trust = ["{no_agent.project}"]\nuninstall = true\n', name=f"~/etc/{FILE}")
    facts = json.loads(no_agent.run("doctor", "--json").stdout)
    (finding,) = [item for item in facts["findings"] if item["id"] == "consents"]

    assert finding["text"].endswith(f"allows without a terminal: trust {no_agent.project}, uninstall")


@pytest.mark.parametrize("folder", ["/etc/hookline", "~/.config/hookline"])
def test_self_protect_guards_the_file(user, folder):
    reply = user.hook(user.shell(f"echo 'budget = true' > {folder}/{FILE}"))[1]

    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"
