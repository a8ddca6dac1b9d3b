"""Test the output during a run."""

import io

import pytest
from rich.console import Console
from tests.engine.conftest import TARGET
from tests.engine.test_crashes import ended, killed

from hookline.cli._run_lines import LineWatcher
from hookline.core.values import replace
from hookline.engine.journal import Row
from hookline.engine.runs import Run
from hookline.engine.stop_reason import StopReason
from hookline.engine.target import Metric, parse_target
from hookline.engine.view import Live, RunView, describe_activity, describe_best, describe_progress, render

METRIC = Metric(command="x", direction="lower", name="time", unit="ms")
RUN = Run(
    id="small-261115-1200", root="/r", text=TARGET.format(experiments=3), name="small", base="b",
    branch="hookline/small-261115", scratch="/s", mark="m", began=0.0,
)  # fmt: skip


def row(number, status, metric=None, **more):
    return Row(iteration=number, timestamp=0.0, status=status, metric=metric, **more)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "time: nothing measured yet"),
        ([row(0, "baseline", 10.0, best=10.0)], "best time: 10 ms, lower is better"),
        (
            [row(0, "baseline", 10.0, best=10.0), row(1, "keep", 8.0, best=8.0), row(2, "crash", best=8.0)],
            "best time: 8 ms (-20.0% against 10), lower is better",
        ),
        (
            [
                row(0, "baseline", 10.0, best=10.0),
                row(1, "keep", 9.0, best=9.0, details={"interval": [-1.3, -0.7]}),
                row(2, "keep", 8.0, best=8.0, details={"interval": [-1.4, -0.6]}),
            ],
            "best time: 8 ms (-2 ±0.5, -20.0% against 10), lower is better",
        ),
    ],
)
def test_the_best_so_far_is_told_against_the_beginning(rows, said):
    assert describe_best(rows, METRIC) == said


@pytest.mark.parametrize(
    ("now", "bar"),
    [(0.0, "1m left " + "╌" * 30), (30.0, "30s left " + "━" * 15 + "╌" * 15), (99.0, "0s left " + "━" * 30)],
)
def test_a_bar_tells_how_much_of_the_budget_is_left(now, bar):
    seen = RunView(number=2, doing="running", began=0.0, ends_at=60.0)

    assert describe_activity(seen, now) == f"experiment 2 running, {bar}"


def shown(live, width=100):
    console = Console(width=width, file=io.StringIO())
    console.print(render(live.view, 0.0))
    return console.file.getvalue()


@pytest.mark.parametrize("width", [40, 80])
def test_a_long_description_hides_nothing_else(width):
    one = live()
    one.on_start(RUN, [row(0, "baseline", 10.0, best=10.0)])
    one.on_decision(
        row(11, "scope_violation", 1234.5, best=10.0, delta=-3.25, description="many words " * 30)
    )
    one.on_experiment(12, 60.0)
    lines = shown(one, width).splitlines()
    one.close()

    assert lines[4].split()[:4] == ["11", "scope_violation", "1234.5", "-3.25"]
    assert lines[4].rstrip().endswith("…")
    assert "1m left" in lines[5]
    assert max(map(len, lines)) <= width


def live():
    return Live(Console(width=100, file=io.StringIO(), force_terminal=True), clock=lambda: 0.0)


def test_a_run_is_shown_with_its_last_decisions():
    one = live()
    one.on_start(RUN, [row(0, "baseline", 10.0, best=10.0)])
    for number in range(1, 12):
        one.on_experiment(number, 60.0)
        one.on_output(b"thinking\nabout \x1b[31mit\n\n")
        one.on_measurement(number, "metric")
        one.on_decision(row(number, "discard", 11.0, best=10.0, delta=1.0, description=f"idea [{number}]"))
    one.on_experiment(12, 60.0)
    one.on_output(b"at last\n")
    text = shown(one)
    one.on_end(StopReason(reason="experiment-limit", text="12 of 12"))

    assert "small-261115-1200 on hookline/small-261115: A smaller number." in text
    assert "idea [11]" in text
    assert "idea [4]" in text
    assert "idea [3]" not in text
    assert "experiment 12 running" in text
    assert "at last" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(("height", "decisions"), [(4, 1), (8, 3), (24, 8)])
def test_what_goes_on_has_room_on_a_low_terminal(height, decisions):
    one = live()
    one.on_start(RUN, [row(number, "discard", 11.0, description="idea") for number in range(12)])
    one.on_experiment(12, 60.0)
    console = Console(width=100, file=io.StringIO())
    console.print(render(one.view, 0.0, height))
    one.close()
    text = console.file.getvalue()

    assert text.count("idea") == decisions
    assert "1m left" in text.splitlines()[-1]


def test_no_secret_and_no_escape_is_shown():
    one, secret = live(), "ghp_" + "a1B2" * 9
    one.on_start(RUN, [])
    for part in (f"token {secret[:9]}", f"{secret[9:]} \x1b]0;title\x07\n", "and so on\n", "more\n"):
        one.on_output(part.encode())
    text = shown(one)
    one.close()

    assert secret not in text
    assert "\x1b" not in text
    assert "\x07" not in text


def test_of_very_much_output_only_the_amount_is_shown():
    one = live()
    one.on_start(RUN, [])
    for _ in range(6):
        one.on_output(b"x" * (1 << 20))
    one.close()

    assert one.view.last_output == "6 MiB of output so far"


def test_closing_twice_is_as_good_as_once():
    one = live()
    one.on_start(RUN, [])

    one.close()
    one.close()


def test_all_that_are_at_work_at_once_are_shown():
    one = live()
    one.on_start(RUN, [row(0, "baseline", 10.0, best=10.0)])
    one.on_experiment(1, 60.0)
    one.on_experiment(2, 120.0)
    one.on_measurement(1, "metric")

    assert "experiment 1 running the metric" in shown(one)
    assert "experiment 2 running" in shown(one)

    one.on_decision(row(1, "keep", 9.0, best=9.0))

    assert "experiment 1 runs" not in shown(one)
    assert "experiment 2 running" in shown(one)
    one.close()


@pytest.mark.parametrize(
    ("seconds", "left"),
    [(None, ", about 4h50m left"), (36_000.0, ", about 4h50m left"), (1200.0, ", 10m left")],
)
def test_the_time_left_is_estimated_from_the_experiments(seconds, left):
    target = parse_target(TARGET.format(experiments=120), "t")
    target = replace(target, limits=replace(target.limits, seconds=seconds))
    rows = [Row(iteration=number, timestamp=0, status="keep") for number in range(5)]

    assert describe_progress(rows, target, 600.0) == f"4 of 120 experiments, running for 10m{left}"
    assert "left" not in describe_progress(
        rows[:1], replace(target, limits=replace(target.limits, seconds=None)), 5
    )


def test_the_progress_of_a_run_has_its_limits():
    target = parse_target(TARGET.format(experiments=50), "t")
    target = replace(target, limits=replace(target.limits, seconds=3600.0, tokens=9000))
    rows = [Row(iteration=0, timestamp=0, status="baseline")]
    rows += [Row(iteration=1, timestamp=1, status="keep", tokens_in=900, tokens_out=100, cost=0.25)]

    assert describe_progress(rows, target, 600.0) == (
        "1 of 50 experiments, running for 10m, 50m left, 1000 of 9000 tokens, 0.25 dollars"
    )


def test_a_run_ends_with_a_summary(project):
    project.target(experiments=1)
    project.script("echo 9 > src/n; git branch side; echo less")
    lines = project.hookline("run", check=0).stdout.splitlines()[-5:]
    run = project.run

    assert lines[0].startswith("1 experiments in ")
    assert lines[0].endswith("s, 1 kept")
    assert lines[1] == "best metric: 9 (-10.0% against 10), lower is better"
    assert lines[2] == f"branch {run.branch}"
    assert lines[3] == "outside of the run, during experiment 1: refs/heads/side added"
    assert lines[4] == f"next: `hookline show {run.id}`, `hookline plot {run.id}`, `hookline merge {run.id}`"


def test_the_measurements_of_a_judgement_are_counted(project, monkeypatch):
    seen = []
    monkeypatch.setattr(LineWatcher, "on_measurement", lambda self, number, what: seen.append(what))
    project.target(TARGET.replace('"deterministic"', '"noisy"'), experiments=1)
    project.script("echo 9 > src/n; echo less")
    project.hookline("run", check=0)

    assert seen[-1] == "metric: measurement 9 of at most 9"


def test_the_description_of_an_interrupted_agent_is_read_from_its_log(project):
    project.script("echo 9 > src/n; echo a good change")
    ended(killed(project, "after-agent"))
    project.hookline("run", "--resume", check=0)

    assert project.rows[1].description == "a good change; the engine was interrupted"
