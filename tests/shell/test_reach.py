"""Test indirect commands: through other machines, containers, git and tar variables, and users' runners."""

import pytest

from hookline.shell import read


def ran(line, **known):
    reading = read(line, cwd="/home/me/project", home="/home/me", **known)
    return [" ".join(word.text for word in command.words) for command in reading.commands]


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("ssh -p 22 host a b", "a b"),
        ("ssh -o 'ProxyCommand=a b' host", "a b"),
        ("ssh -voProxyCommand='a b' host", "a b"),
        ("scp -o KnownHostsCommand=a x host:", "a"),
        ("scp -S a x host:", "a"),
        ("rsync -e 'a b' x host:", "a b"),
        ("rsync --rsh=a x host:", "a"),
        ("socat TCP:h:1 EXEC:'a b'", "a b"),
        ("nc -e a host 1", "a"),
        ("ncat --sh-exec 'a b' -l 1", "a b"),
        ("docker exec -it -e X=1 box a b", "a b"),
        ("docker compose -f x.yml exec -T web a", "a"),
        ("kubectl -n ns exec pod -c box -- a b", "a b"),
        ("GIT_SSH_COMMAND=a git fetch", "a"),
        ("export GIT_SSH=a; git ls-remote origin", "a"),
        ("git -c core.sshCommand=a pull", "a"),
        ("GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.sshCommand GIT_CONFIG_VALUE_0=a git fetch", "a"),
        ("GIT_SSH_COMMAND=a git archive --remote=x HEAD", "a"),
        ("GIT_SSH_COMMAND=a git archive HEAD", "git archive HEAD"),
        ("GIT_SSH_COMMAND=a git status", "git status"),
        ("TAR_OPTIONS='-f x' tar -c y", "tar -f x -c y"),
        ("TAPE=x tar -c y", "tar -c y --file=x"),
        ("python -m a b -c", "a b -c"),
        ("python manage.py a", "manage.py a"),
        ("npx -y a b", "a b"),
        ("rtk a b", "a b"),
        ("pnpm dlx a", "a"),
        ("bash -n +n <<< a", "a"),
        ("bash -n <<< a", "bash -n"),
        ("find -D tree -O3 x -exec a {} ;", "a x"),
        ("find -L x -exec a {} ;", "a x"),
        ("f() { f() { a; }; f; }; f", "a"),
        ("alias z='alias z=a; z'; z", "a"),
        ("python -c 'import os; os.remove(\"x\")'", "rm x"),
        ("perl -e 'unlink \"x\"'", "rm x"),
        ("ruby -e 'FileUtils.rm_rf(Dir.home)'", "rm -rf /home/me"),
        ("python -c 'l = []; l.remove(\"x\")'", 'python -c l = []; l.remove("x")'),
        ("A=x; if b; then A=y; fi; a $A", "a x"),
        ("if b; then A=y; a $A; fi", "a y"),
        ("for i in 1 2; do A=$i; done; a $A", "a 1"),
    ],
)
def test_is_followed(line, last):
    assert ran(line)[-1] == last


def test_what_a_branch_sets_holds_inside_it_and_may_hold_after_it():
    assert ran("A=x; if b; then A=y; c $A; fi; d $A") == ["b", "c y", "d y", "d x"]


def test_the_rounds_of_a_loop_add_up():
    assert ran("for i in 1 2; do A=$i; done; a $A") == ["a 2", "a 1"]


@pytest.mark.parametrize(
    ("runners", "line", "last"),
    [
        ({"w": ""}, "w a b", "a b"),
        ({"w": "-n"}, "w -n 1 a b", "a b"),
        ({"w run": "-n"}, "w run -n 1 a", "a"),
        ({"w run": ""}, "w show a", "w show a"),
        ({"w": "", "v": ""}, "w v a", "a"),
        ({"echo": ""}, "echo a", "echo a"),
        ({"": "x"}, "a", "a"),
    ],
)
def test_users_name_their_own_runners(runners, line, last):
    assert ran(line, runners=runners)[-1] == last


@pytest.mark.parametrize(
    ("line", "endless"),
    [
        ("b(){ b|b& }; b", True),
        ("b(){ b & }; b", True),
        ("f(){ g & }; g(){ f; }; f", True),
        ("while true; do a & done", True),
        ("while :; do (a &); wait; done", True),
        ("until false; do a & done", True),
        ("for ((;;)); do a & done", True),
        ("while [ 1 ]; do a & wait; b & done", True),
        ("while ((1)); do wait; a & disown; done", True),
        ("bash -c 'while true; do a & done'", True),
        ("f(){ g; }; g(){ f; }; f", False),
        ("f(){ g & }; f; g(){ f; }", False),
        ("while true; do a & wait; done", False),
        ("while true; do wait; a & done", False),
        ("while true; do a & sleep 1; done", False),
        ("while true; do a & break; done", False),
        ("while true; do (a & wait); done", False),
        ("while read x; do a & done", False),
        ("while ((0)); do a & done", False),
        ("for ((i=0; i<3; i++)); do a & done", False),
        ("for i in 1 2; do a & done", False),
        ("while true; do a; done", False),
        ("echo ':(){ :|:& };:'", False),
    ],
)
def test_processes_without_end(line, endless):
    assert bool(read(line).fork_bombs) is endless
