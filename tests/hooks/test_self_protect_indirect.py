"""Test self-protect with writes and switches in scripts and settings of other programs."""

import pytest

from hookline import State
from hookline.core.state import Facts
from hookline.hooks.self_protect import self_protect
from hookline.testing import pre_tool_use

HOME = "/home/test"
ROOT = f"{HOME}/project"
FACTS = {
    "root": lambda: ROOT,
    "home": lambda: HOME,
    "guarded_paths": lambda: (f"{HOME}/.config/hookline", f"{ROOT}/.agent/settings.json"),
}
STATE = State(now=0.0, env={"PATH": "/usr/bin"}, facts=Facts(FACTS))


def said_about(event):
    response = self_protect.judge(event, STATE)
    return "pass" if response is None else f"{response.verdict} {response.rule}"


def verdict(command):
    return said_about(pre_tool_use(command, cwd=ROOT))


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("block write-project", "sed -n 'w .hookline/hookline.toml' f"),
        ("block write-project", "sed 's/a/b/w .hookline/hookline.toml' f"),
        ("block write-project", "sed -e p -e '/x/W .hookline/hookline.toml' f"),
        ("block write-project", "sed '1e echo x > .hookline/hookline.toml' f"),
        ("block write-project", "sed 's/.*/echo x > .hookline\\/hookline.toml/e' f"),
        ("pass", "sed 's/a/b/w out.txt' f"),
        ("pass", "sed 's/new .hookline/x/' f"),
        ("pass", "sed -n '/w .hookline/p' f"),
        ("block write-project", "ed -s f <<'E'\nw .hookline/hookline.toml\nE"),
        ("ask write-project", "ed -s .hookline/hookline.toml <<'E'\n1d\nw\nE"),
        ("block write-project", "ed -s f <<'E'\n!echo x > .hookline/hookline.toml\nE"),
        ("pass", "ed -s f <<'E'\na\nw .hookline/hookline.toml\n.\nw\nE"),
        ("pass", "ed -s f <<'E'\n1d\nw out.txt\nE"),
        ("block write-project", "vim -c 'w .hookline/hookline.toml' f"),
        ("block write-project", "ex -s f <<'E'\nw! .hookline/hookline.toml\nE"),
        ("block write-project", "vim -c '!echo x > .hookline/hookline.toml' f"),
        ("pass", "vim -c 'w out.txt' f"),
        ("block write-project", "iconv -o $(echo .hookline/hookline.toml) f"),
        ("pass", "iconv -f utf8 -o $(mktemp) f"),
        ("block write-project", 'awk \'BEGIN { print "x" > ".hookline/hookline.toml" }\''),
        ("pass", 'awk \'BEGIN { print "x" > "out.txt" }\''),
    ],
)
def test_what_editors_and_filters_write(said, command):
    assert verdict(command) == said


def test_backslashes_that_sed_takes_away_before_the_shell_reads():
    """Check nested quotes: after sed removes a level, the shell expands the command inside awk's program."""
    awk = "awk '\\''BEGIN { print \"x\" > \"$(printf %s .hookline/hookline.toml)\" }'\\''"
    line = f"eval '{awk}'"
    quoted = "'" + line.replace("'", "'\\''") + "'"

    assert verdict(f"sed -n '1e '{quoted} notes.txt") == "block write-project"
    assert verdict("sed -n '1e '\"eval 'date'\" notes.txt") == "pass"


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("block command", "npx -c 'hookline trust'"),
        ("block command", "conda run -n env hookline off 10m"),
        ("block command", "direnv exec . hookline trust"),
        ("block command", "git -c core.fsmonitor='hookline trust' status"),
        ("block command", "GIT_EDITOR='hookline trust' git commit"),
        ("block command", "printf 'x:\\n\\thookline trust\\n' > Makefile; make x"),
        ("block command", 'echo \'{"scripts":{"x":"hookline trust"}}\' > package.json; npm run x'),
        ("block command", "echo 'hookline trust' > x.sh; find . -name x.sh -exec sh {} \\;"),
        ("block command", 'a[1]=trust; a[0]=hookline; "${a[@]}"'),
        ("pass", "npx -c 'hookline list'"),
        ("pass", "conda run -n env hookline log"),
        ("pass", "git -c core.fsmonitor=true status"),
        ("pass", "printf 'x:\\n\\thookline list\\n' > Makefile; make x"),
        ("pass", 'a[1]=list; a[0]=hookline; "${a[@]}"'),
    ],
)
def test_commands_for_people_by_way_of_others(said, command):
    assert verdict(command) == said


@pytest.mark.parametrize(
    ("said", "path", "text"),
    [
        ("pass", ".env", "HOME=/app\n"),
        ("pass", "deploy/.env", "XDG_CONFIG_HOME=/srv/config\n"),
        ("block switch", ".env", "AR_DISABLE_DANGEROUS_COMMAND=1\n"),
        ("block switch", ".env", "HOME=/app\nAUTORESEARCH_BUDGET_END=9\n"),
        ("block switch", ".envrc", "export HOME=/app\n"),
        ("block switch", f"{HOME}/.bashrc", "export HOME=/app\n"),
        ("block switch", f"{HOME}/.profile", "XDG_STATE_HOME=/app\n"),
        ("pass", f"{HOME}/.profile", 'XDG_CONFIG_HOME="$HOME/.config"\n'),
    ],
)
def test_where_a_home_may_be_said_to_be(said, path, text):
    """Check that HOME may be set for an application (`.env`), but not for the shell of the agent."""
    places = {"path": "path", "content": "content"}
    given = {"path": path, "content": text}

    assert (
        said_about(pre_tool_use(cwd=ROOT, kind="write", tool="Write", input=given, input_keys=places)) == said
    )
    if "\n" not in text.strip():
        assert verdict(f"cat >> {path} <<'E'\n{text}E") == said


@pytest.mark.parametrize(
    "command", ["find . -type f -print0 | xargs -0 sed -i s/a/b/", "rm -r .", "chmod -R 0 ."]
)
@pytest.mark.parametrize(
    ("folder", "stopped"),
    [(f"{HOME}/.config", True), (f"{HOME}/.agent", True), (f"{HOME}/work", False), (ROOT, False)],
)
def test_an_agent_that_went_to_the_users_own_files_has_no_project_there(command, folder, stopped):
    """Check that a folder without a repository, its own root, does not make its files the project's."""
    guarded = (f"{HOME}/.config/hookline", f"{HOME}/.agent/settings.json", f"{ROOT}/.agent/settings.json")
    facts = {"root": lambda: folder, "home": lambda: HOME, "guarded_paths": lambda: guarded}
    state = State(now=0.0, env={"PATH": "/usr/bin"}, facts=Facts(facts))
    response = self_protect.judge(pre_tool_use(command, cwd=folder), state)

    assert (response is not None) is stopped


@pytest.mark.parametrize(
    "command",
    [
        f"echo x >> {ROOT}/.agent/settings.json",
        f"ln -sfn {ROOT}/.agent ~/lnk; echo x >> ~/lnk/settings.json",
        f"cd {ROOT}/.agent && for f in *; do : > $f; done",
        f"( D={ROOT}; cd $D/.agent && for f in *; do : > $f; done )",
    ],
)
@pytest.mark.parametrize("folder", ["/", HOME, f"{HOME}/.config/hookline", "/elsewhere"])
def test_a_project_stays_guarded_from_wherever_the_agent_went(command, folder):
    """Check that a project's settings are recognised by the end of their path, whatever the root is."""
    guarded = (f"{HOME}/.config/hookline", f"{HOME}/.agent/settings.json", f"{folder}/.agent/settings.json")
    facts = {"root": lambda: folder, "home": lambda: HOME, "guarded_paths": lambda: guarded}
    state = State(now=0.0, env={"PATH": "/usr/bin"}, facts=Facts(facts))

    assert self_protect.judge(pre_tool_use(command, cwd=folder), state) is not None
