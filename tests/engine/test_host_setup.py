"""Test that hooks are installed in a worktree and removed completely, even after a process was killed."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookline import hosts
from hookline.core.install_table import SettingsFile
from hookline.engine.host_setup import (
    install,
    installed_files,
    installing_arguments,
    restore_files,
    with_user_file,
)

NAMES = [
    name
    for name in hosts.names()
    if (wiring := hosts.load(name).install) is not None
    and wiring.layout.project
    and not wiring.make_arguments
    and hosts.load(name).headless
]
SETTINGS = """{
  // mine
  "permissions": {"allow": ["Bash(ls)"],   "deny": []},
  "hooks": {
    "PreToolUse": [ {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo 'mine'"}]} ]
  },
  "unknown": [1, 2,  3]
}
"""
PLAIN = SETTINGS.replace("  // mine\n", "")


@pytest.fixture
def env(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    return {"PATH": os.environ["PATH"], "HOME": str(home), "HOOKLINE_DAEMON": "off"}


@pytest.fixture
def worktree(tmp_path):
    place = tmp_path / "work tree"
    place.mkdir()
    (place / ".git").write_text("gitdir: elsewhere\n")
    return place


def snapshot(place):
    return {str(p.relative_to(place)): p.read_bytes() for p in sorted(place.rglob("*")) if p.is_file()}


def settings_file(name, worktree):
    way = with_user_file(hosts.load(name)).install.layout
    return worktree / way.project if isinstance(way, SettingsFile) else None


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_left_of_a_wiring(name, worktree, tmp_path, env):
    undo = tmp_path / "undo"
    before = snapshot(worktree)

    assert install(name, str(worktree), str(undo), env) == ()
    during = snapshot(worktree)
    assert any(b"hookline" in data for data in during.values())
    assert installed_files(str(undo))

    assert restore_files(str(undo)) == ()
    assert snapshot(worktree) == before
    assert sorted(worktree.iterdir()) == [worktree / ".git"]
    assert not undo.exists()
    assert restore_files(str(undo)) == ()


@pytest.mark.parametrize("name", NAMES)
def test_the_users_settings_stay_to_the_byte(name, worktree, tmp_path, env):
    place = settings_file(name, worktree)
    if place is None:
        pytest.skip("the host has no shared settings file")
    way = with_user_file(hosts.load(name)).install.layout
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(SETTINGS if way.comments else PLAIN)
    before = snapshot(worktree)

    install(name, str(worktree), str(tmp_path / "undo"), env)
    assert "mine" in place.read_text()
    assert place.read_text() != before[str(place.relative_to(worktree))].decode()
    restore_files(str(tmp_path / "undo"))

    assert snapshot(worktree) == before


def test_claude_code_is_wired_beside_what_others_share(worktree, tmp_path, env):
    install("claude-code", str(worktree), str(tmp_path / "undo"), env)

    assert [path.name for path in (worktree / ".claude").iterdir()] == ["settings.local.json"]
    table = json.loads((worktree / ".claude" / "settings.local.json").read_text())["hooks"]
    assert {"PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"} <= set(table)


def test_what_an_agent_adds_meanwhile_stays_and_only_ours_goes(worktree, tmp_path, env):
    install("claude-code", str(worktree), str(tmp_path / "undo"), env)
    place = worktree / ".claude" / "settings.local.json"
    place.write_text(place.read_text().replace("{", '{"model": "x",', 1))

    assert restore_files(str(tmp_path / "undo")) == ()

    assert json.loads(place.read_text()) == {"model": "x"}


def test_a_worktree_that_is_gone_needs_no_more(worktree, tmp_path, env):
    install("claude-code", str(worktree), str(tmp_path / "undo"), env)
    for path in sorted(worktree.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    worktree.rmdir()

    assert restore_files(str(tmp_path / "undo")) == ()


def test_settings_that_cannot_be_read_are_left_and_said(worktree, tmp_path, env):
    place = worktree / ".claude" / "settings.local.json"
    place.parent.mkdir()
    place.write_text("{ nonsense")

    (problem,) = install("claude-code", str(worktree), str(tmp_path / "undo"), env)

    assert "settings.local.json" in problem
    assert place.read_text() == "{ nonsense"


@pytest.mark.parametrize("name", ["tuner", "command"])
def test_what_is_no_host_is_not_wired(name, worktree, tmp_path, env):
    assert install(name, str(worktree), str(tmp_path / "undo"), env) == ()
    assert not (tmp_path / "undo").exists()


def test_codex_is_wired_by_its_words_because_it_reads_no_hooks_in_a_worktree(worktree, tmp_path, env):
    assert install("codex", str(worktree), str(tmp_path / "undo"), env) == ()
    assert not (tmp_path / "undo").exists()
    told = [
        word.removeprefix("--config=")
        for word in installing_arguments(hosts.load("codex"), str(worktree), env)
    ]
    read = tomllib.loads("\n".join(told))["hooks"]

    assert set(read) == set(hosts.load("codex").moments)
    (entry,) = read["PreToolUse"]
    assert entry["hooks"][0]["command"].endswith(" hook codex")
    assert installing_arguments(hosts.load("claude-code"), str(worktree), env) == ()


CHILD = """
import os, sys
left = int(sys.argv[1])
def count(event, args):
    global left
    if event in ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "tempfile.mkstemp"):
        left -= 1
        if left < 0:
            os._exit(9)
from hookline.engine.host_setup import install, restore_files
sys.addaudithook(count)
env = {"PATH": os.environ["PATH"], "HOME": sys.argv[5], "HOOKLINE_DAEMON": "off"}
if sys.argv[2] == "restore":
    restore_files(sys.argv[4])
else:
    install("claude-code", sys.argv[3], sys.argv[4], env)
"""


@pytest.mark.parametrize("step", ["install", "restore"])
@pytest.mark.parametrize("settings", [None, PLAIN], ids=["without", "with"])
def test_whoever_is_killed_at_any_moment_leaves_what_can_be_put_back(step, settings, worktree, tmp_path, env):
    undo, place = tmp_path / "undo", worktree / ".claude" / "settings.local.json"
    if settings:
        place.parent.mkdir()
        place.write_text(settings)
    before = snapshot(worktree)
    for moment in range(100):
        if step == "restore":
            install("claude-code", str(worktree), str(undo), env)
        ran = subprocess.run(
            [sys.executable, "-c", CHILD, str(moment), step, worktree, undo, env["HOME"]],
            check=False,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        assert restore_files(str(undo)) == ()
        assert snapshot(worktree) == before
        if ran.returncode == 0:
            break
    assert moment > 2
    assert ran.returncode == 0


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.text(max_size=8).filter(lambda key: key != "hooks"),
        st.recursive(st.none() | st.integers() | st.text(max_size=8), lambda x: st.lists(x, max_size=3)),
        max_size=4,
    ),
    st.sampled_from([None, 2, 4, "\t"]),
    st.booleans(),
)
def test_any_settings_come_back_to_the_byte(tmp_path_factory, env, told, indent, hooked):
    worktree = tmp_path_factory.mktemp("tree")
    place = worktree / ".claude" / "settings.local.json"
    place.parent.mkdir()
    mine = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}} if hooked else {}
    place.write_text(json.dumps({**told, **mine}, indent=indent))
    before = place.read_bytes()

    install("claude-code", str(worktree), str(worktree / "undo"), env)
    assert place.read_bytes() != before
    restore_files(str(worktree / "undo"))

    assert place.read_bytes() == before


def test_links_out_of_the_worktree_are_not_followed(worktree, tmp_path, env):
    outside = tmp_path / "outside"
    outside.mkdir()
    (worktree / ".claude").symlink_to(outside)

    assert install("claude-code", str(worktree), str(tmp_path / "undo"), env)
    assert list(Path(outside).iterdir()) == []
