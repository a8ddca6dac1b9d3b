"""Test repositories with submodules: agents can read their files, and no experiment changes them."""

import os
import shutil
import subprocess

import pytest

from hookline.cli.run import _refuse_submodules
from hookline.engine.git import repository

LESS = "echo $(( $(cat src/n) - 1 )) > src/n; echo one less"
BENCH = "echo $(( $(cat src/n) + $(cat libs/inner/deep/add) ))\n"


def git(where, *words):
    words = (
        "-c",
        "protocol.file.allow=always",
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@example.org",
        *words,
    )
    done = subprocess.run(["git", *words], cwd=where, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def made(place, **files):
    place.mkdir()
    git(place, "init", "-q", "-b", "main")
    for name, text in files.items():
        (place / name).write_text(text)
    git(place, "add", ".")
    git(place, "commit", "-qm", "begin")
    return place


@pytest.fixture
def nested(project, tmp_path):
    """Create a project with a nested submodule that contains a part of the metric."""
    deep = made(tmp_path / "deep", add="100\n")
    inner = made(tmp_path / "inner", text="read me\n")
    git(inner, "submodule", "add", "-q", str(deep), "deep")
    git(inner, "commit", "-qm", "deep")
    git(project.root, "stash", "-q", "-u")
    git(project.root, "submodule", "add", "-q", str(inner), "libs/inner")
    git(project.root, "submodule", "update", "-q", "--init", "--recursive")
    (project.root / "bench.sh").write_text(BENCH)
    git(project.root, "add", ".")
    git(project.root, "commit", "-qm", "submodules")
    project.target(experiments=2)
    path = project.root / ".hookline/targets/small.toml"
    path.write_text(path.read_text().replace('"src/**"', '"**"').replace('"src/fixed"', '"bench.sh"'))
    for place in (deep, inner):
        shutil.rmtree(place)  # nothing can be fetched from these repositories
    return project


def inside(project):
    place = project.root / "libs" / "inner"
    return git(place, "status", "--porcelain", "--branch"), git(place, "submodule", "status", "--recursive")


def test_their_files_are_there_for_agent_and_metric(nested):
    before = nested.standing(), inside(nested)
    nested.script(
        LESS, 'cat libs/inner/text libs/inner/deep/add > "$HOME/read"; git status --short >> "$HOME/read"'
    )
    done = nested.hookline("run", check=0)

    assert [(row.status, row.metric) for row in nested.rows] == [
        ("baseline", 110.0),
        ("keep", 109.0),
        ("keep", 108.0),
    ], done.stdout + done.stderr
    assert (nested.home / "read").read_text() == "read me\n100\n M src/n\n"
    assert nested.git("diff", "--name-only", "main", nested.tip) == "src/n"
    assert (nested.standing(), inside(nested)) == before


HARM = {
    "a change": "echo 0 > libs/inner/deep/add",
    "a new file": "echo 0 > libs/inner/new",
    "gone": "rm -rf libs",
    "a link": 'rm -rf libs/inner; mkdir -p "$HOME/o"; ln -s "$HOME/o" libs/inner',
    "a link on the way": 'rm -rf libs; mkdir -p "$HOME/o/inner"; ln -s "$HOME/o" libs',
    "a repository": "cd libs/inner; git init -q .; git add -A; git commit -qm x; echo 0 > deep/add; cd ../..",
    "a file": "rm -rf libs/inner; echo x > libs/inner",
    "other submodules": "sed -i s/inner/other/ .gitmodules; git commit -qam other; rm -rf libs/inner",
    "as git knows them": "git rm -qf libs/inner; git commit -qm out",
    "no permissions": "echo 0 > libs/inner/deep/add; chmod 000 libs/inner/deep/add libs/inner/deep",
}


@pytest.mark.slow
@pytest.mark.parametrize("harm", list(HARM)[:: 1 if os.environ.get("HOOKLINE_LONG") else 4])
def test_nobody_wins_by_changing_them(nested, harm):
    before = nested.standing(), inside(nested)
    nested.script(LESS, HARM[harm])
    done = nested.hookline("run", check=0)

    assert [(row.status, row.metric) for row in nested.rows[1:]] == [("keep", 109.0), ("keep", 108.0)], (
        done.stdout
    )
    assert "restored" in nested.rows[1].description
    assert nested.git("diff", "--name-only", "main", nested.tip) == "src/n"
    assert (nested.standing(), inside(nested)) == before
    assert not (nested.home / "o" / "text").exists()


def test_a_change_in_them_alone_is_a_violation(nested):
    nested.script(HARM["a change"])
    nested.hookline("run", check=0)
    row = nested.rows[1]

    assert (row.status, row.details["outside"]) == ("scope_violation", ["libs/inner/deep/add"])


def test_what_is_empty_in_the_checkout_is_empty_in_experiments_and_said(nested):
    git(nested.root, "submodule", "deinit", "-q", "-f", "libs/inner")
    shutil.rmtree(nested.root / ".git" / "modules")
    (nested.root / "bench.sh").write_text("cat src/n\n")
    git(nested.root, "commit", "-qam", "without")
    nested.script(LESS, "ls libs/inner > src/found")
    done = nested.hookline("run", check=0)

    assert "submodule libs/inner is empty in your checkout and in every experiment" in done.stdout
    assert nested.statuses == ["baseline", "keep", "keep"]
    assert nested.git("show", f"{nested.tip}:src/found") == ""


def test_a_commit_that_is_not_there_yet_is_refused(nested):
    link = f"160000,{'1' * 40},libs/inner"
    git(nested.root, "update-index", "--cacheinfo", link)
    git(nested.root, "commit", "-qm", "ahead")
    done = nested.hookline("run", check=2)

    assert (
        "submodule 'libs/inner' lacks commit 111111111111; run `git submodule update --init`" in done.stderr
    )
    assert "no runs; " in nested.hookline("runs", check=0).stdout


@pytest.mark.slow
def test_several_at_once_and_a_merge_have_them_too(nested):
    nested.script("n=$(echo $HOOKLINE_RUN | cut -d: -f2); echo $n > src/f$n; echo $((10 - n)) > src/n")
    nested.hookline("run", "--parallel", "2", check=0)
    done = nested.hookline("merge", check=0)

    assert min(row.metric for row in nested.rows) == 108.0
    assert "metric 10" in done.stdout


def test_they_do_not_travel_to_a_cluster(nested):
    here = repository.open_repository(str(nested.root), nested.env)
    with pytest.raises(ValueError, match=r"does not support submodules \(libs/inner\)"):
        _refuse_submodules(here, nested.git("rev-parse", "HEAD"))
