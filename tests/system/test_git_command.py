"""Test that git runs no program which a repository's configuration names."""

import ast
import os
import subprocess
from pathlib import Path

import pytest
from tests.hostile_git import ATTACKS, FETCHES, IDENTITY, HostileRepository, plant_embedded_repository

from hookline.core.kind import ProcessResult
from hookline.system.git_command import (
    NoRepository,
    clean_env,
    disabled_filters,
    find_checkout,
    secure_env,
)
from hookline.system.git_diff import changed_lines

SOURCE = Path(__file__).parents[2] / "src" / "hookline"


@pytest.fixture
def hostile(tmp_path):
    root = tmp_path / "repository"
    root.mkdir()
    repository = HostileRepository(root, tmp_path / "outside")
    repository.git("init", "-q", "-b", "main")
    repository.write("a.txt", "line\n" * 10)
    repository.git("add", "a.txt")
    repository.git("commit", "-qm", "begin")
    return repository


def count(folder, **env):
    return changed_lines(str(folder), {**os.environ, **env}, 20)


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_program_that_the_repository_configures(hostile, attack):
    hostile.write("a.txt", "line\n" * 13)
    ATTACKS[attack](hostile, attack)

    assert count(hostile.root) == 3
    assert hostile.ran == set()


@pytest.mark.parametrize("attack", FETCHES)
def test_fetching_a_missing_object(hostile, attack):
    hostile.write("a.txt", "line\n" * 13)
    FETCHES[attack](hostile, attack)

    assert count(hostile.root) is None
    assert hostile.ran == set()


def test_a_committed_folder_that_looks_like_a_repository(hostile):
    folder = plant_embedded_repository(hostile, "embedded")
    hostile.write("a.txt", "line\n" * 13)

    assert count(folder) == 3
    assert hostile.ran == set()


PLAIN = (
    *("git diff HEAD", "git status", "git rev-list --alternate-refs --max-count=1", "git add a.txt"),
    *("git -c commit.gpgSign=false commit -m x", "git commit --amend", "git log -p -1"),
    *("rm a.txt; git checkout -f a.txt", "git switch -c side HEAD~1"),
    *("echo > a.txt; git -c commit.gpgSign=false commit -qam y", "git merge main"),
)
NOT_BY_PLAIN_GIT = {
    "core.worktree",
    "configured-hooks",
    "aliases",
    "credentials",
    "fetch-by-helper",
    "pagers",
}
"""Attacks that show only in results, in later versions of git, with a network or on a terminal."""


@pytest.mark.slow
@pytest.mark.parametrize("attack", sorted((ATTACKS.keys() | FETCHES.keys()) - NOT_BY_PLAIN_GIT))
def test_the_attacks_succeed_against_plain_git(hostile, attack):
    hostile.write("a.txt", "line\n" * 13)
    {**ATTACKS, **FETCHES}[attack](hostile, attack)
    env = {**os.environ, **IDENTITY, "GIT_CONFIG_GLOBAL": os.devnull, "EDITOR": "true"}
    for line in PLAIN:
        options = {"cwd": hostile.root, "env": env, "stdin": subprocess.DEVNULL, "capture_output": True}
        subprocess.run(line, shell=True, timeout=20, check=False, **options)
        if hostile.ran:
            break

    assert hostile.ran == {attack}


def run(argv, cwd, env):
    done = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, check=False)
    texts = (output.decode("utf-8", "surrogateescape") for output in (done.stdout, done.stderr))
    return ProcessResult(code=done.returncode, **dict(zip(("stdout", "stderr"), texts, strict=True)))


def answer(text):
    return lambda argv, cwd, env: ProcessResult(code=0, stdout=text)


def settings(env, name):
    """Return the values of a setting that replace the repository's own."""
    numbers = range(int(env["GIT_CONFIG_COUNT"]))
    return [
        env[f"GIT_CONFIG_VALUE_{number}"] for number in numbers if env[f"GIT_CONFIG_KEY_{number}"] == name
    ]


@pytest.fixture
def env(tmp_path):
    """Return the environment of a user with a git configuration of their own."""
    home = tmp_path / "home"
    home.mkdir()
    return clean_env({"HOME": str(home), "PATH": os.environ["PATH"]})


def configure(env, text):
    Path(env["HOME"], ".gitconfig").write_text(text)


def test_the_users_own_filter_runs_instead_of_the_repositorys(hostile, env):
    hostile.write("a.txt", "line\n" * 13)
    ATTACKS["filter-required"](hostile, "filter")
    configure(env, '[filter "x"]\nclean = sed s/line/LINE/\n')

    assert changed_lines(str(hostile.root), env, 20) == 23
    assert hostile.ran == set()
    assert disabled_filters(secure_env(f"{hostile.root}/.git", env, run)) == ("x",)  # its smudge


def test_all_helpers_of_the_user_replace_those_of_the_repository(hostile, env):
    ATTACKS["credentials"](hostile, "helper")
    configure(env, "[credential]\nhelper = one\nhelper = two\n")
    found = secure_env(f"{hostile.root}/.git", env, run)

    assert settings(found, "credential.helper") == ["", "one", "two"]
    assert settings(found, "credential.https://example.org.helper") == [""]


def test_hooks_in_the_repositorys_configuration_do_nothing(hostile, env):
    ATTACKS["configured-hooks"](hostile, "hook")

    assert settings(secure_env(f"{hostile.root}/.git", env, run), "hook.x.command") == ["true"]


def test_a_filter_without_a_value_is_refused_by_git(hostile, env):
    hostile.attributes("* filter=x")
    hostile.configure('[filter "x"]\nclean')
    hostile.write("a.txt", "line\n" * 13)

    assert count(hostile.root) is None


def test_the_checkout_of_a_folder_is_the_nearest_with_a_git_folder(hostile, env, tmp_path):
    hostile.write("deep/er/file", "")
    hostile.git("worktree", "add", "-q", str(tmp_path / "tree"))
    (tmp_path / "link").symlink_to(hostile.root / "deep")
    here, there = str(hostile.root), str(tmp_path / "tree")
    checkouts = [find_checkout(str(path), env, run) for path in (f"{here}/deep/er", tmp_path / "link", there)]

    assert [checkout.root for checkout in checkouts] == [here, here, there]
    assert [checkout.dir for checkout in checkouts] == [
        f"{here}/.git",
        f"{here}/.git",
        f"{here}/.git/worktrees/tree",
    ]
    assert {checkout.common for checkout in checkouts} == {f"{here}/.git"}


def test_a_bare_repository_has_files_only_in_its_worktrees(hostile, env, tmp_path):
    bare, tree = tmp_path / "project" / ".bare", tmp_path / "project" / "tree"
    hostile.git("clone", "-q", "--bare", str(hostile.root), str(bare))
    (bare.parent / ".git").write_text("gitdir: ./.bare\n")
    hostile.git("-C", str(bare), "worktree", "add", "-q", "-b", "side", str(tree))
    (tree / "new").write_text("1\n2\n")

    with pytest.raises(NoRepository, match="is a bare repository without files"):
        find_checkout(str(bare.parent), env, run)
    assert [count(bare.parent), count(bare), count(tree)] == [None, None, 2]


@pytest.mark.parametrize("content", ["", "gitdir: nowhere\n", "gitdir: ../embedded\n"])
def test_a_git_file_that_leads_nowhere_hides_the_repository_around_it(hostile, env, content):
    hostile.write("sub/.git", content)
    hostile.write("embedded/HEAD", "ref: refs/heads/main\n")

    with pytest.raises(NoRepository, match=r"git cannot open '.*/sub': "):
        find_checkout(str(hostile.root / "sub"), env, run)


@pytest.mark.parametrize("setting", [True, False], ids=["new-git", "old-git"])
def test_a_broken_git_folder_in_a_folder_that_looks_like_a_repository(hostile, env, setting):
    """Check both defences: old versions of git ignore `safe.bareRepository`."""
    folder = plant_embedded_repository(hostile, "embedded")
    (folder / ".git").mkdir()

    def run_old(argv, cwd, env):
        if argv[-2:] == ("--resolve-git-dir", ".git"):
            return ProcessResult(code=0, stdout=f"{folder}\n{folder}\n.git\n")
        return run(argv, cwd, env)

    with pytest.raises(NoRepository):
        find_checkout(str(folder), env, run if setting else run_old)


@pytest.mark.skipif(os.geteuid() != 0, reason="requires root, who can give files away")
def test_a_repository_of_another_user(hostile, env):
    os.chown(hostile.root, 1234, -1)
    with pytest.raises(NoRepository, match="dubious ownership"):
        find_checkout(str(hostile.root), env, run)
    configure(env, f"[safe]\ndirectory = {hostile.root}\n")

    assert find_checkout(str(hostile.root), env, run).root == str(hostile.root)


OURS = "command\0core.hookspath\n/dev/null\0"


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        ("local\0core.bare\nfalse\0", "git 2.31 or later is required"),
        ("local\0core.hookspath\n/dev/null\0", "git 2.31 or later is required"),
        (OURS + "local\0a.b\nx\0" * 200_000, "more than 2,000,000 characters"),
        (OURS + "".join(f"local\0filter.{number}.clean\nx\0" for number in range(1001)), "1,000 programs"),
    ],
    ids=["old-git", "pretended", "long", "many"],
)
def test_a_configuration_that_is_not_usable(env, output, problem):
    with pytest.raises(NoRepository, match=problem):
        secure_env("/", env, answer(output))


@pytest.mark.parametrize(
    ("path", "kept"),
    [("/bin:.:bin::/usr/bin", "/bin:/usr/bin"), ("", os.defpath), (".", os.defpath)],
)
def test_no_program_is_searched_in_the_working_directory(path, kept):
    assert clean_env({"PATH": path})["PATH"] == kept
    assert clean_env({})["PATH"] == os.defpath


def starts_git(node):
    """Return whether a node of a syntax tree is a command line that starts with `git`."""
    words = node.elts if isinstance(node, ast.List | ast.Tuple) else ()
    return bool(words) and isinstance(words[0], ast.Constant) and words[0].value in ("git", "/usr/bin/git")


def test_every_git_process_is_built_in_one_module():
    parsed = {path: ast.parse(path.read_text()) for path in SOURCE.rglob("*.py")}
    tables = {"hooks", "shell"}  # packages that judge command lines, and start no process
    found = {
        str(path.relative_to(SOURCE))
        for path, tree in parsed.items()
        if path.relative_to(SOURCE).parts[0] not in tables and any(map(starts_git, ast.walk(tree)))
    }

    assert found == {"system/git_command.py"}
