"""Test files that another release of hookline wrote: entries, settings, claims and grants.

The daemon of another release is tested in tests/daemon/test_lifecycle.py, stores in tests/stores,
spool files in tests/system/test_spool.py.
"""

import json

import pytest

FORCE = "git push --force"
ODD_VALUES = ({"new": 1}, [{"new": 1}], ["new"], "new", 7, True)


def denial(user, *words):
    """Return the reply to a forbidden command, and whether it is a denial."""
    reply = user.hook(user.shell(FORCE), *words)[1]
    return reply, reply.get("hookSpecificOutput", {}).get("permissionDecision") == "deny"


def state_file(user, name):
    return user.home / ".local/state/hookline" / name


@pytest.mark.parametrize("words", [["--new"], ["--new=1"], ["--new", "1"], ["-n"], ["--only", "new-guard"]])
def test_an_option_of_a_newer_release_is_reported_and_the_call_is_judged(user, words):
    reply, denied = denial(user, *words)

    assert denied
    assert words[-1] in reply["systemMessage"]


def test_settings_of_a_newer_release_are_reported_and_the_rest_applies(user):
    guard = '[hooks.dangerous-command]\nnew = 1\nallow = ["git-clean-force"]\n'
    user.write("~/.config/hookline/hookline.toml", f"new = 1\n[hooks.new-guard]\nenabled = true\n{guard}")
    reply, denied = denial(user)

    assert denied
    assert reply["systemMessage"].count("hookline.toml:") == 3
    assert user.hook(user.shell("git clean -fdx out"))[1].get("hookSpecificOutput") is None


@pytest.mark.parametrize("name", ["claims.json", "passes.json"])
@pytest.mark.parametrize("content", ODD_VALUES)
def test_a_state_file_of_another_shape_counts_as_empty(user, name, content):
    state_file(user, "").mkdir(parents=True)
    state_file(user, name).write_text(json.dumps(content))
    state_file(user, name).chmod(0o600)
    reply, denied = denial(user)

    assert denied
    assert "systemMessage" not in reply
