"""What is configured now is what holds; what somebody has just broken holds as it was."""

import json

FORCE = "git push --force"
OWN = {"version": 1, "hooks": {"PreToolUse": [{"command": "echo no >&2; exit 2", "name": "mine"}]}}


def stopped(house, command="ls"):
    return house.ask(house.user.shell(command)).stdout


def test_a_broken_edit_keeps_what_held_before_and_says_so(daemon):
    path = "~/.config/hookline/hooks.json"
    daemon.user.write(path, OWN)
    before = stopped(daemon)
    daemon.user.write(path, json.dumps(OWN)[:-3])
    broken = stopped(daemon)
    daemon.user.write(path, {"version": 1, "hooks": {}})
    after = stopped(daemon)

    assert [b"deny" in one for one in (before, broken, after)] == [True, True, False]
    assert b"what it said before holds until it is mended" in broken
    assert b"hooks.json" in broken


def test_settings_that_are_broken_keep_what_they_had_switched_off(daemon):
    path = "~/.config/hookline/hookline.toml"
    daemon.user.write(path, "[hooks.dangerous-command]\nenabled = false\n")
    before = stopped(daemon, FORCE)
    daemon.user.write(path, "[hooks.dangerous-command\nenabled = false\n")

    assert b"deny" not in before
    assert b"deny" not in stopped(daemon, FORCE)


def test_what_was_broken_from_the_beginning_holds_nothing(house):
    house.user.write("~/.config/hookline/hookline.toml", "[hooks.dangerous-command\nenabled = false\n")
    house.start()
    said = stopped(house, FORCE)

    assert b"deny" in said
    assert b"nothing in it holds until it is mended" in said


def test_edits_one_after_another_all_count(daemon):
    path = "~/.config/hookline/hookline.toml"
    seen = []
    for number in range(12):
        daemon.user.write(path, f"[hooks.dangerous-command]\nenabled = {str(bool(number % 2)).lower()} \n")
        seen.append(b"deny" in stopped(daemon, FORCE))

    assert seen == [bool(number % 2) for number in range(12)]


def test_a_project_that_begins_to_configure_is_heard(daemon):
    before = stopped(daemon, FORCE)
    (daemon.user.project / ".hookline").mkdir()
    daemon.user.write(".hookline/hookline.toml", "[hooks.dangerous-command]\nenabled = false\n")
    after = stopped(daemon, FORCE)

    assert b"deny" in before
    assert b"deny" in after  # nobody trusted that
    assert b"trust" in after
