"""Test `hookline bench` with short runs: its table, its JSON, and that the user's files stay untouched."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hookline.cli._bench.bars import at_least, at_most, compute_call_figures
from hookline.cli._bench.measure import describe_load

ROOT = Path(__file__).parents[2]
SHORT = ("--calls", "1", "--sequence", "5", "--seconds", "1", "--idle", "0.1")
RATIOS = {"warm-to-true", "sequence-spread", "agents-p99", "idle-cpu"}
OF_NODE = {"node", "warm-to-node", "cold-to-node", "alone-to-node"}


def bench(user, *words, **env):
    ran = user.run("bench", *SHORT, *words, **env)
    assert ran.returncode in (0, 1, 3), ran.stderr
    return ran


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Return the report of one run, shared by several tests, with a replacement for Node on PATH."""
    place = tmp_path_factory.mktemp("bench")
    node = place / "bin/node"
    node.parent.mkdir()
    node.write_text("#!/bin/sh\nexit 0\n")
    node.chmod(0o755)
    home = place / "home"
    home.mkdir()
    ran = subprocess.run(
        [sys.executable, "-m", "hookline", "bench", "--json", *SHORT],
        env={"HOME": str(home), "PATH": f"{node.parent}:/usr/bin:/bin", "AR_DISABLE_AUDIT": "1"},
        cwd=place,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode in (0, 1, 3), ran.stderr
    assert not [*home.rglob("*")]
    return json.loads(ran.stdout) | {"code": ran.returncode}


@pytest.mark.slow
def test_every_figure_has_an_id_of_its_own_and_a_number(report):
    ids = [one["id"] for one in report["figures"]]

    assert len(ids) == len(set(ids))
    assert {*ids} >= RATIOS | OF_NODE | {"true", "warm", "cold", "alone"}
    assert all(isinstance(one["value"], float) for one in report["figures"])


def test_what_has_a_bar_says_whether_it_is_met_and_the_exit_code_says_it_of_all(report):
    assert all((one["met"] is None) == (one["bar"] == "") for one in report["figures"])
    assert report["met"] == (report["code"] == 0) == all(one["met"] is not False for one in report["figures"])


@pytest.mark.slow
def test_nothing_in_it_tells_whose_machine_it_was(report):
    assert "/home" not in json.dumps(report)
    assert str(ROOT) not in json.dumps(report)


@pytest.mark.long
def test_where_there_is_no_node_that_is_said_and_the_rest_is_measured(user, tmp_path):
    for name in ("bash", "true", "head", "cat"):
        (tmp_path / name).symlink_to(f"/bin/{name}")
    ran = bench(user, PATH=str(tmp_path))
    text = ran.stdout.decode()

    assert "note: node: not found" in text
    assert "node -e 0" not in text
    assert "hook call through the daemon" in text
    assert not [*user.home.rglob("*")]


@pytest.mark.long
def test_no_daemon_is_left(user):
    bench(user, "--quick", TMPDIR=str(user.home.parent))

    assert not [*user.home.parent.glob("hl-*")]
    assert not [one for one in Path("/proc").glob("[0-9]*/environ") if str(user.home.parent) in _text(one)]


def _text(path):
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError:
        return ""


@pytest.mark.parametrize("words", [["--calls", "0"], ["--sequence", "x"], ["--quick", "--long"]])
def test_numbers_that_are_none_are_refused(user, words):
    assert user.run("bench", *words).returncode == 2


@pytest.mark.long
def test_the_whole_bench_writes_its_results(tmp_path):
    results = tmp_path / "results.json"
    words = ("--scale", "0.0005", "--quick", *SHORT)
    ran = subprocess.run(
        [sys.executable, "bench/run.py", *words, "--results", str(results)],
        cwd=ROOT,
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
        capture_output=True,
        check=False,
        timeout=180,
    )
    assert ran.returncode in (0, 1, 3), ran.stderr
    whole = json.loads(results.read_text())

    slow = {"store-size", "memory", "memory-second-half", "usage", "experiment"}
    assert {one["id"] for one in whole["figures"]} >= RATIOS | slow
    assert str(tmp_path) not in results.read_text()
    assert str(ROOT) not in results.read_text()


@pytest.mark.parametrize(
    ("value", "low", "high"), [(4.99, True, False), (5.0, True, True), (5.01, False, True)]
)
def test_a_bar_is_met_by_what_just_reaches_it(value, low, high):
    assert at_most("a", "b", value, 5.0).met is low
    assert at_least("a", "b", value, 5.0).met is high


def test_ratios_are_those_of_the_medians_and_only_of_what_was_measured():
    figures = {
        one.id: one for one in compute_call_figures({"true": [1.0, 1.0, 9.0], "warm": [4.0, 4.0, 90.0]})
    }

    assert {*figures} == {"true", "warm", "warm-to-true"}
    assert (figures["warm-to-true"].value, figures["warm-to-true"].met) == (4.0, True)
    assert (figures["warm"].value, figures["warm"].unit) == (4000.0, "ms")


@pytest.mark.parametrize(("load", "busy"), [(1.5, ""), (1.6, "load 1.6 on 2 processors")])
def test_a_machine_that_is_too_busy_is_reported(load, busy):
    assert describe_load(load, 2).endswith(busy)
    assert bool(describe_load(load, 2)) == bool(busy)


def test_the_exit_code_of_a_busy_machine_differs_from_that_of_a_slow_one(report):
    assert (report["code"] == 3) == (not report["met"] and bool(report["busy"]))
