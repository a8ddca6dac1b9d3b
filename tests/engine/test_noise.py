"""Test runs with a noisy metric: one figure everywhere, and a classification that is checked."""

import json
from types import SimpleNamespace

import pytest
from tests.engine.conftest import TARGET

from hookline.engine.journal import Row
from hookline.engine.measure import Measurement
from hookline.engine.progress import ExperimentProgress
from hookline.engine.target import parse_target
from hookline.engine.verdict import decide_measured
from hookline.engine.watcher import SilentWatcher

AUTO = TARGET.replace('kind = "deterministic"', 'kind = "auto"')
NOISY = TARGET.replace('kind = "deterministic"', 'kind = "noisy"')
COUNT = 'n=$(cat "$HOME/count" 2>/dev/null || echo 0); n=$((n + 1)); echo $n > "$HOME/count"'


def measured(project, *lines):
    (project.root / "bench.sh").write_text("\n".join((COUNT, *lines)) + "\n")
    project.git("commit", "-qm", "bench", "bench.sh", "--only")


def test_a_metric_that_seemed_deterministic_becomes_noisy(project):
    project.target(AUTO, experiments=1)
    measured(project, "test $n -le 4 && cat src/n || echo $((9 + (n + 1) % 2))")
    project.script("echo 9 > src/n; echo less")
    done = project.hookline("run", check=0)

    assert project.run.noise == "deterministic"
    assert project.statuses == ["baseline", "discard_noise"]
    assert "two runs of the same commit differ" in done.stdout
    assert project.rows[1].details["varies"] is True


def test_a_deterministic_gain_is_kept_after_a_second_run(project):
    project.target(AUTO, experiments=1)
    measured(project, "cat src/n")
    project.script("echo 9 > src/n; echo less")
    project.hookline("run", check=0)

    assert project.statuses == ["baseline", "keep"]
    assert (project.home / "count").read_text() == "6\n"  # three of the baseline, the candidate, one of each


@pytest.mark.parametrize("drift", [0, 40])
def test_the_best_figure_is_the_baseline_plus_the_paired_differences(project, drift):
    """The machine becomes slower or faster during the run; the figure of a keep does not follow it."""
    project.target(NOISY, experiments=2)
    measured(project, f"echo $(( 100 + $(cat src/n) * 10 + n % 3 - (n > 5) * {drift} ))")
    project.script("echo $(( $(cat src/n) - 3 )) > src/n; echo less")
    out = project.hookline("run", check=0).stdout
    base, *kept = project.rows
    listed = json.loads(project.hookline("runs", "--json", check=0).stdout)
    merged = project.hookline("merge", check=0).stdout

    assert [row.status for row in kept] == ["keep", "keep"]
    assert base.metric > kept[0].metric > kept[1].metric
    assert kept[0].metric == kept[0].best == pytest.approx(base.metric + kept[0].delta)
    assert kept[1].best == pytest.approx(kept[0].best + kept[1].delta)
    low, high = kept[0].details["interval"]
    assert low <= kept[0].delta <= high
    assert kept[0].delta == pytest.approx(-30, abs=3)
    assert "±" in out
    assert listed["best"] == kept[1].best
    assert f"metric {kept[1].best:g}" in merged


class Node:
    """A machine of a cluster on which every measurement takes *speed* times as long."""

    def __init__(self, speed, costs, limit=0.0):
        self.speed, self.costs, self.sides, self.limit = speed, costs, [], limit

    def check_guard(self, guard, commit):
        return self.speed * self.costs[commit] < self.limit, None

    def measure_metric(self, commit, side="candidate"):
        self.sides.append(side)
        value = self.speed * (self.costs[commit] + len(self.sides) % 3 / 100)
        return Measurement(value=value, status="ok", seconds=0.0), (value,)


def judged(node, kind, cluster, *, min_delta=0, guard=None):
    """Return the row of an experiment on a machine; *guard* is the result of its guard."""
    text = NOISY.format(experiments=1).replace('"noisy"', f'"{kind}"')
    text = text.replace("[metric]", f"[guard]\ncommand = 'x'\n[metric]\nmin_delta = {min_delta}")
    run = SimpleNamespace(noise=kind, cluster=cluster, parallel=2)
    target = parse_target(text, "t")
    work = SimpleNamespace(target=target, run=run, bench=node, watcher=SilentWatcher(), until=0.0)
    rows = [Row(iteration=0, timestamp=1.0, status="baseline", commit="base", metric=10.0, best=10.0)]
    step = ExperimentProgress(experiment=1, start="base", commit="new", phase="committed", ended="exit")
    metric, samples = node.measure_metric("new")
    results = {"metric": metric, "samples": samples, "guard": guard}
    return decide_measured(work, step, rows, holds=guard is None, **results).row


@pytest.mark.parametrize(("limit", "status"), [(9.0, "metric_error"), (11.0, "guard_failed")])
def test_a_machine_that_is_too_slow_for_the_guard_is_not_the_fault_of_the_change(limit, status):
    node = Node(1.0, {"base": 10.0, "new": 12.0}, limit)
    failed = Measurement(value=None, status="timeout", seconds=0.0, problem="timeout after 9 s")

    assert judged(node, "noisy", "head:1", guard=failed)["status"] == status


@pytest.mark.parametrize(
    ("kind", "cluster"), [("deterministic", "head:1"), ("noisy", "head:1"), ("noisy", "")]
)
@pytest.mark.parametrize("speed", [0.2, 1.0, 5.0])
@pytest.mark.parametrize(
    ("cost", "min_delta", "statuses"),
    [
        (8.0, 0, ("keep",)),
        (8.0, 1.5, ("keep",)),
        (8.0, 2.5, ("discard", "discard_noise")),
        (12.0, 0, ("discard",)),
    ],
)
def test_the_speed_of_a_machine_does_not_influence_a_verdict(kind, cluster, speed, cost, min_delta, statuses):
    node = Node(speed, {"base": 10.0, "new": cost})
    row = judged(node, kind, cluster, min_delta=min_delta)

    assert row["status"] in statuses
    assert row["metric"] == pytest.approx(cost, abs=0.1)
    assert row["delta"] == pytest.approx(cost - 10, abs=0.1)
    assert node.sides[:2] == ["candidate", "incumbent"]


CROWD = (
    'mkdir -p "$HOME/at"; touch "$HOME/at/$$"; sleep 0.4; ls "$HOME/at" | wc -l >> "$HOME/most"',
    'rm "$HOME/at/$$"',
)
"""Lines of a metric that note how many measurements run at once."""


@pytest.mark.slow
@pytest.mark.parametrize(("measure", "most"), [("alone", 1), ("together", 2)])
def test_a_noisy_metric_of_parallel_experiments_is_measured_alone(project, measure, most):
    project.target(NOISY, experiments=2, noise=f'measure = "{measure}"')
    measured(project, *CROWD, "cat src/n")
    project.script("echo 9 > src/n; echo less")
    project.hookline("run", "--parallel", "2", check=0)

    assert max(map(int, (project.home / "most").read_text().split())) == most


@pytest.mark.slow
def test_a_metric_that_depends_on_the_load_is_compared_under_the_same_load(project):
    """The baseline is measured alone, and three times the same; each parallel measurement takes longer."""
    project.target(AUTO, experiments=2)
    measured(project, *CROWD, 'echo $(( $(cat src/n) + $(cat "$HOME/load" 2>/dev/null || echo 0) ))')
    project.script('echo $(( $(cat src/n) - 1 )) > src/n; echo 50 > "$HOME/load"; echo less')
    done = project.hookline("run", "--parallel", "2", check=0)
    kept = [row for row in project.rows[1:] if row.kept]
    (project.home / "most").unlink()
    project.hookline("run", "--resume", "--experiments", "4", check=0)

    assert [row.delta for row in kept] == [pytest.approx(-1 / 6)]
    assert "two runs of the same commit differ" in done.stdout
    assert {*(project.home / "most").read_text().split()} == {"1"}
