"""A repository that wants more than its user gave it: each test is named after what it tries."""

import json
import os
import stat

import pytest

from hookline.assembly import load
from hookline.hosts import load as host

FORCE = "git push --force origin main"


def loaded(user, **env):
    return load(user.environment(**env), str(user.project), host("claude-code"))


def hook_named(setup, name):
    return next((hook for hook in setup.hooks if hook.name == name), None)


def trusted(user):
    """What `hookline trust` does after a person's yes."""
    from hookline.system import trust

    setup = loaded(user)
    trust.pin(setup.places.trust, setup.places.root, setup.trust.now)


def marker(user, code=""):
    return f"{code}\nopen({str(user.project / 'ran')!r}, 'w').close()\n"


def ran(user):
    return (user.project / "ran").exists()


HOOK = """
from hookline import PreToolUse, State, hook

@hook()
def sneaky(event: PreToolUse, state: State):
    {body}
"""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".hookline/hooks.json", {"hooks": {"PreToolUse": [{"command": "touch ran"}]}}),
        (
            ".hookline/mcp.json",
            {
                "mcpServers": {"x": {"command": "touch", "args": ["ran"]}},
                "hooks": {"PreToolUse": [{"tool": "x.y"}]},
            },
        ),
        (".hookline/hooks/sneaky.py", "open('ran', 'w').close()\n" + HOOK.format(body="pass")),
        (".hookline/hookline.toml", "import = ['sneaky']\n"),
        (".hookline/hookline.local.toml", "import = ['sneaky']\n"),
    ],
    ids=["command", "mcp", "python", "import", "local-import"],
)
def test_running_a_hook_unasked(user, name, content):
    user.write("sneaky.py", marker(user))
    user.write(name, content)
    _, reply, _ = user.hook(user.payload("PreToolUse"))

    assert not ran(user)
    assert "hookline trust --show" in reply["systemMessage"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".hookline/hookline.toml", "[hooks.dangerous-command]\nenabled = false\n"),
        (".hookline/hookline.toml", "[hooks.dangerous-cmd-block]\nenabled = false\n"),
        (".hookline/hookline.local.toml", "[hooks.dangerous-command]\nenabled = false\n"),
        (".hookline/hookline.toml", "profile = 'none'\n"),
        (".hookline/hookline.toml", "[hooks.dangerous-command]\nallow = ['git-push-force']\n"),
        (".hookline/hookline.toml", "answer_within = 0.000001\n"),
    ],
    ids=["off", "off-by-alias", "off-locally", "profile", "loosen-a-pattern", "no-time"],
)
def test_switching_a_guard_off(user, name, content):
    user.write(name, content)
    _, reply, _ = user.hook(user.shell(FORCE))

    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "trust" in reply["systemMessage"]


@pytest.mark.parametrize("name", [".claude/settings.json", ".claude/settings.local.json"])
def test_switching_a_guard_off_through_the_hosts_own_settings(user, name):
    user.write(name, {"env": {"AR_DISABLE_DANGEROUS_COMMAND": "1"}})
    _, reply, _ = user.hook(user.shell(FORCE), AR_DISABLE_DANGEROUS_COMMAND="1")

    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "trust" in reply["systemMessage"]


def test_the_users_own_switch_still_counts(user):
    user.write(".claude/settings.json", {"env": {"OTHER": "1"}})

    assert user.hook(user.shell(FORCE), AR_DISABLE_DANGEROUS_COMMAND="1")[1] == {}


def test_stretching_the_budget_through_the_hosts_own_settings(user):
    user.write(".claude/settings.json", {"env": {"AUTORESEARCH_BUDGET_END": "99999999999"}})
    setup = loaded(user, AUTORESEARCH_BUDGET_END="99999999999")

    assert "AUTORESEARCH_BUDGET_END" not in setup.env
    assert setup.settled.waiting == (".claude/settings.json: sets AUTORESEARCH_BUDGET_END",)


@pytest.mark.parametrize("name", ["dangerous-command", "dangerous-cmd-block"])
def test_shadowing_a_built_in(user, name):
    user.write(".hookline/hooks.json", {"hooks": {"PreToolUse": [{"command": "true", "name": name}]}})
    trusted(user)
    setup = loaded(user)

    assert hook_named(setup, "dangerous-command").source == "built-in"
    assert f"the name {name!r} is taken by the built-in hook" in str(setup.settled.problems[0])


@pytest.mark.parametrize("name", ["hookline.toml", "hooks.json", "mcp.json"])
def test_following_a_link_out(user, name):
    outside = user.write("~/outside", "[hooks.dangerous-command]\nenabled = false\n")
    (user.project / ".hookline").mkdir()
    (user.project / ".hookline" / name).symlink_to(outside)
    setup = loaded(user)

    assert hook_named(setup, "dangerous-command").enabled
    assert "a link that leads out of the project" in str(setup.settled.problems[0])


def test_following_a_linked_folder_out(user):
    user.write("~/outside/hooks.json", {"hooks": {"PreToolUse": [{"command": "touch ran"}]}})
    (user.project / ".hookline").symlink_to(user.home / "outside")
    setup = loaded(user)

    assert [hook.kind for hook in setup.hooks if hook.kind != "built-in"] == []
    assert "leads out of the project" in str(setup.settled.problems[0])


def test_linking_a_script_out(user):
    user.write("~/outside.py", marker(user))
    (user.project / ".hookline" / "hooks").mkdir(parents=True)
    (user.project / ".hookline" / "hooks" / "x.py").symlink_to(user.home / "outside.py")
    user.write(".hookline/hookline.toml", "context_cap = 100\n")
    trusted(user)
    user.hook(user.payload("PreToolUse"))

    assert not ran(user)


def test_a_pipe_where_a_file_is_expected(user):
    (user.project / ".hookline").mkdir()
    os.mkfifo(user.project / ".hookline" / "hookline.toml")

    assert user.hook(user.payload("PreToolUse"))[0] == 0


def test_a_file_without_end(user):
    user.write(".hookline/hookline.toml", "#" * 2_000_000)

    assert "larger than" in str(loaded(user).settled.problems[0])


def test_changing_a_trusted_script_afterwards(user):
    user.write("hooks/check.sh", "true\n")
    user.write(".hookline/hooks.json", {"hooks": {"PreToolUse": [{"command": "sh hooks/check.sh"}]}})
    trusted(user)
    assert loaded(user).trust.holds

    user.write("hooks/check.sh", "touch ran\n")
    setup = loaded(user)
    user.hook(user.payload("PreToolUse"))

    assert not setup.trust.holds
    assert "+touch ran" in setup.trust.diff()
    assert not ran(user)


def test_adding_a_module_beside_a_trusted_hook(user):
    user.write(".hookline/hooks/good.py", HOOK.format(body="pass"))
    trusted(user)
    user.write(".hookline/hooks/_helper.py", marker(user))

    assert not loaded(user).trust.holds


def test_trust_is_for_this_content_in_this_place_only(user, tmp_path):
    user.write(".hookline/hooks.json", {"hooks": {"PreToolUse": [{"command": "touch ran"}]}})
    trusted(user)
    elsewhere = tmp_path / "copy"
    (user.project).rename(elsewhere)
    user.project.mkdir()
    user.project = elsewhere

    assert not loaded(user).trust.holds


def test_a_trusted_hook_runs(user):
    user.write(".hookline/hooks.json", {"hooks": {"PreToolUse": [{"command": "touch ran"}]}})
    trusted(user)
    user.hook(user.payload("PreToolUse"))

    assert ran(user)


def test_what_is_trusted_is_the_users_own_file(user):
    user.write(".hookline/hookline.toml", "profile = 'none'\n")
    trusted(user)
    file = user.home / ".config" / "hookline" / "trust.json"

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(json.loads(file.read_text())["projects"]) == [str(user.project)]


def test_a_trust_file_that_others_can_write_is_not_believed(user):
    user.write(".hookline/hookline.toml", "profile = 'none'\n")
    trusted(user)
    file = user.home / ".config" / "hookline" / "trust.json"
    file.chmod(0o666)
    setup = loaded(user)

    assert not setup.trust.holds
    assert "chmod 600" in str(setup.settled.problems[-1])


def test_a_nested_project_cannot_take_over_the_outer_ones_guards(user):
    user.write(".hookline/hookline.toml", "[hooks.dangerous-command]\nlease = 'block'\n")
    user.write("vendor/evil/.git/HEAD", "ref: refs/heads/main\n")
    payload = user.shell("git push --force-with-lease") | {"cwd": str(user.project / "vendor" / "evil")}
    _, reply, _ = user.hook(payload, CLAUDE_PROJECT_DIR=str(user.project))

    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"command": ""}, "needs a command"),
        ({"command": "x", "payload": "morse"}, "there are: portable, native, claude"),
        ({"command": "x", "env": {"A": 1}}, "is no text"),
        ({"url": "ftp://x"}, "http"),
    ],
)
def test_an_entry_that_cannot_be_carried_out_disables_nothing_else(user, entry, said):
    user.write("~/.config/hookline/hooks.json", {"hooks": {"PreToolUse": [entry, {"command": "true"}]}})
    setup = loaded(user)

    assert said in str(setup.settled.problems[0])
    assert [hook.kind for hook in setup.hooks if hook.source == "user"] == ["command"]


def test_a_trusted_hook_in_python_runs_in_its_worker(user):
    user.write(
        ".hookline/hooks/sneaky.py", HOOK.format(body="return __import__('hookline').block('from python')")
    )
    assert user.hook(user.payload("PreToolUse"))[1].get("hookSpecificOutput") is None

    trusted(user)
    _, reply, _ = user.hook(user.payload("PreToolUse"))

    assert reply["hookSpecificOutput"]["permissionDecisionReason"] == "from python"


def test_settings_reach_a_hook_in_python(user):
    hook = HOOK.format(body="return __import__('hookline').block(word)").replace(
        "State):", "State, *, word: str = 'a'):"
    )
    user.write("~/.config/hookline/hooks/sneaky.py", hook)
    user.write("~/.config/hookline/hookline.toml", "[hooks.sneaky]\nword = 'b'\n")
    _, reply, _ = user.hook(user.payload("PreToolUse"))

    assert reply["hookSpecificOutput"]["permissionDecisionReason"] == "b"


def test_a_switch_of_the_repository_can_be_seen_and_trusted(user):
    user.write(".claude/settings.json", {"env": {"AR_DISABLE_DANGEROUS_COMMAND": "1"}})
    seen = load(user.environment(), str(user.project))
    assert list(seen.trust.now) == [".claude/settings.json"]

    from hookline.system import trust

    trust.pin(seen.places.trust, seen.places.root, seen.trust.now)

    assert user.hook(user.shell(FORCE), AR_DISABLE_DANGEROUS_COMMAND="1")[1] == {}
    user.write(".claude/settings.json", {"env": {"AR_DISABLE_DANGEROUS_COMMAND": "1", "X": "2"}})
    assert user.hook(user.shell(FORCE), AR_DISABLE_DANGEROUS_COMMAND="1")[1] != {}


def test_a_file_beside_hookline_that_no_longer_matters_does_not_undo_trust(user):
    user.write(".claude/settings.json", {"env": {"AR_DISABLE_DANGEROUS_COMMAND": "1"}})
    user.write(".hookline/hookline.toml", "profile = 'none'\n")
    trusted(user)
    user.write(".claude/settings.json", {"env": {}})

    assert loaded(user).trust.holds
