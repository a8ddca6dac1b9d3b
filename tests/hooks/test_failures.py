"""Test the effect of a failed built-in hook: the table in SECURITY.md."""

import pytest

from hookline import hooks
from hookline.core.values import replace
from hookline.runtime import setup

GUARDS = ("self-protect", "tool-policy", "run-scope", "privacy-block", "scout-block", "dangerous-command")
COMMAND = "cat notes.txt"


def fail(*_args, **_settings):
    raise ZeroDivisionError("broken guard")


@pytest.fixture
def break_hook(monkeypatch):
    """Return a function that replaces a built-in hook by one that fails."""

    def replace_judge(name):
        built_ins = [replace(hooks.load(one), kind="built-in", source="built-in") for one in hooks.names()]
        broken = tuple(replace(hook, judge=fail) if hook.name == name else hook for hook in built_ins)
        monkeypatch.setattr(setup, "_load_built_ins", lambda names: broken)

    return replace_judge


def test_the_hooks_that_block_unattended_are_the_guards():
    found = {name for name in hooks.names() if hooks.load(name).unattended.get("on_failure") == "block"}

    assert found == {*GUARDS}
    assert {name for name in hooks.names() if hooks.load(name).on_failure == "block"} == set()


@pytest.mark.parametrize("name", GUARDS)
def test_a_failed_guard_lets_the_call_pass_and_is_reported(user, break_hook, name):
    break_hook(name)
    user.write(
        "~/.config/hookline/hookline.toml", '[hooks.tool-policy]\nrules = [{action = "ask", tool = "X"}]\n'
    )
    code, reply, _ = user.hook(user.shell(COMMAND))
    (row,) = (row for row in user.log() if row["event"] == "PreToolUse")

    assert (code, "permissionDecision" in str(reply)) == (0, False)
    assert f"hook '{name}' failed: ZeroDivisionError: broken guard; it was skipped" in reply["systemMessage"]
    assert [step["said"] for step in row["trail"] if step["hook"] == name] == ["failed"]


@pytest.mark.parametrize("name", GUARDS)
def test_a_failed_guard_blocks_unattended(user, break_hook, name):
    break_hook(name)
    settings = 'profile = "unattended"\n[hooks.tool-policy]\nrules = [{action = "ask", tool = "X"}]\n'
    user.write("~/.config/hookline/hookline.toml", settings)
    _, reply, _ = user.hook(user.shell(COMMAND))

    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert f"hook '{name}' failed" in reply["hookSpecificOutput"]["permissionDecisionReason"]


@pytest.mark.parametrize("profile", ["default", "unattended"])
def test_another_failed_hook_lets_the_call_pass(user, break_hook, profile):
    break_hook("loop-breaker")
    user.write("~/.config/hookline/hookline.toml", f'profile = "{profile}"\n')
    _, reply, _ = user.hook(user.shell(COMMAND))

    assert "permissionDecision" not in str(reply)
    assert "hook 'loop-breaker' failed" in reply["systemMessage"]
