"""Test hosts as agents: command lines, instructions, and hooks that are installed only while they work."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engine.conftest import TARGET, stop_at

from hookline import hosts
from hookline.core.values import replace
from hookline.engine.agents import host_agent
from hookline.engine.agents.agent import Task
from hookline.engine.agents.host_agent import HostAgent, describe, names, permission_args
from hookline.engine.profiles import Profile, load
from hookline.engine.target import parse_target

PROFILE = Profile(name="p", folder="/p", instructions="Work alone.", env={"A": "profile", "B": "profile"})


ENV = {"HOME": "/nowhere", "PATH": "/bin", "HOOKLINE_RUN": "r:3:/j", "HOOKLINE_DAEMON": "off"}


def target(host="claude-code", more=""):
    text = TARGET.format(experiments=1).replace('command = "sh \\"$AGENT\\""', more)
    return parse_target(text.replace('host = "command"', f'host = "{host}"'), "small")


def task(one):
    return Task(
        target=one, worktree="/w", experiment=3, run="r", instructions="Do it.", budget_end=9.0, rows=(),
        state_dir="/s", env={**ENV, "CLAUDECODE": "1"},
    )  # fmt: skip


@pytest.mark.parametrize("name", names())
def test_every_host_gets_its_prompt_once_and_no_empty_place_is_left(name):
    spawn = HostAgent(hosts.load(name), PROFILE).command(task(target(name)))
    told = [*spawn.argv, spawn.stdin or ""]

    assert [text for text in told if "Do it." in text] == ["Work alone.\n\nDo it."]
    assert not [word for word in spawn.argv if "{prompt}" in word or "{model}" in word]
    assert spawn.cwd == "/w"


@pytest.mark.parametrize(
    "name", ["claude-code", "codex", "gemini-cli", "qwen-code", "copilot-cli", "opencode"]
)
def test_a_model_and_further_words_are_passed_on(name):
    one = target(name, 'model = "m-1"\nargs = ["--last"]')
    argv = HostAgent(hosts.load(name), replace(PROFILE, args=("--of-profile",))).command(task(one)).argv

    assert "--model=m-1" in argv
    assert argv[-2:] == ("--of-profile", "--last")


def test_the_environment_is_the_engines_the_profiles_and_the_targets():
    one = target(more='env = {B = "target"}')
    env = HostAgent(hosts.load("claude-code"), PROFILE).command(task(one)).env

    assert env == {**ENV, "A": "profile", "B": "target"}


@pytest.mark.parametrize("name", names())
def test_what_it_may_do_is_the_hosts_usual_or_as_the_profile_says(name):
    host = hosts.load(name)
    usual = permission_args(host, PROFILE)

    assert usual == (next(iter(host.permission_arguments.values())) if host.permission_arguments else ())
    for permission, words in host.permission_arguments.items():
        assert permission_args(host, replace(PROFILE, permission=permission)) == words


def test_a_permission_that_a_host_has_not_is_refused():
    with pytest.raises(ValueError, match="host 'opencode' has no permission 'full'; available: none"):
        permission_args(hosts.load("opencode"), replace(PROFILE, permission="full"))


def test_a_host_that_is_not_installed_is_said(tmp_path):
    with pytest.raises(ValueError, match="program 'claude' of host 'claude-code' not found: install it"):
        host_agent.choose(target(), str(tmp_path), {"PATH": "/nowhere"})


@pytest.mark.parametrize(
    ("tail", "said"),
    [
        ('{"type":"system"}\n{"type":"result","result":"Looked.\\nMade it short."}\n', "Made it short."),
        ('{"item":{"type":"x","text":"Cut the copy."}}\n{"type":"turn.completed"}\n', "Cut the copy."),
        ('{"message":{"content":[{"text":"a"},{"text":"Last word."}]}}', "Last word."),
        ('{"item":{"type":"error","message":"hooks may run"}}\n{"type":"turn.started"}\n', ""),
        ("plain words\nmore of them\n", "more of them"),
        ('{"result": "reason: no"}\n{"broken', ""),
        ("", ""),
    ],
)  # fmt: skip
def test_what_an_agent_said_last_describes_it(tail, said):
    assert describe(tail) == said


CLAUDE = """#!/bin/sh
cat > "$HOME/prompt"
env > "$HOME/env"
printf '%s\\n' "$@" > "$HOME/words"
cp .claude/settings.local.json "$HOME/settings"
git add -A; git commit -qm "mine and the wiring"
echo 9 > src/n
echo '{"type":"result","result":"Made it nine."}'
"""


@pytest.fixture
def claude(project):
    folder = project.home / "bin"
    folder.mkdir()
    (folder / "claude").write_text(CLAUDE)
    (folder / "claude").chmod(0o755)
    project.env["PATH"] = f"{folder}:{project.env['PATH']}"
    project.env["HOOKLINE_DAEMON"] = "off"
    text = TARGET.replace('host = "command"', 'host = "claude-code"').replace(
        'command = "sh \\"$AGENT\\""\n', ""
    )
    project.target(text)
    return project


def test_a_host_is_wired_while_it_works_and_nothing_of_that_is_kept(claude):
    before = claude.standing()
    claude.hookline("run", check=0)
    row = claude.rows[-1]

    assert (row.status, row.metric) == ("keep", 9.0)
    assert "hook claude-code" in (claude.home / "settings").read_text()
    log = claude.git("log", "--name-only", "--format=", f"HEAD..{claude.tip}").split()
    assert log == ["src/n"]
    assert not (claude.root / "autoresearch" / claude.run.id / "undo").exists()
    assert claude.standing() == before


def test_wiring_is_no_change_even_where_everything_may_be_changed(claude):
    path = claude.root / ".hookline" / "targets" / "small.toml"
    path.write_text(path.read_text().replace('mutable = ["src/**"]', 'mutable = ["**"]'))
    claude.hookline("run", check=0)

    assert claude.git("log", "--name-only", "--format=", f"HEAD..{claude.tip}").split() == ["src/n"]


def test_a_host_is_told_the_task_and_knows_that_it_is_the_engines(claude):
    claude.hookline("run", check=0)
    told, env = (claude.home / "prompt").read_text(), (claude.home / "env").read_text()

    assert told.startswith(load("default", "/nowhere").instructions)
    assert "A smaller number." in told
    assert f"HOOKLINE_RUN={claude.run.id}:1:" in env
    assert "AUTORESEARCH_BUDGET_END=" in env
    assert "AUTORESEARCH_JOURNAL=" in env


def test_the_settings_of_the_repository_stay_in_the_worktree_as_they_were(claude):
    place = claude.root / ".claude" / "settings.local.json"
    place.parent.mkdir()
    place.write_text(json.dumps({"hooks": {"Stop": []}, "mine": 1}))
    claude.git("add", "-f", ".claude")
    claude.git("commit", "-qm", "settings")
    claude.hookline("run", check=0)

    assert json.loads((claude.home / "settings").read_text())["mine"] == 1
    assert claude.git("diff", "--name-only", "HEAD", claude.tip) == "src/n"


ASKS = """#!/bin/sh
cat > /dev/null
ask() { printf '%s' "$1" | "$PYTHON" -m hookline hook claude-code; }
common='"session_id":"s","cwd":"'"$PWD"'","transcript_path":""'
ask '{"hook_event_name":"PreToolUse","tool_name":"WebFetch","tool_input":{"url":"http://x.invalid"},'"$common"'}' > "$HOME/fetch"
ask '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push -f"},'"$common"'}' > "$HOME/push"
ask '{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":{"stdout":""},'"$common"'}' > "$HOME/after"
ask '{"hook_event_name":"UserPromptSubmit","prompt":"go",'"$common"'}' > "$HOME/prompted"
echo 9 > src/n
"""  # noqa: E501 -- as a host sends it
HOUSE = """
from hookline import PreToolUse, State, ask, hook

@hook()
def house(event: PreToolUse, state: State):
    return ask("of the house") if event.kind == "fetch" else None
"""


@pytest.fixture
def asking(claude):
    (claude.home / "bin" / "claude").write_text(ASKS)
    claude.env["PYTHON"] = sys.executable
    return claude


@pytest.mark.slow
def test_countdown_guards_and_rows_are_on_for_the_profile_that_is_shipped(asking):
    asking.hookline("run", check=0)
    told = {name: (asking.home / name).read_text() for name in ("fetch", "push", "after", "prompted")}

    assert told["fetch"] == ""
    assert "dangerous-command:git-push-force" in told["push"]
    assert "BUDGET:" in told["after"]
    assert f"autoresearch/{asking.run.id}/results.tsv" in told["prompted"]
    assert asking.rows[-1].tool_calls == 1


@pytest.mark.slow
def test_rules_and_hooks_of_a_profile_hold_in_its_sessions(asking):
    place = asking.root / ".hookline" / "agents" / "careful"
    (place / "hooks").mkdir(parents=True)
    (place / "profile.toml").write_text(
        '[[rules]]\naction = "deny"\nkind = "fetch"\nreason = "No looking up."\n'
    )
    (asking.home / "house.py").write_text(HOUSE)
    (place / "hooks" / "house.py").symlink_to(asking.home / "house.py")
    path = asking.root / ".hookline" / "targets" / "small.toml"
    path.write_text(
        path.read_text().replace('host = "claude-code"', 'host = "claude-code"\nprofile = "careful"')
    )
    asking.hookline("run", check=0)
    told = (asking.home / "fetch").read_text()

    assert "No looking up." in told
    assert "dangerous-command:git-push-force" in (asking.home / "push").read_text()
    assert "BUDGET:" in (asking.home / "after").read_text()


def killed(project, point):
    """Run the engine in a separate process that is killed at *point*."""
    env = {**project.env, **stop_at(project.home, point)}
    argv = [sys.executable, "-m", "hookline", "run"]
    return subprocess.run(argv, cwd=project.root, env=env, capture_output=True, check=False, timeout=120)


POINTS = (
    "before-install",
    "after-install",
    "before-spawn",
    "after-agent",
    "after-remove",
    "after-commit",
    "after-row",
)


@pytest.mark.slow
@pytest.mark.parametrize("tracked", [False, True], ids=["without", "with"])
@pytest.mark.parametrize("point", POINTS)
def test_whoever_is_killed_around_the_wiring_leaves_nothing_of_it(claude, point, tracked):
    mine = json.dumps({"hooks": {"Stop": []}, "mine": 1})
    if tracked:
        place = claude.root / ".claude" / "settings.local.json"
        place.parent.mkdir()
        place.write_text(mine)
        claude.git("add", "-f", ".claude")
        claude.git("commit", "-qm", "settings")
    before = claude.standing()
    assert killed(claude, point).returncode == -9
    claude.hookline("run", "--resume", check=0)

    assert claude.statuses == ["baseline", "keep"]
    assert claude.git("log", "--name-only", "--format=", f"HEAD..{claude.tip}").split() == ["src/n"]
    assert claude.standing() == before
    inside = Path(claude.run.scratch) / "agent" / ".claude" / "settings.local.json"
    assert (inside.read_text() == mine) if tracked else not inside.exists()
    assert not (claude.root / "autoresearch" / claude.run.id / "undo").exists()
