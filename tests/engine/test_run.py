"""Test whole runs through the command, with scripted agents."""

import shutil
import subprocess

import pytest
from tests.engine.executors import run_on

from hookline.engine import run, targets
from hookline.engine.git import repository as repositories

LESS = 'echo $(( $(cat src/n) - 1 )) > src/n; echo "one less"'


def only(project):
    _, row = project.rows
    return row


@pytest.mark.slow
@run_on("local", "parallel", "cluster")
def test_a_better_result_is_kept(project):
    before = project.standing()
    project.script(LESS)
    project.hookline("run", check=0)
    base, row = project.rows

    assert (base.status, base.metric, base.commit) == ("baseline", 10.0, project.git("rev-parse", "HEAD"))
    assert (row.status, row.metric, row.delta, row.best, row.description) == (
        "keep",
        9.0,
        -1.0,
        9.0,
        "one less",
    )
    assert row.commit == project.tip == project.git("rev-parse", f"refs/hookline/{project.run.id}/1")
    assert project.git("log", "-1", "--format=%an %s", project.tip) == "A Person one less"
    assert project.standing() == before


@pytest.mark.parametrize(("change", "status"), [("10", "discard"), ("11", "discard"), ("9.99", "keep")])
def test_equal_is_not_better(project, change, status):
    project.script(f"echo {change} > src/n; echo x > src/new")
    project.hookline("run", check=0)

    assert only(project).status == status


def test_discarded_work_stays_reachable_and_leaves_the_branch(project):
    project.script("echo 11 > src/n; echo more; echo 'reason: it was a bad idea'; echo 'next: try 9'")
    project.hookline("run", check=0)
    row = only(project)

    assert project.tip == project.git("rev-parse", "HEAD")
    assert project.git("show", f"refs/hookline/{project.run.id}/1:src/n") == "11"
    assert row.description == "more; worse; reason: it was a bad idea; next: try 9"
    assert "try 9" in (project.root / "autoresearch" / project.run.id / "ideas.md").read_text()


def test_rows_of_discards_are_all_there(project):
    project.target(experiments=4)
    project.script("echo 11 > src/n; git add -A; git commit -qm worse")
    project.hookline("run", check=0)

    assert project.statuses == ["baseline", *["discard"] * 4]
    assert sorted(row.iteration for row in project.rows) == [0, 1, 2, 3, 4]


def test_no_change_is_seen(project):
    project.script("echo nothing to do")
    project.hookline("run", check=0)
    row = only(project)

    assert (row.status, row.commit, row.metric) == ("no_change", "", None)


def test_all_commits_of_an_agent_are_taken_back(project):
    project.target(experiments=2)
    project.script(
        "for i in 1 2 3; do echo $i > src/extra$i; git add -A; git commit -qm part$i; done",
        "echo 12 > src/n",
        "echo part of it",
    )
    project.hookline("run", check=0)

    assert project.statuses == ["baseline", "discard", "discard"]
    assert project.tip == project.git("rev-parse", "HEAD")
    assert project.git("log", "--format=%s", f"main..refs/hookline/{project.run.id}/2").splitlines() == [
        "part of it",
        "part3",
        "part2",
        "part1",
    ]


def test_all_commits_of_an_agent_are_kept(project):
    project.script("for i in 8 7; do echo $i > src/n; git commit -qam to$i; done; echo 6 > src/n")
    project.hookline("run", check=0)

    made = project.git("log", "--format=%s", f"main..{project.tip}").splitlines()

    assert only(project).metric == 6.0
    assert made == ["Experiment 1", "to7", "to8"]


def test_who_ran_out_of_time_is_measured_all_the_same(project):
    text = (project.root / ".hookline/targets/small.toml").read_text()
    text = text.replace('budget = "20s"', 'budget = "1s"').replace('grace = "1s"', "grace = 0")
    (project.root / ".hookline/targets/small.toml").write_text(text)
    project.script("echo 3 > src/n; sleep 100")
    project.hookline("run", check=0)
    row = only(project)

    assert (row.status, row.metric) == ("keep", 3.0)
    assert "out of time" in row.description


def test_an_agent_that_fails_and_leaves_nothing_has_crashed(project):
    project.script("echo no luck >&2; exit 3")
    project.hookline("run", check=0)

    assert only(project).status == "crash"
    assert only(project).description == "no luck; agent: exit code 3"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bench", "status"),
    [
        ("exit 1", "crash"),
        ("echo none", "metric_error"),
        ("echo nan", "metric_error"),
        ("echo 1e999", "metric_error"),
    ],
)
def test_an_unknown_metric_is_an_empty_cell(project, bench, status):
    (project.root / "bench.sh").write_text("sh src/bench.sh\n")
    (project.root / "src" / "bench.sh").write_text("cat src/n\n")
    project.git("commit", "-qm", "bench", "bench.sh", "--only")
    project.git("add", "src")
    project.git("commit", "-qm", "bench", "src", "--only")
    project.script(f"echo '{bench}' > src/bench.sh")
    project.hookline("run", check=0)
    row = only(project)

    assert (row.status, row.metric, row.best) == (status, None, 10.0)


def test_changes_outside_of_the_scope_are_put_back_and_noted(project):
    project.script(
        LESS, "echo 'echo 0' > bench.sh; rm notes; echo x > elsewhere; echo 1 > src/fixed; echo done"
    )
    project.hookline("run", check=0)
    row = only(project)

    assert (row.status, row.metric) == ("keep", 9.0)
    assert row.description == "done; restored bench.sh elsewhere notes src/fixed"
    assert project.git("diff", "--name-only", "main", project.tip) == "src/n"


def test_changes_outside_of_the_scope_alone_are_a_violation(project):
    project.script("echo 'echo 0' > bench.sh")
    project.hookline("run", check=0)

    assert only(project).status == "scope_violation"


def test_a_link_to_elsewhere_is_outside_of_the_scope(project):
    outside = project.home / "cheat"
    outside.write_text("1\n")
    project.script(f"ln -sf {outside} src/n; ln -s n src/inner; echo linked")
    project.hookline("run", check=0)
    row = only(project)

    assert (row.status, row.description) == ("discard", "linked; restored src/n; equal is not better")


@pytest.mark.slow
@run_on("local", "parallel", "cluster")
def test_a_failed_guard_is_reworked_and_both_are_measured_again(project):
    project.target()
    text = (project.root / ".hookline/targets/small.toml").read_text()
    text += '[guard]\ncommand = "test ! -e src/bad"\n'
    (project.root / ".hookline/targets/small.toml").write_text(text)
    project.script(
        "if grep -q 'guard failed' \"$AUTORESEARCH_INSTRUCTIONS\"",
        "then rm src/bad; echo 5 > src/n; echo mended",
        "else echo 2 > src/n; touch src/bad; echo first; fi",
    )
    project.hookline("run", check=0)
    row = only(project)

    assert (row.status, row.metric, row.guard, row.description) == ("keep_reworked", 5.0, "pass", "mended")


def test_a_guard_that_keeps_failing_is_the_end_of_it(project):
    text = (project.root / ".hookline/targets/small.toml").read_text()
    text += '[guard]\ncommand = "test ! -e src/bad"\nrework = 2\n'
    (project.root / ".hookline/targets/small.toml").write_text(text)
    project.script("echo x >> src/log; echo 2 > src/n; touch src/bad; echo tried")
    project.hookline("run", check=0)
    row = only(project)

    assert (row.status, row.guard, row.metric) == ("guard_failed", "fail", 2.0)
    assert project.git("show", f"{row.commit}:src/log") == "x\nx\nx"
    assert project.tip == project.git("rev-parse", "HEAD")


def test_the_goal_ends_a_run(project):
    project.target(experiments=50, metric="target = 8")
    project.script(LESS)
    done = project.hookline("run", check=0)

    assert project.statuses == ["baseline", "keep", "keep"]
    assert "target-reached: metric is 8; the target was 8" in done.stdout


def test_what_cannot_be_measured_to_begin_with_is_said(project):
    (project.root / "bench.sh").write_text("echo oh no; exit 4\n")
    project.git("commit", "-qm", "broken", "bench.sh", "--only")
    done = project.hookline("run", check=1)

    assert "the metric fails on the commit that the run starts from: exit code 4 (oh no)" in done.stderr
    assert "no runs; " in project.hookline("runs", check=0).stdout
    assert "hookline" not in project.git("for-each-ref")


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        ("rm -rf .git", "is not in a git repository"),
        ("rm -rf .git; git init -q", "has no commits yet"),
        ("git config core.bare true", "bare repository"),
        (
            "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub; git commit -qm sub",
            "the repository at 'sub' is a submodule that .gitmodules does not list",
        ),
        ("rm .hookline/targets/*", "create one with `hookline target new NAME`"),
    ],
)
def test_what_no_run_can_begin_in_is_refused_with_a_sentence(project, harm, said):
    subprocess.run(["sh", "-c", harm], cwd=project.root, env=project.env, check=True)
    done = project.hookline("run", check=2)

    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_journal_that_would_lead_elsewhere_is_refused(project):
    (project.root / "autoresearch").symlink_to(project.home)
    done = project.hookline("run", check=2)

    assert "is a symlink; remove it, because the journal must stay in the repository" in done.stderr


def test_longer_names_of_objects_will_do(project):
    shutil.rmtree(project.root / ".git")
    project.git("init", "-q", "-b", "main", "--object-format=sha256")
    project.git("add", ".")
    project.git("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "begin")
    project.script(LESS, "echo x > outside; git stash -q; git stash apply -q; echo y > bench.sh")
    project.hookline("run", check=0)

    assert only(project).status == "keep"
    project.script(
        LESS, "rm src/fixed; echo '* working-tree-encoding=UTF-16' > .gitattributes; echo x > src/x"
    )
    project.hookline("run", check=0)
    assert only(project).status == "keep"


def test_a_detached_head_will_do(project):
    project.git("checkout", "-q", "--detach")
    project.script(LESS)
    project.hookline("run", check=0)

    assert only(project).status == "keep"


def test_hooks_of_the_repository_are_never_run(project):
    for name in ("pre-commit", "post-checkout", "post-index-change", "reference-transaction"):
        hook = project.root / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {project.home}/ran\nexit 1\n")
        hook.chmod(0o755)
    project.script(LESS)
    project.hookline("run", check=0)

    assert only(project).status == "keep"
    assert not (project.home / "ran").exists()


def test_the_journal_is_ignored_by_git_and_is_also_in_the_store(project):
    project.script(LESS)
    project.hookline("run", check=0)
    folder = project.root / "autoresearch" / project.run.id
    for name in ("results.tsv", "results.jsonl"):
        (folder / name).unlink()
    project.hookline("run", "--resume", check=0)

    assert "autoresearch" not in project.git("status", "--porcelain")
    assert project.statuses == ["baseline", "keep"]


def test_a_run_knows_nothing_of_one_that_had_its_name_at_its_place(project):
    project.target(experiments=2)
    project.script(LESS)
    project.hookline("run", check=0)
    before = project.run
    shutil.rmtree(project.root / "autoresearch")
    for ref in project.git("for-each-ref", "--format=%(refname)", f"refs/hookline/{before.id}").split():
        project.git("update-ref", "-d", ref)
    change(project, "experiments = 2", "experiments = 1")
    repository = repositories.open_repository(str(project.root), project.env)
    target, text = targets.load(str(project.root), "small")
    run.create_run(
        repository, target, text, scratch=str(project.home / "s"), base=before.base, now=before.began
    )
    assert project.run.id == before.id
    project.hookline("run", "--resume", check=0)

    assert [(row.status, row.metric) for row in project.rows] == [("baseline", 10.0), ("keep", 9.0)]


def test_a_metric_that_was_lucky_once_is_noise(project):
    """One measurement is 5 by chance, and the measurements that confirm it show the normal value."""
    change(project, "deterministic", "auto")
    (project.root / "bench.sh").write_text(
        'echo >> "$HOME/runs"; n=$(wc -l < "$HOME/runs"); if test $n = 5; then echo 5; '
        "else echo $(cat src/n).$((n % 2)); fi\n"
    )
    project.git("commit", "-qm", "noisy", "bench.sh", "--only")
    project.script("echo other > src/other; echo 'not better at all'")
    project.hookline("run", check=0)
    row = only(project)

    assert (row.status, len(row.samples), row.best) == ("discard_noise", 4, 10.05)
    assert row.p_value > 0.05
    assert row.mad is not None
    assert "indistinguishable from noise" in row.description
    assert project.tip == project.git("rev-parse", "HEAD")
    assert project.git("rev-parse", f"refs/hookline/{project.run.id}/1") == row.commit


@pytest.mark.parametrize("kind", ["auto", "noisy"])
def test_a_beginning_that_was_lucky_once_is_no_mark(project, kind):
    change(project, "deterministic", kind)
    (project.root / "bench.sh").write_text(
        'echo >> "$HOME/runs"; n=$(wc -l < "$HOME/runs"); if test $n = 1; then echo 5; '
        "else echo $(cat src/n).$((n % 2)); fi\n"
    )
    project.git("commit", "-qm", "noisy", "bench.sh", "--only")
    project.script("echo 8 > src/n; echo better")
    project.hookline("run", check=0)
    first, row = project.rows

    assert (first.metric, first.samples, row.status) == (10.0, (5.0, 10.0, 10.1, 10.0), "keep")


def test_a_metric_that_varies_is_confirmed(project):
    change(project, "deterministic", "auto")
    (project.root / "bench.sh").write_text("sed 's/$/'.$(date +%N)'/' src/n\n")
    project.git("commit", "-qm", "noisy", "bench.sh", "--only")
    project.script("echo 5 > src/n")
    project.hookline("run", check=0)
    row = only(project)

    assert project.run.noise == "noisy"
    assert (row.status, len(row.samples), row.p_value) == ("keep", 4, pytest.approx(1 / 70))
    assert row.mad is not None


def test_two_processes_do_not_carry_out_one_run(project):
    project.script(
        "hookline=1; cd '" + str(project.root) + f"'; {'{'} {PYTHON} run --resume; echo code $?; {'}'} 2>&1"
    )
    project.hookline("run", check=0)
    told = (project.root / "autoresearch" / project.run.id / "logs" / "1.log").read_text()

    assert "is already running in another process" in told
    assert "code 1" in told


PYTHON = f"{__import__('sys').executable} -m hookline"


def test_a_limit_of_time_ends_the_agent_and_the_run(project):
    project.target(experiments=50)
    change(project, "failures = 1000", 'failures = 1000\ntime = "2s"')
    change(project, 'grace = "1s"', "grace = 0")
    project.script("sleep 100")
    done = project.hookline("run", check=0)

    assert project.statuses[-1] == "budget"
    assert "time: " in done.stdout


def test_too_many_failures_end_a_run(project):
    project.target(experiments=50)
    change(project, "failures = 1000", "failures = 3")
    project.script("exit 1")
    done = project.hookline("run", check=1)

    assert project.statuses == ["baseline", *["crash"] * 3]
    assert "failures: 3 experiments in a row failed completely" in done.stdout


def test_too_many_changes_of_direction_ask_for_a_person(project):
    project.target(experiments=50)
    change(project, "halt = 1000", "halt = 1\npivot = 2\nrefine = 1")
    project.script('cp "$AUTORESEARCH_INSTRUCTIONS" "$HOME"; echo 11 > src/n')
    done = project.hookline("run", check=1)

    assert project.statuses == ["baseline", *["discard"] * 2]
    assert "halted: " in done.stdout
    assert "## Advice" in (project.home / "2.md").read_text()


def test_a_run_can_be_given_more_experiments(project):
    project.script(LESS)
    project.hookline("run", check=0)
    project.hookline("run", "--resume", "--experiments", "3", check=0)

    assert project.statuses == ["baseline", "keep", "keep", "keep"]
    assert "invalid number of experiments" in project.hookline("run", "--experiments", "0", check=2).stderr


def test_a_limit_that_nobody_reports_on_is_said_once(project):
    project.target(experiments=2)
    change(project, "failures = 1000", "failures = 1000\ntokens = 5")
    project.script(LESS)
    done = project.hookline("run", check=0)

    assert done.stdout.count("command does not report tokens: this limit has no effect") == 1


def test_a_repository_that_is_gone_ends_the_run(project):
    project.script(f"mv '{project.root}' '{project.home}/elsewhere'")
    done = project.hookline("run", check=1)

    assert "workspace-gone: the repository no longer exists" in done.stdout


def change(project, old, new):
    path = project.root / ".hookline/targets/small.toml"
    path.write_text(path.read_text().replace(old, new))
