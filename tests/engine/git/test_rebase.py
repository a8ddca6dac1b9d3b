"""Test moving the change of an experiment onto another commit."""

import pytest

from hookline.engine.git.rebase import rebase_commits
from hookline.engine.git.repository import open_repository
from hookline.engine.git.worktree import Worktree


def edit(tree, start, content):
    tree.check_out(start)
    with open(f"{tree.path}/src/text", "wb") as file:
        file.write(content)
    changed = tree.collect_changes(start, lambda path: True).tree
    return tree.repository.git("commit-tree", changed, "-p", start, stdin="x\n").strip()


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_line_ends_survive(project, tmp_path, end):
    repository = open_repository(str(project.root), project.env)
    place = {"path": str(tmp_path / "tree"), "index": str(tmp_path / "index")}
    tree = Worktree(repository=repository, name="t", **place)
    lines = [b"%d" % number + end for number in range(9)]
    start = edit(tree, project.git("rev-parse", "HEAD"), b"".join(lines))
    onto = edit(tree, start, b"".join(lines[:-1]))
    change = edit(tree, start, b"".join([b"first" + end, *lines[1:]]))
    tree.check_out(rebase_commits(repository, tree, start, change, onto))

    with open(f"{tree.path}/src/text", "rb") as file:
        assert file.read() == b"".join([b"first" + end, *lines[1:-1]])
