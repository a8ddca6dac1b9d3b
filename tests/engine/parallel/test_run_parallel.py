"""Test parallel experiments, locally and on a cluster: one journal, and winners that are measured again."""

import pytest
from tests.engine.executors import run_on
from tests.engine.parallel.test_crashes_in_parallel import BOTH, OWN, TOGETHER, counted, right

pytestmark = [pytest.mark.slow, run_on("parallel")]

__all__ = ["counted"]


def test_winners_beside_each_other_are_both_kept_one_on_the_other(counted):
    before = counted.standing()
    counted.target(experiments=2)
    counted.script(BOTH, OWN)
    counted.hookline("run", check=0)
    base, first, second = counted.rows

    right(counted, before)
    assert [(row.status, row.metric) for row in counted.rows[1:]] == [("keep", -3.0), ("keep", -4.0)]
    assert {first.worker, second.worker} == {"1", "2"}
    assert second.details["began"] == base.commit
    assert counted.git("diff", "--name-only", "main", counted.tip).split() == ["src/e1", "src/e2"]
    assert counted.git("log", "--format=%an", f"main..{counted.tip}").split("\n") == ["A Person"] * 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("echo $((10 - n)) > src/n", "its change does not apply to the current best commit"),
        ("echo same > src/same", "on the current best commit: discard, equal is not better"),
    ],
)
def test_who_wins_no_more_is_superseded_and_its_work_stays_reachable(counted, change, said):
    (counted.root / "bench.sh").write_text("echo $(( $(cat src/n) - $(ls src | wc -l) ))\n")
    counted.git("commit", "-qm", "both", "bench.sh", "--only")
    before = counted.standing()
    counted.target(experiments=2)
    counted.script(BOTH, change, "echo mine")
    counted.hookline("run", check=0)
    base, kept, other = counted.rows

    right(counted, before)
    assert (kept.status, other.status, other.base) == ("keep", "superseded", base.commit)
    assert other.description == f"mine; {said}"
    assert other.best == kept.metric
    assert other.metric is not None
    assert other.metric < base.metric


def test_own_commits_of_an_agent_are_moved_one_by_one(counted):
    counted.target(experiments=2)
    counted.script(BOTH, 'for i in a b; do touch "src/$n$i"; git add -A; git commit -qm "$n$i"; done')
    counted.hookline("run", check=0)
    one, two = (row.iteration for row in counted.rows[1:])

    made = counted.git("log", "--reverse", "--format=%s", f"main..{counted.tip}").split()

    assert made == [f"{one}a", f"{one}b", f"{two}a", f"{two}b"]


def test_limits_count_over_all(counted):
    counted.target(experiments=50)
    counted.script(TOGETHER, "echo nothing")
    done = counted.hookline("run", "--experiments", "3", check=0)

    assert counted.statuses == ["baseline", *["no_change"] * 3]
    assert "experiment-limit: 3 of 3 experiments used" in done.stdout


def test_failures_in_a_row_count_over_all(counted):
    text = (counted.root / ".hookline/targets/small.toml").read_text()
    text = text.replace("experiments = 1", "experiments = 50").replace("halt = 1000", "pivot = 2\nhalt = 1")
    (counted.root / ".hookline/targets/small.toml").write_text(text)
    counted.script("echo nothing")
    counted.hookline("run", check=1)

    assert 3 <= len(counted.rows) <= 4
    assert counted.run.stopped == "halted"


def test_clean_takes_all_worktrees_away(counted):
    counted.target(experiments=2)
    counted.script(TOGETHER, OWN)
    counted.hookline("run", check=0)
    counted.hookline("clean", counted.run.id, "--yes", check=0)

    assert len(counted.git("worktree", "list").splitlines()) == 1
