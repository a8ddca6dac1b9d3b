"""Test the commands that manage targets and runs."""

import json
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest
from tests.engine.executors import run_on

from hookline.core.install_commands import describe_missing
from hookline.engine.stop_reason import EXIT_CODES
from hookline.system.process import read_only

LESS = 'echo $(( $(cat src/n) - 1 )) > src/n; echo x$(cat src/n) > src/other; echo "one less"'


def made(project, *, experiments=2):
    project.target(experiments=experiments)
    project.script(LESS)
    project.hookline("run", check=0)
    return project.run


def test_a_target_is_written_checked_and_listed(project):
    words = ("--metric", "sh bench.sh", "--mutable", "src/**", "--agent", "command", "--command", "true")
    project.hookline("target", "new", "other", *words, check=0)
    told = project.hookline("target", "check", check=0).stdout.splitlines()

    assert told[0] == (
        "other: lower metric of `sh bench.sh`, no guard; agent command, 20m "
        "per experiment, at most 50 experiments"
    )
    assert "A smaller number." in project.hookline("target", "list", check=0).stdout
    assert "already exists" in project.hookline("target", "new", "other", *words, check=2).stderr


def test_a_target_that_cannot_be_used_is_told_with_its_key(project):
    path = project.root / ".hookline/targets/small.toml"
    path.write_text(path.read_text().replace('"20s"', '"a while"', 1))
    done = project.hookline("target", "check", check=2)

    assert done.stderr.startswith(
        "hookline: target 'small': metric.timeout is 'a while'; write it like 90s, 20m"
    )


def test_without_a_name_the_first_host_that_is_installed_works_and_else_the_tuner(project):
    folder = project.home / "bin"
    folder.mkdir()
    (folder / "git").symlink_to(str(which("git")))
    project.hookline("target", "new", "first", check=0, PATH=str(folder))
    for name in ("opencode", "codex"):
        (folder / name).touch(0o755)
    project.hookline("target", "new", "second", check=0, PATH=str(folder))
    told = [(project.root / f".hookline/targets/{name}.toml").read_text() for name in ("first", "second")]

    assert 'host = "tuner"' in told[0]
    assert 'host = "codex"' in told[1]


def test_a_tuner_that_cannot_work_is_refused_before_anything_begins(project, monkeypatch):
    """The first experiment needs no study, so the failure would only occur in the second."""
    project.hookline("target", "new", "numbers", "--agent", "tuner", "--metric", "sh bench.sh", check=0)
    monkeypatch.setitem(sys.modules, "optuna", None)
    said = "hookline: " + describe_missing("engine", "the agent 'tuner'") + "\n"

    assert project.hookline("target", "check", "numbers", check=2).stderr == said
    assert project.hookline("run", "numbers", check=2).stderr.endswith(said)
    assert "no runs; " in project.hookline("runs", check=0).stdout


def test_a_tuner_that_finds_nothing_marked_is_refused_before_anything_begins(project):
    words = ("numbers", "--agent", "tuner", "--metric", "sh bench.sh", "--mutable", "src/*")
    project.hookline("target", "new", *words, check=0)
    said = "no committed file of scope.mutable has a marked value"

    assert said in project.hookline("target", "check", "numbers", check=2).stderr
    assert said in project.hookline("run", "numbers", check=2).stderr
    assert "no runs; " in project.hookline("runs", check=0).stdout
    (project.root / "src/n").write_text("5  # Tune: 1..10\n")
    assert said in project.hookline("target", "check", "numbers", check=2).stderr
    project.git("commit", "-qm", "mark", "src/n")
    assert project.hookline("target", "check", "numbers", check=0).stderr == ""


def test_a_name_that_could_lead_elsewhere_is_no_target(project):
    for name in ("../x", "a b", "", "x.lock", "-x"):
        assert project.hookline("target", "new", "--", name).returncode == 2


def test_runs_are_listed(project):
    run = made(project)
    (told,) = map(json.loads, project.hookline("runs", "--json", check=0).stdout.splitlines())

    assert (told["run"], told["experiments"], told["kept"]) == (run.id, 2, 2)
    assert (told["first"], told["best"], told["state"]) == (10.0, 8.0, "experiment-limit")
    assert run.id in project.hookline("runs", check=0).stdout


def test_a_journal_and_a_change_are_shown(project):
    run = made(project)

    assert "   2  keep" in project.hookline("show", check=0).stdout
    assert "+8" in project.hookline("show", run.id, "2", check=0).stdout
    assert "has no experiment 9" in project.hookline("show", run.id, "9", check=2).stderr


def test_all_that_was_kept_is_merged_as_a_branch(project):
    before = project.standing()
    run = made(project)
    project.hookline("merge", check=0)
    branch = f"{run.branch}-merged"

    assert project.git("show", f"{branch}:src/n") == "8"
    assert project.git("log", "--format=%s", f"main..{branch}").splitlines() == ["one less", "one less"]
    assert project.standing() == before


def test_a_merge_may_follow_a_run_that_ends_by_any_limit():
    limits = ("experiment-limit", "time", "tokens", "cost", "target-reached")

    assert {EXIT_CODES[reason] for reason in limits} == {0}
    assert 2 not in EXIT_CODES.values()


def test_experiments_are_picked_onto_what_is_there_now(project):
    made(project)
    (project.root / "later").write_text("new\n")
    project.git("stash", "push", "-q", "--", "notes")
    project.git("add", "later")
    project.git("commit", "-qm", "later")
    project.hookline("merge", "--only", "1", "--onto", "main", "--branch", "picked", check=0)

    assert project.git("show", "picked:src/n") == "9"
    assert project.git("show", "picked:later") == "new"
    assert "was not kept" in project.hookline("merge", "--only", "7", check=2).stderr


def test_what_does_not_apply_is_refused_with_a_sentence(project):
    made(project)
    done = project.hookline("merge", "--only", "2", check=1)

    assert "experiment 2 does not apply there" in done.stderr
    assert not project.git("branch", "--list", "*merged*")


def test_a_failed_guard_makes_no_branch(project):
    run = made(project)
    path = project.root / "autoresearch" / run.id / "run.json"
    told = json.loads(path.read_text())
    told["text"] += '[guard]\ncommand = "test $(cat src/n) -gt 8"\n'
    path.write_text(json.dumps(told))
    done = project.hookline("merge", check=1)

    assert "the guard fails on the result" in done.stderr
    assert not project.git("branch", "--list", "*merged*")


def test_cleaning_asks_first(project):
    made(project)
    trees = project.git("worktree", "list")
    done = project.hookline("clean", check=2)

    assert "use --yes" in done.stderr
    assert project.git("worktree", "list") == trees
    assert len(trees.splitlines()) > 1


def test_cleaning_takes_worktrees_away_and_the_run_can_go_on(project):
    before = project.standing()
    run = made(project)
    project.hookline("clean", "--yes", check=0)

    assert len(project.git("worktree", "list").splitlines()) == 1
    assert project.git("for-each-ref", f"refs/hookline/{run.id}")
    project.hookline("run", "--resume", "--experiments", "3", check=0)

    assert project.statuses == ["baseline", "keep", "keep", "keep"]
    assert project.standing() == before


def test_cleaning_everything_leaves_nothing(project):
    refs = project.git("for-each-ref")
    made(project)
    project.hookline("clean", "--everything", "--yes", check=0)

    assert project.git("for-each-ref") == refs
    assert not list((project.root / "autoresearch").iterdir())
    assert "no runs; " in project.hookline("runs", check=0).stdout


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("sh bench.sh", "false", "the metric fails on the commit that the run starts from: exit code 1"),
        ("sh bench.sh", "echo none", "no number in the output"),
        ("[limits]", '[guard]\ncommand = "no-such-guard"\n[limits]', "the guard fails on the commit"),
    ],
)
def test_mistakes_in_a_target_are_found_without_an_experiment(project, old, new, problem):
    path = project.root / ".hookline/targets/small.toml"
    path.write_text(path.read_text().replace(old, new))
    before = project.standing()

    assert problem in project.hookline("target", "check", check=2).stderr
    assert problem in project.hookline("run", check=1).stderr
    assert project.git("worktree", "list").count("\n") == 0
    assert project.standing() == before


def test_an_invalid_mark_is_found_without_an_experiment(project):
    (project.root / "src/n.py").write_text("N = 1  # tune: many\n")
    project.git("add", "src/n.py")
    project.git("commit", "-qm", "mark", "--only", "src/n.py")
    words = ("numbers", "--agent", "tuner", "--metric", "sh bench.sh", "--mutable", "src/*")
    project.hookline("target", "new", *words, check=0)

    for command in (("target", "check", "numbers"), ("run", "numbers")):
        assert "invalid mark `tune: many`" in project.hookline(*command, check=2).stderr


def test_shared_folders_are_in_measuring_checkouts(project):
    (project.root / "bench.sh").write_text(
        "cat data/size.log src/n | tail -n 1; cat data/size.log > /dev/null\n"
    )
    project.git("commit", "-qm", "data", "bench.sh", "--only")
    (project.root / "data").mkdir()
    (project.root / "data/size.log").write_text("5\n")
    hint = "data/size.log is in your checkout, but not committed; share its folder with `metric.share`"
    assert hint in project.hookline("target", "check", check=2).stderr
    project.target(experiments=2, metric='share = ["data/"]')
    project.script('test ! -e data && echo $(( $(cat src/n) - 1 )) > src/n; echo "one less"')
    project.hookline("run", check=0)

    assert project.statuses == ["baseline", "keep", "keep"]
    assert project.git("show", "--stat", "--format=", project.tip).startswith("src/n ")


@run_on("cluster")
def test_machines_of_a_cluster_need_the_shared_folders(project):
    (project.root / "bench.sh").write_text("cat data/size.log > /dev/null && cat src/n\n")
    project.git("commit", "-qm", "data", "bench.sh", "--only")
    project.way.kills = 0
    project.target(metric='share = ["data/"]')
    project.script("echo 9 > src/n; echo less")
    assert f"has no '{project.root}/data', which metric.share names" in project.hookline("run").stderr
    (project.root / "data").mkdir()
    (project.root / "data/size.log").write_text("5\n")
    project.hookline("run", check=0)

    assert project.statuses == ["baseline", "keep"]


@pytest.fixture
def sharing(project):
    """Create a project whose metric runs a script, which may write into a shared folder, after a change."""
    (project.root / "bench.sh").write_text('cat src/n; test $(cat src/n) = 10 || sh "$HOME/write.sh"\n')
    project.git("commit", "-qm", "data", "bench.sh", "--only")
    (project.root / "data").mkdir()
    (project.root / "data/size.log").write_text("5\n")
    project.target(metric='share = ["data/"]')
    project.script("echo 9 > src/n; echo less")
    return project


@pytest.mark.skipif(not read_only.is_available(str(Path(__file__).parent)), reason="needs mount namespaces")
@pytest.mark.parametrize("path", ["data/size.log", "data/new", '"$ROOT/data/size.log"'])
def test_a_metric_cannot_write_into_a_shared_folder(sharing, path):
    sharing.env["ROOT"] = str(sharing.root)
    (sharing.home / "write.sh").write_text(f"echo 6 > {path}\n")
    sharing.hookline("run", check=0)

    assert sharing.statuses == ["baseline", "crash"]
    assert {file.name: file.read_text() for file in (sharing.root / "data").iterdir()} == {"size.log": "5\n"}


def test_a_measurement_during_which_shared_files_change_fails(sharing):
    """Another process, for which the folder is not read-only, writes; so does one without namespaces."""
    wait = 'touch "$HOME/now"; until test -e "$HOME/done"; do sleep 0.05; done\n'
    (sharing.home / "write.sh").write_text(wait)
    line = 'until test -e now; do sleep 0.05; done; echo 6 > "$0"; touch done'
    writer = subprocess.Popen(["sh", "-c", line, sharing.root / "data/size.log"], cwd=sharing.home)
    sharing.hookline("run", check=0)
    writer.wait()

    assert sharing.statuses == ["baseline", "metric_error"]
    assert "data/size.log changed, but shared files are read-only" in sharing.rows[1].description
