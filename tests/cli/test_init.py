"""Test `hookline init`: it changes only its own entries, reports skipped files, and survives bad ones."""

import json
import os
import subprocess
import time

import pytest
from tests.conftest import HOOKLINE, WIRED_PROGRAM

from hookline import hosts

MOMENTS = len(hosts.load("claude-code").moments)


def said(ran):
    return ran.stdout.decode() + ran.stderr.decode()


def test_a_file_of_the_users_own_that_names_us_is_left_with_a_word_on_what_to_do(user):
    path = user.write(".cline/hooks/PreToolUse", "./lint.sh && hookline hook cline\n")
    ran = user.run("init", "--yes", "--host", "cline")

    assert ran.returncode == 1
    assert path.read_text() == "./lint.sh && hookline hook cline\n"
    assert "PreToolUse exists and was not written by hookline; it was not changed: move it away" in said(ran)
    assert (user.project / ".cline/hooks/PostToolUse").exists()


@pytest.mark.slow
@pytest.mark.parametrize("host", ["cline", "copilot-cli", "kiro", "opencode"])
def test_a_file_that_we_wrote_with_another_program_is_written_anew(user, host):
    user.run("init", "--yes", "--host", host)
    files = [path for path in user.project.rglob("*") if path.is_file() and ".git" not in path.parts]
    for path in files:
        path.write_text(WIRED_PROGRAM.sub("/old/bin/hookline", path.read_text()))
    for note in (user.home / ".local/state/hookline/wired").iterdir():
        note.unlink()
    ran = user.run("init", "--yes", "--host", host)

    assert ran.returncode == 0, said(ran)
    assert not [path for path in files if "/old/bin" in path.read_text()]


def test_a_number_that_cannot_be_read_is_one_files_trouble(user):
    user.write(".claude/settings.json", '{"n": ' + "1" * 5000 + "}")
    ran = user.run("init", "--yes", "--host", "claude-code", "--host", "gemini-cli")

    assert ran.returncode == 1
    assert "settings.json: line 1, column 7: a number exceeds 4,000 digits" in said(ran)
    assert "gemini-cli: hooks installed" in said(ran)
    assert "hookline-client hook gemini-cli" in (user.project / ".gemini/settings.json").read_text()


def test_print_shows_every_file(user):
    shown = user.run("init", "--print", "--user", "--host", "reasonix").stdout.decode()

    assert shown.count("reasonix, in ") == 3
    assert "plugin-packages.json" in shown


def test_print_says_where_there_is_nothing_to_print(user):
    ran = user.run("init", "--print", "--host", "reasonix")

    assert (ran.returncode, ran.stdout) == (1, b"reasonix can be installed only with --user\n")


def test_a_link_that_leads_out_of_the_project_is_not_followed(user, tmp_path):
    outside = tmp_path / "outside.json"
    outside.write_text("{}")
    (user.project / ".claude").mkdir()
    (user.project / ".claude/settings.json").symlink_to(outside)
    ran = user.run("init", "--yes", "--host", "claude-code")

    assert ran.returncode == 1
    assert "is a link out of the project" in said(ran)
    assert outside.read_text() == "{}"


def test_a_folder_that_leads_out_of_the_project_is_not_followed(user, tmp_path):
    (tmp_path / "outside").mkdir()
    (user.project / ".cline").symlink_to(tmp_path / "outside")
    ran = user.run("init", "--yes", "--host", "cline")

    assert ran.returncode == 1
    assert list((tmp_path / "outside").rglob("*")) == []


def test_the_users_own_links_are_followed_as_those_who_keep_dotfiles_need_it(user, tmp_path):
    kept = tmp_path / "dotfiles.json"
    kept.write_text("{}")
    (user.home / ".claude").mkdir()
    (user.home / ".claude/settings.json").symlink_to(kept)
    ran = user.run("init", "--yes", "--user", "--host", "claude-code")

    assert ran.returncode == 0, said(ran)
    assert kept.read_text().count("hook claude-code") == MOMENTS
    assert (user.home / ".claude/settings.json").is_symlink()


def test_what_calls_us_in_a_way_of_its_own_is_said_and_gets_no_second(user):
    theirs = {"hooks": [{"type": "command", "command": "tee log | hookline hook codex"}]}
    path = user.write(".codex/hooks.json", {"hooks": {"Stop": [theirs]}})
    ran = user.run("init", "--yes", "--host", "codex")

    assert "an entry of yours already calls hookline at Stop; no second one was added" in said(ran)
    assert json.loads(path.read_text())["hooks"]["Stop"] == [theirs]


@pytest.mark.slow
def test_twelve_at_once_leave_one_registration(user):
    words = [str(HOOKLINE), "init", "--yes", "--host", "claude-code"]
    quiet = {"cwd": user.project, "env": user.environment(), "stdin": subprocess.DEVNULL}
    ran = [
        subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **quiet) for _ in range(12)
    ]
    errors = [one.communicate(timeout=120)[1] for one in ran]
    text = (user.project / ".claude/settings.json").read_text()

    assert [one.returncode for one in ran] == [0] * 12, errors
    assert text.count("hookline-client hook claude-code") == MOMENTS
    assert len(list((user.home / ".local/state/hookline/wired").glob("*.json"))) == 1


@pytest.mark.slow
def test_huge_settings_take_seconds(user):
    path = user.write(
        ".claude/settings.json", json.dumps({"env": {f"K{n}": "x" * 20 for n in range(230_000)}}, indent=1)
    )
    begun = time.monotonic()
    ran = user.run("init", "--yes", "--host", "claude-code")
    took = time.monotonic() - begun

    assert ran.returncode == 0, said(ran)
    assert path.stat().st_size > 7_000_000
    assert len(ran.stdout) < 20_000
    assert took < 20


def test_what_somebody_left_who_was_ended_is_taken_away(user):
    path = user.write(".claude/settings.json", "{}")
    child = subprocess.Popen(["true"])
    child.wait()
    left = user.write(f".claude/.settings.json.{child.pid}-abcd1234.hookline", "half")
    old = user.write(".claude/.settings.json.abcd1234.hookline", "half")
    os.utime(old, (0, 0))
    new = user.write(f".claude/.settings.json.{os.getpid()}-abcd1234.hookline", "of one who lives")
    other = user.write(".claude/.other.json.1-abcd1234.hookline", "of another")
    user.run("init", "--yes", "--host", "claude-code")

    assert [one.exists() for one in (path, left, old, new, other)] == [True, False, False, True, True]


def test_local_installs_into_a_persons_own_file(alone):
    ran = alone.run("init", "--host", "claude-code", "--local", "--yes")
    written = alone.project / ".claude" / "settings.local.json"
    checked = alone.run("doctor", "--host", "claude-code")

    assert ran.returncode == 0, ran.stderr
    assert b"keep it out of git" in ran.stdout
    assert "command -v" not in written.read_text()
    assert not (alone.project / ".claude" / "settings.json").exists()
    assert b"claude-code: installed (local)" in checked.stdout
    assert alone.run("init", "--host", "claude-code", "--local", "--dry-run").returncode == 0


def test_uninstall_restores_the_local_file(alone, at_terminal):
    file = alone.write(".claude/settings.local.json", '{"model": "x"}\n')
    alone.run("init", "--host", "claude-code", "--local", "--yes")
    code, seen = at_terminal("uninstall", "--yes")

    assert code == 0, seen
    assert file.read_text() == '{"model": "x"}\n'


@pytest.mark.parametrize("name", ["codex", "gemini-cli", "opencode"])
def test_a_host_without_a_local_file_is_refused(alone, name):
    ran = alone.run("init", "--host", name, "--local", "--yes")

    assert ran.returncode == 1
    assert f"{name} has no settings file for one person in a project" in ran.stdout.decode()


COMMENTED = '{\n  // mine\n  "theme": "dark"\n}\n'


def test_comments_are_kept_on_a_host_that_allows_them(alone):
    file = alone.write(".gemini/settings.json", COMMENTED)
    ran = alone.run("init", "--host", "gemini-cli", "--yes")

    assert ran.returncode == 0, ran.stdout
    assert '  // mine\n  "theme": "dark"' in file.read_text()
    assert b"gemini-cli: installed (project)" in alone.run("doctor", "--host", "gemini-cli").stdout


def test_comments_are_reported_on_a_host_that_does_not_allow_them(alone):
    alone.write(".claude/settings.json", COMMENTED)
    ran = alone.run("init", "--host", "claude-code", "--yes")
    checked = alone.run("doctor", "--host", "claude-code")

    assert b"line 2, column 3: comments are not allowed here" in ran.stdout
    assert b"line 2, column 3: comments are not allowed here" in checked.stdout
    assert b"no hooks are installed: run" not in checked.stdout
