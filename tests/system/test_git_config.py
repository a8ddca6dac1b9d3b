"""Test the settings of git that are read without starting git, compared with git itself."""

import shutil
import subprocess

import pytest

from hookline.system.git_facts import find_setting, parse_config
from hookline.system.read_script import MAX_EXECUTED_BYTES, read_executed_script

CONFIG = r"""
[core]
	bare = false  ; a comment
[alias]
	one = push --force
	Two = "!f() { echo \"$1\"; }; f" # a comment
	three = log \
		--oneline
[remote "Origin"]
	url = https://host/a.git
	mirror
	push = +refs/heads/*:refs/heads/*
[branch "a\"b"] remote = x
"""


def test_parses_sections_quotes_comments_and_continued_lines():
    assert dict(parse_config(CONFIG)) == {
        "core.bare": "false",
        "alias.one": "push --force",
        "alias.two": '!f() { echo "$1"; }; f',
        "alias.three": "log 		--oneline",
        "remote.origin.url": "https://host/a.git",
        "remote.origin.mirror": "true",
        "remote.origin.push": "+refs/heads/*:refs/heads/*",
        'branch.a"b.remote': "x",
    }


@pytest.mark.skipif(not shutil.which("git"), reason="requires git")
def test_agrees_with_git(tmp_path):
    (tmp_path / "config").write_text(CONFIG)
    listed = subprocess.run(
        ["git", "config", "--file", str(tmp_path / "config"), "--list", "--null"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    pairs = [entry.partition("\n") for entry in listed.split("\0") if entry]

    ours = {key: value.split() for key, value in parse_config(CONFIG)}
    assert ours == {key.lower(): value.split() if mark else ["true"] for key, mark, value in pairs}


def test_the_repository_wins_over_the_user_and_includes_count(tmp_path):
    repository, home = tmp_path / "repo", tmp_path / "home"
    (repository / ".git").mkdir(parents=True)
    (repository / "src").mkdir()
    home.mkdir()
    (repository / ".git" / "config").write_text("[alias]\n\tx = here\n")
    (home / "user").write_text("[include]\n\tpath = more\n[alias]\n\tx = user\n\ty = user\n")
    (home / "more").write_text("[alias]\n\tz = included\n")
    (home / "xdg").write_text("[alias]\n\ty = xdg\n\tw = xdg\n")
    files = (str(home / "xdg"), str(home / "user"))

    found = [find_setting(str(repository / "src"), f"alias.{name}", files, str(home)) for name in "xyzwv"]

    assert found == ["here", "user", "included", "xdg", None]
    assert find_setting(str(home), "alias.x", files, str(home)) == "user"


def test_a_changed_file_is_read_again(tmp_path):
    path = tmp_path / "config"
    path.write_text("[alias]\n\tx = one\n")
    first = find_setting(str(tmp_path), "alias.x", (str(path),), "")
    path.write_text("[alias]\n\tx = second\n")

    assert (first, find_setting(str(tmp_path), "alias.x", (str(path),), "")) == ("one", "second")


def test_an_include_of_itself_ends(tmp_path):
    path = tmp_path / "config"
    path.write_text(f"[include]\n\tpath = {path}\n[alias]\n\tx = y\n")

    assert find_setting(str(tmp_path), "alias.x", (str(path),), "") == "y"


def test_only_small_text_files_are_scripts(tmp_path):
    contents = {
        "a": b"echo\n",
        "large": b"a" * (MAX_EXECUTED_BYTES + 1),
        "binary": b"\x7fELF\0",
        "latin": b"\xe9",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)

    found = {name: read_executed_script(str(tmp_path / name)) for name in contents}

    assert found == {"a": "echo\n", "large": None, "binary": None, "latin": None}
    assert read_executed_script(str(tmp_path)) is None
    assert read_executed_script(str(tmp_path / "missing")) is None
