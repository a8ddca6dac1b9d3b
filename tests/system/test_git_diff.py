"""Test counting changed lines in real repositories."""

import os
import subprocess
import time

import pytest

from hookline.system.git_diff import changed_lines, find_differing, has_changes

WHO = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b.c",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b.c",
}


def count(folder, seconds=20):
    return changed_lines(str(folder), os.environ, seconds)


class Repository:
    """A scratch repository on the branch main, with one commit of a file of ten lines."""

    def __init__(self, path):
        self.path = path
        path.mkdir()
        self.git("init", "-q", "-b", "main")
        self.write("a.txt", 10)
        self.commit()

    def git(self, *words):
        env = {**os.environ, **WHO, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        subprocess.run(["git", *words], cwd=self.path, env=env, check=True, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")

    def write(self, name, lines, text="line"):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{text} {number}\n" for number in range(lines)))

    def changed(self):
        return count(self.path)


@pytest.fixture
def repo(tmp_path):
    return Repository(tmp_path / "repo")


def test_nothing_changed(repo):
    assert repo.changed() == 0


def test_unstaged_lines_count_added_and_removed(repo):
    repo.write("a.txt", 10, "other")

    assert repo.changed() == 20


def test_staged_lines_count(repo):
    repo.write("a.txt", 13)
    repo.git("add", "a.txt")

    assert repo.changed() == 3


def test_lines_that_are_staged_and_taken_back_in_the_working_tree_still_count(repo):
    repo.write("a.txt", 13)
    repo.git("add", "a.txt")
    repo.write("a.txt", 10)

    assert repo.changed() == 3


def test_untracked_files_count_unless_ignored(repo):
    repo.write(".gitignore", 0)
    (repo.path / ".gitignore").write_text("ignored/\n")
    repo.commit()
    repo.write("new file.txt", 5)
    repo.write("sub/ünew.txt", 2)
    repo.write("ignored/b.txt", 100)

    assert repo.changed() == 7


def test_names_that_are_not_utf_8_count(repo):
    (repo.path / os.fsdecode(b"\xff new")).write_text("1\n2\n")

    assert repo.changed() == 2


def test_a_last_line_without_its_end_counts(repo):
    (repo.path / "b").write_text("one\ntwo")
    (repo.path / "empty").write_text("")

    assert repo.changed() == 2


def test_binary_files_do_not_count(repo):
    (repo.path / "staged.bin").write_bytes(b"\0\n" * 500)
    repo.git("add", "staged.bin")
    (repo.path / "new.bin").write_bytes(b"\0\n" * 500)

    assert repo.changed() == 0


@pytest.mark.parametrize("name", ["x.lock", "package-lock.json", "web/pnpm-lock.yaml", "go.sum"])
def test_lock_files_do_not_count(repo, name):
    repo.write(name, 900)
    fresh = repo.changed()
    repo.git("add", "-A")

    assert (fresh, repo.changed()) == (0, 0)


def test_names_that_only_look_like_lock_files_count(repo):
    repo.write("lock.py", 3)
    repo.write("x.lock/y.py", 4)

    assert repo.changed() == 7


def test_generated_files_do_not_count_tracked_or_not(repo):
    (repo.path / ".gitattributes").write_text(
        "*.gen linguist-generated\nhand.gen -linguist-generated\nb linguist-generated=true\n"
    )
    repo.commit()
    repo.write("new.gen", 100)
    repo.write("hand.gen", 4)
    repo.write("b", 50)
    repo.write("staged.gen", 100)
    repo.git("add", "staged.gen")

    assert repo.changed() == 4


def test_commits_since_the_upstream_count(repo, tmp_path):
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "remote"))
    repo.git("remote", "add", "up", str(tmp_path / "remote"))
    repo.git("fetch", "-q", "up")
    repo.git("branch", "-q", "-u", "up/main")
    repo.write("a.txt", 14)
    repo.commit()

    assert repo.changed() == 4


def test_commits_since_the_default_branch_count_where_there_is_no_upstream(repo):
    repo.git("checkout", "-q", "-b", "topic")
    repo.write("a.txt", 15)
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.write("b.txt", 100)
    repo.commit()
    repo.git("checkout", "-q", "topic")

    assert repo.changed() == 5


def test_the_remote_s_idea_of_the_default_branch_is_believed(repo, tmp_path):
    repo.git("branch", "-q", "-m", "main", "trunk")
    repo.git("clone", "-q", ".", str(tmp_path / "clone"))
    clone = Repository.__new__(Repository)
    clone.path = tmp_path / "clone"
    clone.git("checkout", "-q", "-b", "topic")
    clone.write("a.txt", 16)
    clone.commit()

    assert clone.changed() == 6


def test_against_head_where_there_is_neither(repo):
    repo.git("branch", "-q", "-m", "main", "odd")
    repo.write("a.txt", 17)
    repo.commit()
    repo.write("a.txt", 18)

    assert repo.changed() == 1


def test_a_renamed_file_counts_only_what_changed_in_it(repo):
    repo.git("mv", "a.txt", "b.txt")
    repo.write("b.txt", 11)
    repo.git("add", "-A")

    assert repo.changed() == 1


def test_a_repository_without_commits(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "a").write_text("1\n2\n3\n")

    assert count(tmp_path) == 3


def test_all_of_the_repository_counts_when_asked_from_a_folder_inside(repo):
    repo.write("sub/b.txt", 2)
    repo.write("c.txt", 3)

    assert count(repo.path / "sub") == 5


def test_links_and_pipes_are_not_followed(repo):
    (repo.path / "link").symlink_to("/etc/passwd")
    os.mkfifo(repo.path / "pipe")

    assert repo.changed() == 1


def test_no_repository_is_unknown(tmp_path):
    assert count(tmp_path) is None
    assert count(tmp_path / "gone") is None


def test_no_time_is_unknown_and_takes_none(repo):
    began = time.monotonic()

    assert count(repo.path, 0) is None
    assert time.monotonic() - began < 0.5


def test_a_git_that_hangs_is_given_up_in_time(repo, tmp_path, monkeypatch):
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nsleep 30\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    began = time.monotonic()

    assert count(repo.path, 0.3) is None
    assert time.monotonic() - began < 1.5


def test_the_repository_s_own_settings_run_nothing(repo, tmp_path):
    ran = tmp_path / "ran"
    for key in ("core.fsmonitor", "diff.external"):
        repo.git("config", key, f"touch {ran}; true")
    repo.write("a.txt", 11)

    assert repo.changed() == 1
    assert not ran.exists()


def test_content_that_is_in_no_commit(tmp_path):
    repository = Repository(tmp_path / "r")
    repository.write("b.txt", 3)
    (repository.path / "empty.txt").touch()

    def changed(name):
        return has_changes(str(repository.path), os.environ, str(repository.path / name), 20)

    assert [changed(name) for name in ("a.txt", "b.txt", "empty.txt", "missing.txt")] == [
        False,
        True,
        False,
        False,
    ]
    repository.write("a.txt", 4)
    assert changed("a.txt")
    assert has_changes(str(tmp_path), os.environ, str(repository.path / "a.txt"), 20) is None


def test_files_that_differ_from_the_last_commit(repo, tmp_path):
    def find(folder):
        return find_differing(str(folder), os.environ, 20)

    assert find(repo.path) == frozenset()
    repo.write("a.txt", 11)
    repo.write("new/b.txt", 1)
    repo.write("committed.txt", 1)
    repo.git("add", "committed.txt")
    repo.git("commit", "-q", "-m", "y")

    assert find(repo.path) == {"a.txt", "new/b.txt"}
    assert find(repo.path / "new") == {"../a.txt", "b.txt"}
    assert find(tmp_path) is None
