import os
from threading import Thread

import pytest

from hookline.system.git_facts import find_branch, find_origin


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://github.com/Org/app.git", "github.com/org/app"),
        ("https://user:token@github.com/org/app", "github.com/org/app"),
        ("git@github.com:org/app.git", "github.com/org/app"),
        ("ssh://git@git.example:2222/org/app.git/", "git.example/org/app"),
        (
            "https://git.example/org/" + "ghp" + "_vK3x9Qm2pLsRt7Yw4Zb8Nc6Df1Gh5Jk0T0k3/app",
            "git.example/org/[redacted:github-token]/app",
        ),
    ],
)
def test_a_repository_is_known_by_where_it_came_from(tmp_path, url, name):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(
        f'[remote "other"]\n\turl = x\n[remote "origin"]\n\turl = {url}\n'
    )

    assert find_origin(str(tmp_path)) == name


def test_a_secret_in_the_name_of_a_branch_is_redacted(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/try-password=vK3x9Qm2pLsRt7\n")

    assert find_branch(str(tmp_path)) == "try-password=[redacted:password]"


@pytest.mark.parametrize("config", ["", '[remote "origin"]\n\turl = ../bare.git\n', '[remote "origin"]\n'])
def test_others_by_where_they_are(tmp_path, config):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(config)

    assert find_origin(str(tmp_path)) == str(tmp_path)


@pytest.mark.parametrize(
    ("config", "name"), [('[remote "origin"]\n\turl = git@x.example:a/b\n', "x.example/a/b"), ("", "")]
)
def test_a_worktree_is_the_same_repository(tmp_path, config, name):
    main, tree = tmp_path / "main", tmp_path / "tree"
    (main / ".git" / "worktrees" / "tree").mkdir(parents=True)
    (main / ".git" / "config").write_text(config)
    (main / ".git" / "worktrees" / "tree" / "commondir").write_text("../..\n")
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {main}/.git/worktrees/tree\n")

    assert find_origin(str(tree)) == find_origin(str(main)) == (name or str(main))


def test_no_root_has_no_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert find_origin("") == ""


@pytest.mark.parametrize("name", [".git", ".git/HEAD", ".git/config"])
def test_a_pipe_in_place_of_a_file_of_git_does_not_block(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path)
    facts = []
    thread = Thread(
        target=lambda: facts.extend([find_branch(str(tmp_path)), find_origin(str(tmp_path))]), daemon=True
    )
    thread.start()
    thread.join(5)

    assert facts == ["", str(tmp_path)]
