"""Test dangerous-command on compositions: feeders and deleters, scratch repositories, emptied files."""

from itertools import product

import pytest

from hookline import State
from hookline.core.hook import configure
from hookline.core.state import Facts
from hookline.hooks.dangerous_command import dangerous_command
from hookline.testing import pre_tool_use

FACTS = {"root": "/home/me/project", "home": "/home/me"}


def state(**facts):
    every = {**FACTS, **facts}
    return State(now=0.0, facts=Facts({name: lambda value=value: value for name, value in every.items()}))


def verdict(line, hook=dangerous_command, **facts):
    """Return the rule that stops *line*, or an empty string."""
    response = hook(pre_tool_use(line, cwd="/home/me/project"), state(**facts))
    return response.rule if response is not None and response.verdict in ("block", "ask") else ""


FEEDERS = {
    "find .": True,
    "find /home/me/project -type f": True,
    "ls -A": True,
    "git ls-files": True,
    "git ls-files -m": True,
    "git ls-files --others": True,
    "git status --porcelain | cut -c4-": True,
    "git status -s | grep '^??' | awk '{print $2}'": True,
    "git diff --name-only": True,
    "find . -name '*.pyc'": False,
    "find . -type l": False,
    "ls build": False,
    "git ls-files | grep '[.]snap$'": False,
    "git ls-files -o -- build": False,
    "git diff --name-only --diff-filter=D": False,
    "git ls-files --deleted": False,
}
"""Commands that print file names, and whether these are all files of the project."""
DELETERS = (
    "{} | xargs rm -rf",
    '{} | while read -r f; do rm -rf "$f"; done',
    "rm -rf $({})",
    "for f in $({}); do rm -rf $f; done",
)


@pytest.mark.parametrize(("feeder", "deleter"), list(product(FEEDERS, DELETERS)))
def test_a_list_of_all_files_must_not_be_deleted(feeder, deleter):
    assert bool(verdict(deleter.format(feeder))) is FEEDERS[feeder]


GIT_LISTS = ("git ls-files -m", "git diff --name-only", "git ls-files", "git ls-tree -r --name-only HEAD")
RESTORERS = (
    "{} | xargs git checkout --",
    "git restore $({})",
    "git checkout HEAD -- $({})",
    "{} | git checkout --pathspec-from-file=-",
    "{} | git restore --pathspec-from-file -",
    '{} | while read f; do git checkout -- "$f"; done',
)


@pytest.mark.parametrize(("feeder", "restorer"), list(product(GIT_LISTS, RESTORERS)))
def test_a_list_of_all_changes_must_not_be_discarded(feeder, restorer):
    assert verdict(restorer.format(feeder)) in ("git-checkout-dot", "git-restore-dot")
    assert not verdict(restorer.format(f"{feeder} -- src/a.py"))


@pytest.mark.parametrize(
    "line",
    [
        "git diff | git apply -R",
        "git diff HEAD | git apply --reverse --index",
        "git diff > /tmp/p && git apply -R /tmp/p",
        "git diff | patch -R -p1",
        "git diff HEAD > x.patch; patch -p1 -R -i x.patch",
        "git checkout-index -fa",
        "git checkout-index --all --force",
        "git read-tree -u --reset HEAD",
        "git stash -u && git stash drop",
        "git stash; git stash clear",
        "git rm -rf .",
        "git rm -r '*'",
        "git submodule update --force",
    ],
)
def test_all_uncommitted_work_is_kept(line):
    assert verdict(line)
    assert not verdict(line.replace("git ", "git -C /tmp/scratch ")) or "stash" in line or "patch" in line


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf .git",
        "rm -rf ./.git/",
        "rm -r .git/objects .git/refs",
        "rm -rf .git/*",
        "find .git -delete",
        "find .git -type f -exec rm {} +",
        "find .git/objects -type f | xargs rm -f",
        "mv .git /tmp/gone",
        "mv .git old && rm -rf old",
        ": > .git/HEAD",
        "cp /dev/null .git/packed-refs",
        "truncate -s 0 .git/index",
        "cd .git && rm -rf objects refs",
        "D=.git; rm -rf $D",
        "for d in .git src; do rm -rf ./$d; done",
        "python3 -c \"import shutil; shutil.rmtree('.git')\"",
    ],
)
def test_the_data_of_a_repository_is_kept(line):
    assert verdict(line)


@pytest.mark.parametrize("line", ["rm -f .git/index.lock", "rm .git/hooks/pre-commit", "mv .git .git.bak"])
def test_small_changes_of_git_pass(line):
    assert not verdict(line)


CREATED = (
    "T=$(mktemp -d); git init -q $T; git -C $T {}",
    "T=$(mktemp -d) && cd $T && git init && git {}",
    "git init /tmp/r && cd /tmp/r && git {}",
    "git clone https://example.com/x.git /tmp/r && git -C /tmp/r {}",
    "git clone https://example.com/x.git && cd x && git {}",
    "mkdir /tmp/r-$$ && cd /tmp/r-$$ && git init && git {}",
)
WORK = ("reset --hard", "clean -fdx", "checkout -- .", "restore .", "rm -rf .")
LINE_HISTORY = ("branch -D x", "tag -d v1", "reflog expire --expire=now --all", "filter-branch -- --all")


@pytest.mark.parametrize(("where", "what"), list(product(CREATED, WORK + LINE_HISTORY)))
def test_a_repository_that_the_line_created_may_be_changed(where, what):
    assert not verdict(where.format(what))


@pytest.mark.parametrize("what", WORK)
def test_work_in_a_temporary_folder_may_be_discarded(what):
    assert not verdict(f"git -C /tmp/clone {what}")
    assert verdict(f"git -C /srv/clone {what}")
    assert verdict(f"git init . && git {what}")
    assert verdict(f"cd /tmp && cd - && git {what}")


@pytest.mark.parametrize("what", LINE_HISTORY)
def test_a_worktree_in_a_temporary_folder_shares_its_history(what):
    assert verdict(f"git -C /tmp/worktree {what}")


@pytest.mark.parametrize(
    ("line", "stopped"),
    [
        ("git init --bare /tmp/r.git && git push -f /tmp/r.git HEAD:main", False),
        ("git remote add t /tmp/r.git && git push -f t HEAD", False),
        ("git clone /tmp/a /tmp/b && cd /tmp/b && git push -f", False),
        ("git clone git@example.com:a/b /tmp/b && cd /tmp/b && git push -f", True),
        ("git remote add t git@example.com:a/b && git push -f t HEAD", True),
        ("cd /tmp/b && git push -f", True),
    ],
)
def test_a_forced_push_is_judged_by_its_target(line, stopped):
    assert bool(verdict(line)) is stopped


REFSPECS = (":{}", "+:{}", ":refs/heads/{}", "--delete {}", "-d refs/heads/{}", ":heads/{}", "--delete '{}*'")


@pytest.mark.parametrize("refspec", REFSPECS)
def test_a_protected_branch_is_not_deleted_on_the_remote(refspec):
    assert verdict(f"git push origin {refspec.format('main')}") == "git-push-delete"
    assert not verdict(f"git push origin {refspec.format('topic')}")


def test_branches_are_not_deleted_by_a_list():
    assert verdict("git branch -r | sed 's,origin/,,' | xargs git push origin --delete") == "git-push-delete"
    assert not verdict('git push origin --delete "$(git branch --show-current)"')


EMPTIERS = (
    "> {}",
    ": > {}",
    "true > {}",
    "cat /dev/null > {}",
    "echo -n > {}",
    "printf '' > {}",
    "cp /dev/null {}",
    "truncate -s 0 {}",
    "dd if=/dev/null of={}",
)


@pytest.mark.parametrize("emptier", EMPTIERS)
def test_a_changed_source_file_is_not_emptied(emptier):
    line = emptier.format("src/app.py")

    assert verdict(line) == "truncate-source"
    assert not verdict(line, has_changes=lambda path: False)
    assert verdict(emptier.format("notes.txt"), has_changes=lambda path: True) == "truncate-source"
    assert not verdict(emptier.format("app.log"))
    assert not verdict(emptier.format("/tmp/app.py"))
    assert not verdict(f"touch src/app.py; {line}")


CONTAINERS = (
    ("docker run -d --name db postgres", "docker rm -f db"),
    ("ID=$(docker run -d postgres)", "docker rm -f $ID"),
    ("docker run -d --name db postgres", "docker exec db psql -c 'drop table x'"),
    ("docker run -d --name db redis", "docker exec db redis-cli flushall"),
    ("docker volume create v", "docker volume rm v"),
    ("docker compose -p ci up -d", "docker compose -p ci down -v"),
    ("kind create cluster --name c", "kind delete cluster --name c"),
    ("kubectl create namespace n", "kubectl delete namespace n"),
    ("createdb shop", "dropdb shop"),
    ("createdb shop", "psql -d shop -c 'truncate a'"),
    ("psql -c 'create database shop'", "psql -c 'drop database shop'"),
)


@pytest.mark.parametrize(("create", "delete"), CONTAINERS)
def test_what_the_line_created_may_be_deleted(create, delete):
    assert not verdict(f"{create}; {delete}")
    assert not verdict(f"{create}\n./test.sh\n{delete} || true")
    assert verdict(f"true; {delete.replace('$ID', '$(docker ps -aq)')}")


@pytest.mark.parametrize(
    "line",
    [
        ". .venv/bin/activate && pip uninstall -y x",
        "source venv/bin/activate; pip uninstall x",
        ".venv/bin/pip uninstall x",
        "./env/bin/python -m pip uninstall x",
        "uv pip uninstall x",
        "poetry run pip uninstall x",
    ],
)
def test_a_virtual_environment_may_be_changed(line):
    assert not verdict(line)


def test_a_package_of_the_system_is_not_removed():
    environment = state()
    active = State(now=0.0, env={"VIRTUAL_ENV": "/x"}, facts=environment.facts)
    event = pre_tool_use("pip uninstall x", cwd="/home/me/project")

    assert dangerous_command.judge(event, environment).rule == "package-uninstall"
    assert dangerous_command.judge(event, active) is None
    assert verdict("uv pip uninstall --system x")


@pytest.mark.parametrize(
    ("line", "stopped"),
    [
        ("curl -X DELETE http://localhost:3000/a", False),
        ("http DELETE 127.0.0.1:8080/a", False),
        ("curl -X DELETE http://localhost:9200/index", True),
        ("curl -X DELETE https://api.example.com/a", True),
        ("python3 -c \"import requests; requests.delete('http://localhost:80/a')\"", False),
        ("node -e \"fetch('https://api.example.com/a', {method: 'DELETE'})\"", True),
    ],
)
def test_requests_are_judged_by_their_host(line, stopped):
    assert bool(verdict(line)) is stopped


ESCAPES = (
    "psql -c '\\! {}'",
    "psql <<'E'\nselect 1;\n\\! {}\nE",
    "printf '%s\\n' '.shell {}' | sqlite3 a.db",
    "sqlite3 a.db '.system {}'",
    "mysql -e 'system {}'",
    "psql -c \"copy a to program '{}'\"",
)


@pytest.mark.parametrize("escape", ESCAPES)
def test_shell_escapes_of_database_clients_are_judged(escape):
    assert verdict(escape.format("rm -rf /home/me")) == "rm-home"
    assert not verdict(escape.format("ls /home/me"))


def test_a_user_declares_the_effect_of_a_program():
    declared = configure(dangerous_command, {"programs": {"zap": "delete", "stash-away": "move"}})

    assert not verdict("zap /home/me")
    assert verdict("zap /home/me", declared) == "rm-home"
    assert verdict("stash-away /etc /mnt/x", declared) == "mv-root"
    assert not verdict("zap build", declared)


@pytest.mark.parametrize(
    ("target", "stopped"), [("", False), ("build", False), ("clean", True), ("all", True), ("missing", True)]
)
def test_make_runs_its_target_only(target, stopped):
    recipe = r"build:\n\tcc a.c\nall: build clean\nclean:\n\trm -rf /home/me\n"

    assert bool(verdict(f"printf '{recipe}' > Makefile; make {target}")) is stopped
