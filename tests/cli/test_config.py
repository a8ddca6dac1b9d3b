"""Test `hookline config`: each effective value and its source, and changes by a person."""

import json

import pytest

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

    assert said["problems"][0].startswith(
        "environment: AR_DISABLE_NOSUCH matches no hook; available: HOOKLINE_DIS"
    )


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


def test_an_unknown_action_lists_the_actions(user):
    ran = user.run("config", "sett")

    assert ran.returncode == 2
    assert b"did you mean 'set'?" in ran.stderr


SETTINGS = ".hookline/hookline.toml"


def set_value(at_terminal, *words, **env):
    return at_terminal("config", "set", *words, **env)


def test_a_value_is_set_and_comments_stay(user, at_terminal):
    file = user.write(SETTINGS, "# mine\ncontext_cap = 500 # short\n")
    code, seen = set_value(at_terminal, "context_cap", "700")

    assert (code, f"{SETTINGS}: context_cap = 700" in seen) == (0, True)
    assert file.read_text() == "# mine\ncontext_cap = 700 # short\n"


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--user", "~/.config/hookline/hookline.toml"),
        ("--local", ".hookline/hookline.local.toml"),
        ("", SETTINGS),
    ],
)
def test_each_file_is_created_when_it_is_needed(user, at_terminal, option, name):
    code, _ = set_value(at_terminal, *filter(None, [option]), "hooks.budget-countdown.wrap_up", "600")
    file = user.home / name[2:] if name.startswith("~/") else user.project / name

    assert code == 0
    assert file.read_text() == "[hooks.budget-countdown]\nwrap_up = 600\n"


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("context_capp", "1", "no option named 'context_capp'; did you mean 'context_cap'?"),
        ("context_cap", "many", "'context_cap' must be a whole number, not text"),
        ("profile", "nne", "no profile named 'nne'; did you mean 'none'?"),
        ("keep_days", "-1", "'keep_days' must be more than 0"),
        ("hooks.budget-countdwn.stop", "1", "did you mean 'budget-countdown'?"),
        ("hooks.budget-countdown.stp", "1", "no setting named 'stp'"),
        ("hooks.budget-countdown.stop", "late", "must be a whole number"),
        ("hooks.audit.enabled", "on", "must be true or false, not 'on'"),
        ("hooks.audit", "1", "expected hooks.NAME.SETTING"),
        ("sinks.otl.enabled", "true", "did you mean 'otel'?"),
    ],
)
def test_a_wrong_key_or_value_is_one_sentence_and_changes_nothing(user, at_terminal, key, value, told):
    code, seen = set_value(at_terminal, "--", key, value)

    assert code == 2
    assert told in seen
    assert len(seen.splitlines()) == 1
    assert not (user.project / ".hookline").exists()


def test_an_old_problem_of_the_file_does_not_prevent_a_change(user, at_terminal):
    file = user.write(SETTINGS, "profil = 1\n")

    assert set_value(at_terminal, "context_cap", "700")[0] == 0
    assert file.read_text() == "profil = 1\ncontext_cap = 700\n"


@pytest.mark.parametrize("words", [["set", "context_cap", "700"], ["edit"]])
def test_an_agent_cannot_change_the_settings(user, at_terminal, words):
    without = user.run("config", *words)
    inside, seen = at_terminal("config", *words, CLAUDECODE="1")

    assert (without.returncode, inside) == (1, 1)
    assert b"requires an interactive terminal" in without.stderr
    assert "not allowed inside claude-code" in seen
    assert not (user.project / ".hookline").exists()


def editor(user, *texts):
    """Return an editor that writes the next of *texts* each time."""
    for number, text in enumerate(texts):
        user.write(f"~/text-{number}", text)
    script = user.write(
        "~/editor", f'cd {user.home} && next=$(ls text-* | head -1) && cat "$next" >"$1" && rm "$next"\n'
    )
    return f"sh {script}"


def test_the_editor_changes_the_file(user, at_terminal):
    code, seen = at_terminal("config", "edit", VISUAL=editor(user, "context_cap = 700\n"), EDITOR="false")

    assert (code, f"{SETTINGS} saved" in seen) == (0, True)
    assert (user.project / SETTINGS).read_text() == "context_cap = 700\n"


def test_a_wrong_file_is_offered_for_editing_again(user, at_terminal):
    program = editor(user, "context_cap = 'x'\n", "context_cap = 700\n")
    code, seen = at_terminal("config", "edit", answer="y\n", EDITOR=program)

    assert code == 0
    assert f"problem: {SETTINGS}:1: 'context_cap' must be a whole number, not text" in seen
    assert (user.project / SETTINGS).read_text() == "context_cap = 700\n"


def test_a_wrong_file_is_not_saved_unasked(user, at_terminal):
    code, seen = at_terminal("config", "edit", answer="n\nn\n", EDITOR=editor(user, "context_cap = 'x'\n"))

    assert (code, f"{SETTINGS} is unchanged" in seen) == (1, True)
    assert not (user.project / SETTINGS).exists()


def test_an_editor_that_fails_changes_nothing(user, at_terminal):
    code, seen = at_terminal("config", "edit", EDITOR="false")

    assert (code, "the editor 'false' failed" in seen) == (1, True)
