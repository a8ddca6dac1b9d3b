"""Test that damaged git records of a worktree are written again, and that failures are reported."""

import os
import subprocess
from pathlib import Path

import pytest

from hookline.engine.git import repository
from hookline.engine.git.run_git import GitFailed
from hookline.engine.git.worktree import Worktree, _write_file

HARM = {
    "a folder": "rm .git; mkdir -p .git/deep; touch .git/deep/x; chmod 000 .git/deep .git",
    "no text": "printf '\\377\\376' > .git",
    "a link": "rm .git; ln -s nowhere .git",
    "gone": "rm .git",
}


@pytest.fixture
def tree(project, tmp_path):
    """Create a worktree at a path that is not valid UTF-8."""
    here = repository.open_repository(str(project.root), project.env)
    place = os.fsdecode(os.fsencode(tmp_path) + b"/a tr\xffee")
    one = Worktree(repository=here, name="one", path=place, index=str(tmp_path / "index"))
    one.check_out(project.git("rev-parse", "HEAD"))
    return one


@pytest.mark.parametrize("harm", HARM)
def test_its_own_records_are_written_anew(project, tree, harm):
    subprocess.run(["sh", "-c", HARM[harm]], cwd=tree.path, check=True)
    tree.check_out(project.git("rev-parse", "HEAD"))

    assert Path(tree.path, ".git").read_text() == f"gitdir: {tree.admin}\n"
    assert Path(tree.path, "src", "n").read_text() == "10\n"
    assert tree.head == project.git("rev-parse", "HEAD")


def test_what_cannot_be_written_is_said(tree):
    with pytest.raises(
        GitFailed, match="git's record of the worktree: Not a directory; check its permissions"
    ):
        _write_file(os.path.join(tree.path, "notes", ".git"), "gitdir: elsewhere")


def test_a_worktree_of_a_bare_repository_will_do(project, tmp_path):
    bare, checkout = tmp_path / "bare", tmp_path / "checkout"
    project.git("clone", "-q", "--bare", ".", str(bare))
    project.git("-C", str(bare), "worktree", "add", "-q", str(checkout))
    here = repository.open_repository(str(checkout / "src"), project.env)

    assert (here.root, here.git.dir) == (str(checkout), str(bare))
    assert repository.head_commit(here, project.env) == project.git("rev-parse", "HEAD")
    assert not repository.is_dirty(here, project.env)
