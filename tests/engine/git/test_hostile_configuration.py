"""Test that the engine runs no program which a repository's configuration names."""

import pytest
from tests.hostile_git import ATTACKS, FETCHES, HostileRepository

from hookline.engine.git.rebase import rebase_commits
from hookline.engine.git.repository import head_commit, is_dirty, open_repository
from hookline.engine.git.run_git import GitFailed
from hookline.engine.git.worktree import Worktree

LINES = [f"{number}\n" for number in range(9)]


@pytest.fixture
def hostile(project, tmp_path):
    repository = HostileRepository(project.root, tmp_path / "outside")
    repository.write("a.txt", "".join(LINES))
    repository.git("add", "a.txt")
    repository.git("commit", "-qm", "more", "--", "a.txt")
    return repository


def everything(path):
    return True


def commit(tree, start, **changes):
    """Commit changed lines of a.txt as an experiment does."""
    tree.check_out(start)
    lines = [changes.get(f"line{number}", line) for number, line in enumerate(LINES)]
    with open(f"{tree.path}/a.txt", "w") as file:
        file.write("".join(lines))
    changed = tree.collect_changes(start, everything)
    assert (changed.changed, changed.outside) == (("a.txt",), ())
    return tree.repository.git("commit-tree", changed.tree, "-p", start, stdin="x\n").strip()


def work(project, tmp_path):
    """Use the repository as a run does, and return the merged text of two experiments."""
    repository = open_repository(str(project.root), project.env)
    start = head_commit(repository, project.env)
    assert is_dirty(repository, project.env)
    tree = Worktree(
        repository=repository, name="t", path=str(tmp_path / "tree"), index=str(tmp_path / "tree.index")
    )
    first, second = commit(tree, start, line0="first\n"), commit(tree, start, line8="last\n")
    merged = rebase_commits(repository, tree, start, second, first)
    repository.git("log", "-p", start)
    tree.check_out(merged, remove_ignored=True)
    assert repository.git("diff", "--stat", "-p", start, merged).count("\n-") == 3
    return repository.git("cat-file", "blob", f"{merged}:a.txt")


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_program_that_the_repository_configures(hostile, project, tmp_path, attack):
    ATTACKS[attack](hostile, attack)

    assert work(project, tmp_path) == "".join(["first\n", *LINES[1:-1], "last\n"])
    assert hostile.ran == set()


@pytest.mark.slow
@pytest.mark.parametrize("attack", FETCHES)
def test_fetching_a_missing_object(hostile, project, tmp_path, attack):
    FETCHES[attack](hostile, attack)

    with pytest.raises(GitFailed):
        work(project, tmp_path)
    assert hostile.ran == set()


TOGETHER = (
    *("submodule", "filter-required", "hooks-path", "fsmonitor", "merge-driver", "signatures"),
    *("external-diff", "aliases", "pagers"),
)


@pytest.mark.slow
def test_a_whole_run(hostile, project):
    for attack in TOGETHER:
        ATTACKS[attack](hostile, attack)
    project.target(experiments=2)
    project.script("echo $(($(cat src/n) - 1)) > src/n; echo less")
    done = project.hookline("run", check=0)

    assert project.statuses == ["baseline", "keep", "keep"]
    assert "git filter 'x' does not run, because only this repository configures it; " in done.stdout
    assert "-10\n+9\n" in project.hookline("show", project.run.id, "1", check=0).stdout
    project.hookline("merge", project.run.id, check=0)
    project.hookline("clean", "--yes", check=0)
    assert hostile.ran == set()


@pytest.mark.slow
def test_a_filter_that_the_user_configures_runs(hostile, project, tmp_path):
    hostile.attributes("a.txt filter=x")
    (project.home / ".gitconfig").write_text(
        '[filter "x"]\nclean = tr A-Z a-z\nsmudge = tr a-z A-Z\nrequired\n'
    )
    merged = work(project, tmp_path)

    assert merged == "".join(["first\n", *LINES[1:-1], "last\n"])
    assert (tmp_path / "tree" / "a.txt").read_text() == merged.upper()
