"""Test that no host works as an agent without guards: hooks are installed, or the run does not start."""

import os
import sys
from itertools import product

import pytest
from tests.engine.conftest import TARGET

CLAUDE = """#!/bin/sh
cat > /dev/null
seen=bare; if grep -q "hook claude-code" .claude/settings.local.json; then seen=wired; fi
echo $seen >> "$HOME/seen"
echo $(( $(cat src/n) - 1 )) > src/n
"""
COMMENTED = '{\n  // mine\n  "model": "opus"\n}\n'
TRUE = '{"model":   "opus"}\n'


@pytest.fixture
def claude(project):
    folder = project.home / "bin"
    folder.mkdir()
    project.env |= {"PATH": f"{folder}:{project.env['PATH']}", "HOOKLINE_DAEMON": "off"}
    text = TARGET.replace('\ncommand = "sh \\"$AGENT\\""', "").replace('"command"', '"claude-code"')
    project.target(text.replace('"src/**"', '"**"'), experiments=2)
    agent(project)
    return project


def agent(project, *lines):
    path = project.home / "bin" / "claude"
    path.write_text(CLAUDE + "\n".join(lines) + "\n")
    path.chmod(0o755)


def committed(project, text):
    place = project.root / ".claude" / "settings.local.json"
    place.parent.mkdir()
    place.write_text(text)
    project.git("add", "-f", ".claude")
    project.git("commit", "-qm", "settings", "--only", ".claude")
    return place


def seen(project):
    return (project.home / "seen").read_text().split()


def test_settings_that_the_host_does_not_read_are_refused_before_anything_begins(claude):
    """Claude Code ignores a settings file with a comment, including the hooks in it."""
    place = committed(claude, COMMENTED)
    before = claude.standing()
    done = claude.hookline("run", check=1)

    assert "claude-code would work without guards: " in done.stderr
    assert "settings.local.json: line 2" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (claude.home / "seen").exists()
    assert "no runs; " in claude.hookline("runs", check=0).stdout
    assert "hookline" not in claude.git("for-each-ref")
    assert place.read_text() == COMMENTED
    assert claude.standing() == before


def test_a_link_through_which_hooks_would_get_into_commits_is_refused(claude):
    (claude.root / ".claude").symlink_to("src")
    claude.git("add", "-f", ".claude")
    claude.git("commit", "-qm", "settings", "--only", ".claude")
    done = claude.hookline("run", check=1)

    assert ".claude/settings.local.json is a symlink, or below one" in done.stderr


HARM = {
    "nonsense": "echo '{ nonsense' > .claude/settings.local.json",
    "a comment": f"printf '%s' '{COMMENTED}' > .claude/settings.local.json",
    "a link inside": "rm -rf .claude; ln -s src .claude; git add -A; git commit -qm linked",
    "a link to elsewhere": 'rm -rf .claude; ln -s "$HOME" .claude',
    "a file": "rm -rf .claude; echo x > .claude",
    "a folder": "cd .claude; rm settings.local.json; mkdir settings.local.json; touch settings.local.json/x",
}
CASES = [(harm, *flags) for harm in HARM for flags in product((True, False), (True, False))]
SOME = [CASES[number] for number in (0, 7, 10, 15, 23)]


@pytest.mark.slow
@pytest.mark.parametrize(("harm", "tracked", "ignored"), CASES if os.environ.get("HOOKLINE_LONG") else SOME)
def test_what_an_agent_leaves_where_it_is_wired_does_not_unwire_the_next(claude, harm, tracked, ignored):
    if tracked:
        committed(claude, TRUE)
    if ignored:
        (claude.root / ".git" / "info" / "exclude").write_text(".claude\nautoresearch\n")
    agent(claude, HARM[harm])
    before = claude.standing()
    claude.hookline("run", check=0)

    assert seen(claude) == ["wired", "wired"]
    assert claude.statuses == ["baseline", "keep", "keep"]
    assert claude.git("diff", "--name-only", "main", claude.tip) == "src/n"
    assert claude.standing() == before


SENT = '{"hook_event_name":"SessionStart","session_id":"s","transcript_path":"","cwd":"%s"}'
HEARD = f"""printf '{SENT}' "$PWD" | "$PYTHON" -m hookline hook claude-code > /dev/null"""


@pytest.mark.parametrize("line", ["", HEARD], ids=["none", "one"])
def test_a_host_that_calls_no_hook_is_told_of(claude, line):
    """A switch or a policy of the host can disable all hooks in its settings."""
    claude.env["PYTHON"] = sys.executable
    agent(claude, line)
    done = claude.hookline("run", "--experiments", "1", check=0)

    assert claude.statuses == ["baseline", "keep"]
    assert ("no hook was called in experiment 1: claude-code may have worked" in done.stdout) is (line == "")


def test_an_agent_is_wired_when_it_mends_its_work(claude):
    committed(claude, TRUE)
    path = claude.root / ".hookline/targets/small.toml"
    path.write_text(path.read_text() + '[guard]\ncommand = "test ! -e src/bad"\n')
    agent(
        claude,
        "echo '{ nonsense' > .claude/settings.local.json",
        "if test -e src/bad; then rm src/bad; else touch src/bad; fi",
    )
    claude.hookline("run", check=0)

    assert seen(claude) == ["wired"] * 4
    assert claude.statuses == ["baseline", "keep_reworked", "keep_reworked"]
    assert claude.git("show", f"{claude.tip}:.claude/settings.local.json") + "\n" == TRUE
