"""Test `hookline config show`: each effective value and its source."""

import json

from hookline.cli.config import DEFAULTS
from hookline.policy import parse_files


def shown(user, **env):
    ran = user.run("config", "show", "--json", **env)
    assert (ran.returncode, ran.stderr) == (0, b"")
    return json.loads(ran.stdout)


def value(said, name):
    return next((row["value"], row["from"]) for row in said["values"] if row["name"] == name)


def test_every_option_has_its_usual_value():
    assert set(DEFAULTS) == set(parse_files.OPTIONS)


def test_without_files_all_is_default(user):
    said = shown(user)

    assert {row["from"] for row in said["values"]} == {"default", "off by default"}
    assert (said["files"], said["environment"]) == ([], {})
    assert value(said, "store") == ("sqlite", "default")


def test_a_value_says_the_file_and_line_that_gave_it(user):
    file = user.write(
        "~/.config/hookline/hookline.toml",
        "context_cap = 500\n\n[hooks.budget-countdown]\nstop = 60\npriority = 91\n",
    )
    said = shown(user)

    assert value(said, "context_cap") == (500, f"{file}:1")
    assert value(said, "hooks.budget-countdown.stop") == (60, f"{file}:4")
    assert value(said, "hooks.budget-countdown.priority") == (91, f"{file}:5")
    assert value(said, "hooks.budget-countdown.wrap_up") == (300, "default")
    assert said["files"] == [str(file)]


def test_a_switch_says_its_variable(user):
    said = shown(user, AR_DISABLE_AUDIT="yes")

    assert value(said, "hooks.audit.enabled") == (False, "environment: AR_DISABLE_AUDIT is set")
    assert said["environment"] == {"AR_DISABLE_AUDIT": "yes"}


def test_what_is_off_says_which_file_did_it(user):
    file = user.write(
        "~/.config/hookline/hookline.toml", 'profile = "none"\n[hooks.audit]\nenabled = false\n'
    )
    said = shown(user)

    assert value(said, "hooks.audit.enabled") == (False, f"{file}:3")
    assert value(said, "hooks.budget-countdown.enabled") == (False, f'profile = "none" in {file}:1')


def test_a_project_that_is_not_trusted_changes_nothing_and_is_said(user):
    user.write(".hookline/hookline.toml", "answer_within = 1\ncontext_cap = 100\nprofil = 1\n")
    said = shown(user)

    assert value(said, "answer_within") == (55.0, "default")
    assert value(said, "context_cap") == (100, ".hookline/hookline.toml:2")
    assert said["waiting"] == [".hookline/hookline.toml:1: answer_within = 1"]
    assert len(said["problems"]) == 1


def test_a_wrong_value_is_seen_where_the_right_one_stands(user):
    file = user.write(
        "~/.config/hookline/hookline.toml",
        "answer_within = nan\n[hooks.budget-countdown]\nstop = 'late'\npriority = 91\n",
    )
    said, text = shown(user), user.run("config", "show").stdout.decode()
    rows = {row["name"]: row for row in said["values"]}

    assert rows["answer_within"] == {
        "name": "answer_within",
        "value": 55.0,
        "from": "default",
        "refused": f"{file}:1",
    }
    assert rows["hooks.budget-countdown.stop"]["refused"] == f"{file}:3"
    assert "refused" not in rows["hooks.budget-countdown.priority"]
    assert f"problem: {file}:3: setting 'stop' of hook 'budget-countdown' must be a whole number" in text
    assert f"default, because the value in {file}:3 is invalid" in text


def test_a_switch_that_switches_nothing_is_a_problem(user):
    said = shown(user, AR_DISABLE_NOSUCH="1")

    assert said["problems"][0].startswith("environment: AR_DISABLE_NOSUCH matches no hook; available: AR_DIS")


def test_places_are_where_the_user_put_them(user, tmp_path):
    said = shown(user, XDG_STATE_HOME=str(tmp_path / "state"))

    assert said["places"]["state"] == str(tmp_path / "state" / "hookline")
    assert said["places"]["config"] == str(user.home / ".config" / "hookline")
    assert said["places"]["project"] == str(user.project)


def test_a_person_reads_the_same(user):
    user.write(".hookline/hookline.toml", "answer_within = 1\n")
    text = user.run("config", "show").stdout.decode()

    assert text.startswith("not trusted: .hookline/hookline.toml:1: answer_within = 1\n")
    assert "files read:\n  .hookline/hookline.toml\n" in text
    assert "\nhooks.budget-countdown.stop" in text


def test_there_is_only_show(user):
    ran = user.run("config", "set")

    assert ran.returncode == 2
    assert b"choose from 'show'" in ran.stderr
