"""Test that a user's files and refs stay unchanged when they interrupt, inspect or remove a run."""

import signal
import time

import pytest
from tests.engine.parallel.test_crashes_in_parallel import started
from tests.engine.test_crashes import ended, killed, wait_for
from tests.engine.test_lost_work import LESS, at, change

from hookline.engine.git import stash
from hookline.engine.git.repository import open_repository
from hookline.engine.git.worktree import Worktree

HARM = "git stash drop -q; git config core.bare true; git config alias.status '!false'; git branch -q -D side"


def side(project):
    """Create a user's branch that no other ref contains, and return its commit."""
    project.git("branch", "side", project.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "side"))
    return at(project, "side")


def twice(process):
    """Send Ctrl-C twice, and return the output."""
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.4)
    told, _ = process.communicate(timeout=60)
    assert process.returncode == 130, told.decode()
    return told.decode()


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--parallel", "2")])
def test_what_an_agent_did_to_the_repository_is_put_back_when_the_user_ends_it(project, words):
    before, was = project.standing(), side(project)
    project.script(
        'test "$(echo "$HOOKLINE_RUN" | cut -d: -f2)" = 1 || sleep 60', HARM, "touch $HOME/works; sleep 60"
    )
    project.target(experiments=2)
    process = started(project, *words)
    wait_for(project.home / "works")
    twice(process)
    kept = f"refs/hookline/{project.run.id}/*-was/heads/side"  # either experiment may detect it

    assert project.standing() == before
    assert set(project.git("for-each-ref", "--format=%(objectname)", kept).split()) == {was}


@pytest.mark.slow
def test_so_it_is_when_the_user_ends_what_is_measured(project):
    change(project, "sh bench.sh", "cat src/n; sh src/more")
    (project.root / "src/more").write_text(":\n")
    project.git("add", "src")
    project.git("commit", "-qm", "more", "--only", "src")
    before, was = project.standing(), side(project)
    project.script(f'echo "{HARM}; touch $HOME/works; sleep 60" > src/more', LESS)
    change(project, 'timeout = "20s"', 'timeout = "90s"')
    process = started(project)
    wait_for(project.home / "works")
    twice(process)

    assert project.standing() == before
    assert at(project, f"refs/hookline/{project.run.id}/1-was/heads/side") == was


def test_a_branch_that_was_deleted_before_a_crash_is_kept_by_who_goes_on(project):
    was = side(project)
    project.script("git branch -q -D side; " + LESS)
    ended(killed(project, "after-agent"))
    done = project.hookline("run", "--resume", check=0)

    assert project.statuses == ["baseline", "keep"]
    assert at(project, f"refs/hookline/{project.run.id}/1-was/heads/side") == was
    assert "refs/heads/side was deleted during experiment 1; its old commit is kept as" in done.stdout


def test_a_varying_metric_that_is_measured_again_configures_nothing(project):
    change(project, 'kind = "deterministic"', 'kind = "noisy"')
    (project.root / "bench.sh").write_text("cat src/n; sh src/more\n")
    (project.root / "src/more").write_text(":\n")
    project.git("add", "src", "bench.sh")
    project.git("commit", "-qm", "more", "--only", "src", "bench.sh")
    before = project.standing()
    project.script(
        "echo 'echo >> $HOME/times; test $(wc -l < $HOME/times) -lt 2 || "
        "git config core.bare true' > src/more",
        LESS,
    )
    project.hookline("run", check=0)

    assert project.statuses == ["baseline", "keep"]
    assert project.standing() == before


def test_what_the_user_stashes_without_a_branch_is_not_the_agents(project):
    project.git("checkout", "-q", "--detach")
    project.script(f"cd '{project.root}' && git stash -q && cd - && {LESS}")  # acts as the user
    project.hookline("run", check=0)

    assert project.statuses == ["baseline", "keep"]
    assert len(project.git("stash", "list").splitlines()) == 2
    assert "WIP on (no branch)" in project.git("stash", "list").splitlines()[0]


def test_what_an_agent_stashes_without_a_branch_is_not_in_the_users_stash(project):
    before = project.git("stash", "list")
    project.script("git checkout -q --detach; echo 3 > src/n; git stash -q; " + LESS)
    project.hookline("run", check=0)

    assert project.git("stash", "list") == before
    assert project.git("show", f"refs/hookline/{project.run.id}/1-stash-0:src/n") == "3"


def look(project):
    """Check out the run's branch without changes, and return the state of the repository."""
    project.git("reset", "-q", "--hard")
    project.git("switch", "-q", project.run.branch)
    return project.standing()


@pytest.mark.slow
def test_a_branch_that_somebody_looks_at_does_not_move_below_them(project):
    project.target(experiments=3)
    project.script("touch $HOME/works; until test -e $HOME/go; do sleep 0.05; done; " + LESS)
    process = started(project, "--parallel", "2")
    wait_for(project.home / "works")
    before = look(project)
    (project.home / "go").touch()
    told, _ = process.communicate(timeout=60)

    assert project.rows[-1].best == 8.0, told.decode()
    assert project.standing() == before
    assert f"{project.run.branch} is checked out in '{project.root}', so it stays at" in told.decode()
    project.git("switch", "-q", "main")
    project.hookline("run", "--resume", check=0)
    assert project.tip == next(row.commit for row in reversed(project.rows) if row.kept)


def test_a_branch_that_is_checked_out_is_not_taken_away(project):
    project.script(LESS)
    project.hookline("run", check=0)
    project.hookline("clean", "--yes", check=0)
    before, run = look(project), project.run.id
    done = project.hookline("clean", "--everything", "--yes", check=0)

    assert f"{run}: not removed, because {project.run.branch} is checked out in" in done.stdout
    assert project.standing() == before
    project.git("switch", "-q", "main")
    project.hookline("clean", "--everything", "--yes", check=0)
    assert project.git("for-each-ref", "refs/heads/hookline", "refs/hookline") == ""


@pytest.mark.parametrize(("work", "status", "metric"), [(LESS, "keep", 9.0), ("true", "no_change", None)])
def test_what_the_user_commits_meanwhile_is_not_the_agents(project, work, status, metric):
    mine = f"echo 3 > '{project.root}/src/n'; git -C '{project.root}' commit -qm mine --only src/n"
    project.script(mine, work)
    project.hookline("run", check=0)
    row = project.rows[1]

    assert (row.status, row.metric) == (status, metric)
    assert "mine" not in row.description
    assert project.git("log", "-1", "--format=%s") == "mine"
    assert "mine" not in project.git("log", "--format=%s", project.tip)


def test_what_an_agent_commits_without_a_branch_counts(project):
    project.script("git checkout -q --detach; echo 4 > src/n; git commit -qam 'four of mine'; echo said")
    project.hookline("run", check=0)

    assert [(row.status, row.description) for row in project.rows[1:]] == [("keep", "four of mine")]
    assert project.git("log", "-1", "--format=%s", project.tip) == "four of mine"


def trees(project):
    """Return the worktrees of two parallel agents."""
    repository = open_repository(str(project.root), project.env)
    return [Worktree(repository=repository, name=n, path=str(project.home / n), index="") for n in ("1", "2")]


def test_a_stash_that_was_cleared_as_another_agent_began_survives_both(project):
    one, other = trees(project)
    before = project.git("stash", "list")
    stash.pin(one, "r", "1")
    project.git("stash", "clear")
    stash.pin(other, "r", "2")
    stash.restore_stash(one, "r", 1, "1")
    again = project.git("stash", "list")
    stash.unpin(one, "r", "1")
    project.git("stash", "clear")
    project.git("gc", "-q", "--prune=now")
    stash.restore_stash(other, "r", 2, "2")

    assert before
    assert again == project.git("stash", "list") == before


def test_a_stash_that_a_user_drops_between_two_experiments_is_not_brought_back(project):
    one, other = trees(project)
    for number, tree in enumerate((one, other, one), 1):
        stash.pin(tree, "r", tree.name)
        stash.restore_stash(tree, "r", number, tree.name)
        stash.unpin(tree, "r", tree.name)
        if number == 1:
            project.git("stash", "drop", "-q")

    assert project.git("stash", "list") == ""
    assert project.git("for-each-ref", "refs/hookline/r") == ""
