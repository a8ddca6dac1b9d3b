"""Regression tests for ways to lose the work of an agent or a user."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engine.conftest import Project
from tests.engine.parallel.test_crashes_in_parallel import BOTH, OWN
from tests.engine.test_crashes import ended, killed
from tests.engine.test_run import PYTHON

from hookline.engine.git.run_git import Git

LONG = bool(os.environ.get("HOOKLINE_LONG"))
LESS = 'echo $(( $(cat src/n) - 1 )) > src/n; echo "one less"'


def some(many):
    """Return every third case, or all cases in the long suite."""
    return many if LONG else many[::3]


def changed(project, number=1):
    row = next(row for row in project.rows if row.iteration == number)
    return project.git("diff", "--name-only", row.base, row.commit).splitlines()


def change(project, old, new):
    path = project.root / ".hookline/targets/small.toml"
    path.write_text(path.read_text().replace(old, new))


def test_rules_outside_of_the_scope_hide_nothing(project):
    project.script("echo '*' > .gitignore; mkdir src/deep; echo 5 > src/deep/new; echo 9 > src/n; echo less")
    project.hookline("run", check=0)

    assert changed(project) == ["src/deep/new", "src/n"]
    assert project.rows[1].description == "less; restored .gitignore"


def test_rules_that_ignore_themselves_hide_nothing_either(project):
    (project.root / ".gitignore").unlink()
    project.git("commit", "-qm", "no rules", "--only", ".gitignore")
    project.target(experiments=2)
    project.script("echo '*' > .gitignore; echo 5 > src/new$$; " + LESS)
    project.hookline("run", check=0)

    assert len(changed(project, 1)) == len(changed(project, 2)) == 2


def test_what_the_users_rules_ignore_is_no_work(project):
    (project.home / ".gitignore").write_text("*.tmp\n")
    (project.home / ".gitconfig").write_text("[core]\nexcludesFile = ~/.gitignore\n")
    project.script(
        "echo x > src/x.log; echo x > src/x.tmp; mkdir cache; echo '*' > cache/.gitignore; " + LESS
    )
    project.hookline("run", check=0)

    assert changed(project) == ["src/n"]
    assert project.rows[1].description == "one less"
    assert (project.home / ".gitignore").read_text() == "*.tmp\n"


@pytest.mark.parametrize(
    "made",
    ["mkfifo src/fixed", "python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('src/fixed')\""],
)
def test_what_no_commit_can_hold_ends_no_run(project, made):
    project.script(f"rm src/fixed; {made}; echo 8 > src/n; mkfifo src/pipe; echo made")
    project.hookline("run", check=0)

    assert changed(project) == ["src/n"]
    assert project.rows[1].description == "made; restored src/fixed"


@pytest.mark.parametrize("where", [".", "src"])
def test_a_file_that_attributes_do_not_fit_is_committed_as_it_is(project, where):
    project.target(experiments=2)
    project.script(
        f"echo '*.txt working-tree-encoding=UTF-16' > {where}/.gitattributes; printf abc > src/a.txt",
        "rm -f src/fixed; chmod +x src/n; ln -sf n 'src/li nk'; " + LESS,
    )
    project.hookline("run", check=0)
    tree = project.git("ls-tree", "-r", project.rows[1].commit, "src/").splitlines()

    assert project.statuses == ["baseline", "keep", "keep"]
    assert project.git("show", f"{project.rows[1].commit}:src/a.txt") == "abc"
    assert {line.split("\t")[1]: line.split(" ")[0] for line in tree if ".gitattr" not in line} == {
        "src/a.txt": "100644",
        "src/fixed": "100644",
        "src/li nk": "120000",
        "src/n": "100755",
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("point", "torn"),
    some(
        [
            (point, torn)
            for point in ("after-left", "after-agent", "after-committed")
            for torn in (b"", b"DIRC")
        ]
    ),
)
def test_an_index_that_a_power_cut_tore_is_made_anew(project, point, torn):
    before = project.standing()
    project.script("echo 9 > src/n; echo new > src/new; rm src/fixed; echo nine")
    ended(killed(project, point))
    for index in Path(project.run.scratch).glob("*.index"):
        index.write_bytes(torn)
    project.hookline("run", "--resume", check=0)

    assert project.statuses == ["baseline", "keep"]
    assert changed(project) == ["src/n", "src/new"]
    assert project.standing() == before


def at(project, name):
    return project.git("rev-parse", "--verify", "-q", name)


def test_refs_of_earlier_experiments_cannot_be_taken_away(project):
    project.target(experiments=3)
    project.script(
        "git for-each-ref --format='%(refname)' refs/hookline | while read r; do git update-ref -d $r; done",
        'echo 1$(wc -l < "$AUTORESEARCH_JOURNAL") > src/n; git rm -q bench.sh; git commit -qm mine',
    )
    project.hookline("run", check=0)

    assert project.statuses == ["baseline", *["discard"] * 3]
    for row in project.rows:
        assert at(project, f"refs/hookline/{project.run.id}/{row.iteration}") == row.commit
    assert at(project, f"refs/hookline/{project.run.id}/1-own")


def test_what_the_users_branches_were_is_kept(project):
    for name in ("gone", "moved", "ahead"):
        project.git("branch", name, project.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", name))
    was = {name: at(project, name) for name in ("gone", "moved", "ahead")}
    project.script(
        "git branch -q -D gone; git branch -q -f moved HEAD",
        "git branch -q -f ahead $(git commit-tree ahead^{tree} -p ahead -m more)",
        "echo said",
    )
    done = project.hookline("run", check=0)
    kept = project.git("for-each-ref", "--format=%(refname)", f"refs/hookline/{project.run.id}/1-was/")

    assert [name.rpartition("/")[2] for name in kept.splitlines()] == ["gone", "moved"]
    for name in kept.splitlines():
        assert at(project, name) == was[name.rpartition("/")[2]]
    assert (
        "refs/heads/gone was deleted during experiment 1; its old commit is kept as refs/hookline/"
        in done.stdout
    )
    assert "refs/heads/moved was moved during experiment 1" in done.stdout


def test_what_was_tried_before_it_was_mended_is_kept(project):
    change(project, "[noise]", '[guard]\ncommand = "test ! -e src/bad"\n[noise]')
    project.script(
        "if grep -q 'guard failed' \"$AUTORESEARCH_INSTRUCTIONS\"",
        "then git clean -fdq; echo 12 > src/n; else echo 1 > src/n; touch src/bad; fi",
    )
    project.hookline("run", check=0)

    assert project.statuses == ["baseline", "discard"]
    assert project.git("show", f"refs/hookline/{project.run.id}/1-try1:src/n") == "1"


def test_to_take_all_back_mends_nothing(project):
    change(project, "[noise]", '[guard]\ncommand = "test ! -e src/bad"\n[noise]')
    project.script(
        "if grep -q 'guard failed' \"$AUTORESEARCH_INSTRUCTIONS\"",
        "then git clean -fdq; git checkout -q .; else echo 1 > src/n; touch src/bad; echo tried; fi",
    )
    project.hookline("run", check=0)
    row = project.rows[1]

    assert (row.status, row.metric, row.guard) == ("guard_failed", None, "fail")
    assert at(project, f"refs/hookline/{project.run.id}/1") == row.commit
    assert project.git("show", f"{row.commit}:src/n") == "1"


def test_a_users_commits_on_the_branch_of_a_run_are_kept(project):
    project.script(LESS)
    project.hookline("run", check=0)
    branch = project.run.branch
    mine = project.git("commit-tree", f"{branch}^{{tree}}", "-p", "HEAD", "-m", "rebased")
    project.git("update-ref", f"refs/heads/{branch}", mine)
    done = project.hookline("run", "--resume", "--experiments", "2", check=0)

    assert project.statuses == ["baseline", "keep", "keep"]
    assert project.tip == project.rows[2].commit
    assert mine not in project.git("rev-list", project.tip)
    assert at(project, f"refs/hookline/{project.run.id}/1-branch") == mine
    assert f"{branch} had commits that are not in the journal; they are kept as" in done.stdout


def test_a_commit_without_a_row_is_measured_and_recorded(project):
    project.script(LESS)
    project.hookline("run", check=0)
    branch, tree = project.run.branch, "HEAD^{tree}"
    mine = project.git("commit-tree", tree, "-p", branch, "-m", "as it was")
    project.git("update-ref", f"refs/heads/{branch}", mine)
    project.hookline("run", "--resume", "--experiments", "2", check=0)
    row = project.rows[2]

    assert (row.status, row.metric, row.commit) == ("discard", 10.0, mine)
    assert row.description.startswith("as it was")


@pytest.mark.slow
@pytest.mark.parametrize("many", ["1", "2"])
def test_a_branch_that_was_deleted_is_there_again(project, many):
    project.script(LESS)
    project.hookline("run", check=0)
    project.git("update-ref", "-d", f"refs/heads/{project.run.branch}")
    project.hookline("run", "--resume", "--experiments", "2", "--parallel", many, check=0)

    assert project.statuses == ["baseline", "keep", "keep"]
    assert project.tip == project.rows[2].commit


def test_a_branch_that_the_user_has_checked_out_is_left_alone(project):
    project.script(LESS)
    project.hookline("run", check=0)
    project.hookline("clean", project.run.id, "--yes", check=0)
    project.git("symbolic-ref", "HEAD", f"refs/heads/{project.run.branch}")
    before = project.standing()
    done = project.hookline("run", "--resume", "--experiments", "2", check=2)

    assert "is checked out in" in done.stderr
    assert "run `git switch -` there first" in done.stderr
    assert project.standing() == before


def test_runs_of_two_worktrees_do_not_share_refs(project, tmp_path):
    other = Project(tmp_path / "other", project.home)
    project.git("worktree", "add", "-q", str(other.root))
    other.target()
    for one in (project, other):
        one.script(f"echo 1{one.root.name[0].encode()[0]} > src/n; echo {one.root.name}")
        one.hookline("run", check=0)

    assert at(project, f"refs/hookline/{project.run.id}/1") == project.rows[1].commit
    assert at(other, f"refs/hookline/{other.run.id}/1") == other.rows[1].commit
    assert project.run.id != other.run.id


COMMON = 'common="$(git rev-parse --git-common-dir)"'
CHANGES = [
    "git config core.bare true",
    "git config core.worktree /nowhere; git config user.name Nobody; git config --unset user.email",
    "git config core.hooksPath /nowhere; git config alias.status '!false'",
    'echo "[[[" >> "$common/config"; mkdir -p "$common/info"; echo "src/*" >> "$common/info/exclude"',
    'rm "$common/config" "$common/HEAD"; rm -rf "$common/info"',
    'rm "$common/config"; mkfifo "$common/config"',
    (
        'git config filter.f.clean "sleep 100"; git config filter.f.smudge "sed s/cat.*/echo\\ 1/"; '
        'mkdir -p "$common/info"; echo "* filter=f" > "$common/info/attributes"'
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("change", some(CHANGES))
def test_what_an_agent_configures_is_put_back(project, change):
    project.target(experiments=2)
    before = project.standing()
    project.script(COMMON, "echo new > src/new$$; " + LESS, change)
    done = project.hookline("run", check=0)

    assert project.statuses == ["baseline", "keep", "keep"]
    assert len(changed(project)) == 2
    assert project.standing() == before
    assert " was changed during experiment 1; restored, and the change saved as " in done.stdout
    assert not (project.root / ".git/info/attributes").exists()


@pytest.mark.slow
def test_what_an_agent_configures_does_not_end_those_beside_it(project):
    project.target(experiments=3)
    project.script(
        'n=$(echo "$HOOKLINE_RUN" | cut -d: -f2); echo $n > src/e$n; touch $HOME/at$n',
        "if test $n = 1; then git config core.bare true; until test -e $HOME/at3; do sleep 0.05; done; fi",
        "if test $n = 2; then until test -e $HOME/at1; do sleep 0.05; done; sleep 0.5; fi; echo said",
    )
    before = project.standing()
    project.hookline("run", "--parallel", "2", check=0)

    assert sorted(project.statuses) == ["baseline", *["discard"] * 3]
    assert project.standing() == before


@pytest.mark.parametrize("change", some([CHANGES[3], CHANGES[0], "git config alias.status '!false'"]))
def test_what_an_agent_configured_is_put_back_after_a_crash(project, change):
    before = project.standing()
    project.script(COMMON, "echo $$ >> $HOME/began; " + LESS, change)
    ended(killed(project, "after-agent"))
    project.hookline("run", "--resume", check=0)

    assert project.statuses == ["baseline", "keep"]
    assert project.standing() == before
    assert len((project.home / "began").read_text().split()) == 1


def test_branches_and_remotes_of_the_user_stay_as_they_are_now(project):
    project.git("remote", "add", "old", "/old")
    project.git("config", "branch.main.rebase", "true")
    project.script(
        "git remote add there /there; git remote remove old; git config branch.main.merge refs/heads/x",
        "git config alias.x y; " + LESS,
    )
    project.hookline("run", check=0)
    told = project.git("config", "--local", "--list").splitlines()

    assert not [line for line in told if line.startswith(("alias", "remote.old"))]
    assert {"remote.there.url=/there", "branch.main.merge=refs/heads/x", "branch.main.rebase=true"} < {*told}


@pytest.mark.slow
@pytest.mark.parametrize(
    "harm",
    some(
        [
            'rm -f "$folder/results.tsv"; mkdir "$folder/results.tsv"',
            (
                'rm -f "$folder/results.jsonl" "$folder/step.json" "$folder/run.json"; '
                'mkdir "$folder/results.jsonl" "$folder/step.json" "$folder/step.json.new" "$folder/run.json"'
            ),
            'rm -f "$folder/ideas.md"; mkfifo "$folder/ideas.md"',
            'mkfifo "$folder/logs/2.log" "$folder/logs/2.md"',
            'mkdir "$folder/logs/2.log" "$folder/logs/2.md"',
            'rm -rf "$folder/logs"; touch "$folder/logs"',
            'rm -rf "$folder"; touch "$folder"',
            'rm -rf "$folder"/../../autoresearch; touch "$folder"/../../autoresearch',
        ]
    ),
)
def test_whatever_is_in_the_place_of_the_runs_files(project, harm):
    project.target(experiments=2)
    project.script('folder="$(dirname "$AUTORESEARCH_JOURNAL")"', harm, LESS, "echo 'next: less'")
    project.hookline("run", check=0)

    assert project.statuses == ["baseline", "keep", "keep"]


def stashed(project):
    return project.git("stash", "list", "--format=%H").splitlines()


@pytest.mark.parametrize(
    "harm", ['git stash drop -q; touch "$common/refs/stash.lock"', 'rm -rf "$common/logs"']
)
def test_a_stash_comes_back_whatever_is_in_the_way(project, harm):
    (project.root / "notes").write_text("again\n")
    project.git("stash", "push", "-q", "-m", "a\rb\x0cc\u2028d: e")
    before, stash = project.standing(), stashed(project)
    project.script(COMMON, harm, LESS)
    project.hookline("run", check=0)

    assert project.statuses == ["baseline", "keep"]
    assert project.standing() == before
    assert stashed(project) == stash


def test_what_an_agent_stashes_on_a_branch_of_its_own_is_not_in_the_users_stash(project):
    project.script("echo 9 > src/n; git switch -q -c elsewhere; git stash -q; echo 8 > src/n; echo stashed")
    before = stashed(project)
    project.hookline("run", check=0)
    kept = project.git("for-each-ref", "--format=%(refname)", f"refs/hookline/{project.run.id}/")

    assert stashed(project) == before
    assert f"refs/hookline/{project.run.id}/1-stash-0" in kept.splitlines()


def test_a_stash_that_the_user_made_meanwhile_survives_a_crash(project):
    project.script(f"git stash clear; cd '{project.root}'; git stash -q; touch $HOME/done")
    before = stashed(project)
    ended(killed(project, "after-stash"))
    project.hookline("run", "--resume", check=0)

    assert len(stashed(project)) == 2
    assert stashed(project)[1:] == before


@pytest.mark.slow
@pytest.mark.parametrize("config", some(["[diff]\nnoprefix = true\n", "[color]\nui = always\n"]))
def test_how_the_user_likes_differences_costs_no_winner(project, config):
    (project.home / ".gitconfig").write_text(config)
    (project.root / "bench.sh").write_text("ls src | wc -l | sed s/^/-/\n")
    project.git("commit", "-qm", "count", "bench.sh", "--only")
    project.target(experiments=2)
    project.script(BOTH, OWN)
    project.hookline("run", "--parallel", "2", check=0)

    assert project.statuses == ["baseline", "keep", "keep"]


@pytest.mark.parametrize("number", some(["1.7e308", "-1.7e308", "1e300"]))
def test_a_number_that_cannot_be_reckoned_with_is_a_metric_error(project, number):
    project.script(f"echo {number} > src/n")
    project.hookline("run", check=0)

    assert project.rows[1].status == "metric_error"
    assert "the number is too large" in project.rows[1].description


def test_an_agent_cannot_have_its_run_carried_out_twice(project):
    project.script(
        f"cd ..; rm -rf *; cd '{project.root}'; {PYTHON} run --resume; echo code $? >> $HOME/codes"
    )
    project.hookline("run", check=0)

    assert (project.home / "codes").read_text() == "code 1\n"
    assert project.statuses == ["baseline", "no_change"]


def test_git_is_not_killed_half_way(tmp_path):
    program = tmp_path / "git"
    program.write_text(
        f"#!/bin/sh\nsleep 0.3; kill -INT {os.getpid()}; sleep 0.5; echo > '{tmp_path}/done'\n"
    )
    program.chmod(0o755)
    with pytest.raises(KeyboardInterrupt):
        Git(dir=str(tmp_path), env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})("status")

    assert (tmp_path / "done").exists()


TAKEN = [
    'chmod 000 "$folder"',
    "mkdir src/d; echo x > src/d/f; chmod 000 src/d src/n",
    'chmod 500 "$folder/logs" "$folder"; chmod 400 "$folder"/*',
    "chmod 000 .",
    "chmod 500 ..",
    'chmod 000 "$common/config"',
]
UNPRIVILEGED = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
"""A command prefix that removes root's capabilities to bypass file permissions."""


def unprivileged(project, *words):
    argv = (*UNPRIVILEGED, sys.executable, "-m", "hookline", *words)
    return subprocess.run(
        argv, cwd=project.root, env=project.env, capture_output=True, text=True, check=False
    )


needs_setpriv = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("setpriv"), reason="requires root and setpriv"
)


@pytest.mark.slow
@needs_setpriv
@pytest.mark.parametrize("harm", some(TAKEN))
def test_permissions_that_an_agent_takes_away_are_given_back(project, harm):
    project.target(experiments=2)
    project.script(COMMON, 'folder="$(dirname "$AUTORESEARCH_JOURNAL")"', LESS, f"({harm}) 2>/dev/null")
    done = unprivileged(project, "run")

    assert done.returncode == 0, done.stdout + done.stderr
    assert project.statuses == ["baseline", "keep", "keep"]


@needs_setpriv
def test_what_cannot_be_committed_yet_is_not_thrown_away(project):
    project.script(COMMON, LESS, "echo new > src/new", 'chmod 500 "$common/objects" "$common"/objects/*')
    done = unprivileged(project, "run")
    subprocess.run(["chmod", "-R", "u+w", project.root / ".git" / "objects"], check=True)
    project.hookline("run", "--resume", check=0)

    assert done.returncode == 1
    assert project.statuses == ["baseline", "keep"]
    assert changed(project) == ["src/n", "src/new"]


def test_a_link_over_another_link_leads_nowhere_else(project):
    project.script(
        "echo 1 > ../cheat; ln -s . src/here; ln -s fixed src/inner; ln -s nowhere src/none",
        "rm src/n; ln -s here/../../cheat src/n; test -e src/n && echo linked",
    )
    project.hookline("run", check=0)

    assert project.rows[1].description == "linked; restored src/n; equal is not better"
    assert changed(project) == ["src/here", "src/inner", "src/none"]


def test_what_is_measured_configures_nothing_either(project):
    change(project, "[noise]", '[guard]\ncommand = "sh src/fixed.sh"\n[noise]')
    (project.root / "src/fixed.sh").write_text(":\n")
    project.git("add", "src")
    project.git("commit", "-qm", "guard", "--only", "src")
    before = project.standing()
    project.script("echo 'git config core.bare true; git branch -q -D side' > src/fixed.sh; " + LESS)
    project.git("branch", "side", project.git("commit-tree", "HEAD^{tree}", "-m", "side"))
    was = at(project, "side")
    project.hookline("run", check=0)

    assert project.statuses == ["baseline", "keep"]
    assert project.standing() == before
    assert at(project, f"refs/hookline/{project.run.id}/1-was/heads/side") == was
