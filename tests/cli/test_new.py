"""Test `hookline new hook`: the created hook works, and its test passes with the printed command."""

import json
import subprocess

import pytest


@pytest.mark.slow
def test_what_is_printed_works(user, at_terminal):
    ran = user.run("new", "hook", "no-deploys")
    printed = next(line for line in ran.stdout.decode().splitlines() if "hookline test" in line)
    tested = run(user, printed)
    trusting = at_terminal("trust", "--yes")[0]
    said = json.loads(user.run("explain", "envelope", "shutdown now", "--json").stdout)

    assert ran.returncode == 0
    assert (tested.returncode, b"3 passed" in tested.stdout) == (0, True), tested.stdout
    assert trusting == 0
    assert (said["action"], said["decided"]["hook"]) == ("block", "no-deploys")


def run(user, command):
    import sys
    from pathlib import Path

    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    return subprocess.run(
        command,
        shell=True,
        cwd=user.project,
        env=user.environment(PATH=path),
        capture_output=True,
        check=False,
    )


@pytest.mark.slow
def test_trying_the_test_does_not_undo_the_trust(user, at_terminal):
    ran = user.run("new", "hook", "no-deploys")
    at_terminal("trust", "--yes")
    run(user, next(line for line in ran.stdout.decode().splitlines() if "hookline test" in line))

    assert b"is trusted. Trusted files" in user.run("trust", "--show").stdout


def test_a_users_own_hook_needs_no_trust(user):
    ran = user.run("new", "hook", "no-deploys", "--user")
    said = json.loads(user.run("explain", "envelope", "shutdown now", "--json").stdout)

    assert "hookline trust" not in ran.stdout.decode()
    assert said["action"] == "block"
    assert not (user.project / ".hookline").exists()


def test_what_is_there_is_left_as_it_is(user):
    file = user.write(".hookline/hooks/no_deploys.py", "# mine\n")
    ran = user.run("new", "hook", "no-deploys")

    assert ran.returncode == 2
    assert b"already exists" in ran.stderr
    assert file.read_text() == "# mine\n"
    assert not (user.project / ".hookline" / "tests").exists()


@pytest.mark.parametrize("name", ["No", "a b", "../x", "x.py", "-x", "x-", "1x", "class", "ö", "", "a_b"])
def test_a_name_that_cannot_be(user, name):
    ran = user.run("new", "hook", "--", name)

    assert ran.returncode == 2
    assert f"invalid hook name {name!r}" in ran.stderr.decode()
    assert not (user.project / ".hookline").exists()


def test_a_name_that_is_taken(user):
    user.write("~/.config/hookline/hooks.json", {"hooks": {"Stop": [{"name": "mine", "command": "x"}]}})
    user.write(".hookline/hooks.json", {"hooks": {"Stop": [{"name": "waits", "command": "x"}]}})
    said = {
        name: user.run("new", "hook", name).stderr.decode()
        for name in ("audit", "dangerous-cmd-block", "mine", "waits")
    }

    assert "'audit' is already a built-in hook" in said["audit"]
    assert "an alias of the hook 'dangerous-command'" in said["dangerous-cmd-block"]
    assert "'mine' is already a user hook" in said["mine"]
    assert "'waits' is already a configured hook" in said["waits"]
    assert not (user.project / ".hookline" / "hooks").exists()


def test_an_alias_of_ones_own_hook_is_taken_too(user):
    user.run("new", "hook", "first", "--user")
    file = user.home / ".config" / "hookline" / "hooks" / "first.py"
    file.write_text(file.read_text().replace("priority=50", 'priority=50, aliases=("second",)'))
    ran = user.run("new", "hook", "second")

    assert ran.returncode == 2
    assert b"'second' is an alias of the hook 'first'" in ran.stderr
