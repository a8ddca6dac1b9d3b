"""A worktree's own records are written anew whatever became of them, and what cannot be is said."""

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
    """At a place whose name is no text."""
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
    with pytest.raises(GitFailed, match="cannot be written: Not a directory; see who"):
        _write_file(os.path.join(tree.path, "notes", ".git"), "gitdir: elsewhere")
