"""Test `hookline list`: each hook with its source and why it is off, each host with its capabilities."""

import json
import re

import pytest

from hookline import hooks, hosts
from hookline.core.events import EVENTS


def listed(user, *words, **env):
    ran = user.run("list", *words, "--json", **env)
    assert (ran.returncode, ran.stderr) == (0, b"")
    return json.loads(ran.stdout)


def named(user, name, **env):
    return next(hook for hook in listed(user, "hooks", **env)["hooks"] if hook["name"] == name)


def test_every_built_in_and_every_host_is_there(user):
    said = listed(user)

    assert {hook["name"] for hook in said["hooks"]} == set(hooks.names())
    assert {host["name"] for host in said["hosts"]} == set(hosts.names())
    assert all(set(host["events"]) == set(EVENTS) for host in said["hosts"])


def test_hooks_stand_in_the_order_in_which_they_run(user):
    shown = listed(user, "hooks")["hooks"]
    places = [min([hook["priority"], *hook["priorities"].values()]) for hook in shown]

    assert places == sorted(places)


def test_a_view_shows_only_that(user):
    assert "hosts" not in listed(user, "hooks")
    assert "hooks" not in listed(user, "hosts")


def test_a_setting_that_was_given_says_where(user):
    user.write("~/.config/hookline/hookline.toml", "[hooks.budget-countdown]\nwrap_up = 600\n")
    settings = named(user, "budget-countdown")["settings"]

    assert settings["wrap_up"] == {"value": 600, "from": f"{user.home}/.config/hookline/hookline.toml:2"}
    assert settings["stop"] == {"value": 120, "from": "default"}


def test_a_hook_that_is_off_says_why(user):
    hook = named(user, "audit", AR_DISABLE_AUDIT="1")

    assert (hook["on"], hook["off"]) == (False, "AR_DISABLE_AUDIT is set")


def test_a_configured_hook_says_whose_it_is(user):
    entry = {"command": "true", "name": "mine", "priority": 3}
    user.write("~/.config/hookline/hooks.json", {"version": 1, "hooks": {"Stop": [entry]}})
    hook = named(user, "mine")

    assert (hook["events"], hook["priority"], hook["source"]) == (["Stop"], 3, "user")
    assert hook["origin"] == f"{user.home}/.config/hookline/hooks.json:1"


@pytest.mark.parametrize("view", ["hooks", "hosts"])
def test_what_is_wrong_and_what_waits_stands_on_top(user, view):
    user.write(".hookline/hookline.toml", "profil = 1\n[hooks.dangerous-command]\nenabled = false\n")
    shown = user.run("list", view).stdout.decode().splitlines()

    assert shown[0].startswith("problem: .hookline/hookline.toml:1: no option named 'profil'")
    assert shown[1] == ("not trusted: .hookline/hookline.toml:3: [hooks.dangerous-command] enabled = False")


def test_a_host_says_how_each_event_is_to_be_had(user):
    events = next(h for h in listed(user, "hosts")["hosts"] if h["name"] == "claude-code")["events"]

    assert events["PreToolUse"]["how"] == "native"
    assert events["PreToolUse"]["can"] == ["block", "ask", "allow", "inject", "modify"]
    assert events["TurnStart"]["how"] == "derived"
    assert events["PreModelCall"] == {"how": "unsupported", "can": [], "native": []}


def test_a_pipe_gets_every_word_whole(user):
    long = "x" * 300
    user.write("~/.config/hookline/hookline.toml", f"[hooks.dangerous-command]\nprotected = ['{long}']\n")
    shown = user.run("list", "hooks", "--wide").stdout.decode()

    assert long in shown
    assert "…" not in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("view", ["hooks", "hosts", "sinks"])
def test_a_narrow_terminal_splits_no_name_and_names_the_columns_left_out(user, at_terminal, view):
    code, seen = at_terminal("list", view, COLUMNS="60")
    rows = json.loads(user.run("list", view, "--json").stdout)[view]
    lines = re.sub(r"\x1b\[[0-9;]*m", "", seen).splitlines()

    assert (code, "…" in seen) == (0, False)
    assert max(map(len, lines)) <= 60
    assert all(row["name"] in {line.split(" ")[0] for line in lines} for row in rows)
    assert view == "sinks" or "(not shown in 60 columns: " in lines[-1]


def test_wide_shows_every_row_on_one_line(at_terminal):
    code, seen = at_terminal("list", "hooks", "--wide", COLUMNS="60")
    (row,) = [line for line in seen.splitlines() if line.startswith("budget-countdown ")]

    assert code == 0
    assert "PreToolUse, PostToolUse" in row
    assert "wrap_up = 300" in row


def test_names_cannot_steer_the_terminal(user):
    user.write(".hookline/hookline.toml", '"\\u001b[2Jx" = 1\n')

    assert b"\x1b" not in user.run("list").stdout


def test_a_wrong_view_is_refused(user):
    ran = user.run("list", "hoks")

    assert ran.returncode == 2
    assert b"did you mean 'hooks'?" in ran.stderr
