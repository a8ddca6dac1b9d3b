"""Programs that run programs: the innermost command is found behind each of them."""

import base64

import pytest

from hookline.bash import read

ENCODED = base64.b64encode(b"rm -rf /\n").decode()


def last(line):
    """The words of the last command that runs."""
    return [word.text for word in read(line, cwd="/p", home="/h").commands[-1].words]


@pytest.mark.parametrize(
    "line",
    [
        "sudo a b",
        "sudo -n -u root -- a b",
        "sudo -E X=1 a b",
        "doas -u root a b",
        "env a b",
        "env -i X=1 Y=2 a b",
        "env -u FOO - a b",
        "env -S 'a b'",
        "env -S 'X=1 a' b",
        "command -p a b",
        "builtin command a b",
        "exec -a name a b",
        "nohup a b",
        "nice -n 10 a b",
        "nice -10 a b",
        "time -p a b",
        "command time -f %e a b",
        "timeout -k 5 30s a b",
        "timeout --signal=KILL 30 a b",
        "setsid -w a b",
        "stdbuf -oL a b",
        "ionice -c2 -n4 a b",
        "chrt -f 10 a b",
        "strace -f -e trace=file a b",
        "busybox a b",
        "chroot /mnt a b",
        "mise exec -- a b",
        "bundle exec a b",
        "uv run a b",
        "xargs a b",
        "xargs -n1 -P 2 a b",
        "echo b | xargs a",
        "echo b | xargs -I% a %",
        "printf '%s\\0' b | xargs -0 a",
        "parallel a ::: b",
        "parallel a {} ::: b",
        "parallel ::: 'a b'",
        "find . -exec a b \\;",
        "find b -exec a {} +",
        "find . -name x -execdir a b \\;",
        "watch -n 1 a b",
        "ssh -p 22 host a b",
        "ssh host 'a b'",
        "su -c 'a b'",
        "su root -c 'a b'",
        "sh -c 'a b'",
        "bash -lc 'a b'",
        "bash -exc 'a b'",
        "bash -c -- 'a b'",
        "bash -o pipefail -c 'a b'",
        "/bin/zsh -c 'a b'",
        "$SHELL -c 'a b'",
        "sh -c 'a \"$1\"' _ b",
        "sh -c '\"$@\"' _ a b",
        "sh -c 'eval \"$1\"' _ 'a b'",
        "X=a sh -c '$X b'",
        "eval 'a b'",
        "eval a b",
        "eval \"$(printf 'a b')\"",
        "echo 'a b' | sh",
        "printf '%s\\n' 'a b' | bash -s",
        "printf '\\x61\\040b' | sh",
        "echo -e 'a\\x20b' | sh",
        "bash <(echo a b)",
        ". <(echo a b)",
        "echo a b > s; bash s",
        "echo a b > /tmp/s && . /tmp/s",
        "echo a b > s.sh; chmod +x s.sh; ./s.sh",
        "cat > s <<'E'\na b\nE\nsh s",
        "echo a b | tee s; sh s",
        "echo a b | tee >(sh)",
        "exec 3<<<'a b'; source /dev/fd/3",
        "trap 'a b' EXIT",
        "shopt -s expand_aliases\nalias z='a b'\nz",
        "alias z=a\nz b",
        'f() { a "$@"; }; f b',
        "script -qc 'a b' /dev/null",
        "flock /tmp/l a b",
        "flock /tmp/l -c 'a b'",
        "echo a b | at now",
        "echo '* * * * * a b' | crontab -",
        "tmux send-keys -t x 'a b' Enter",
        "tmux new-session -d 'a b'",
        "vim -c ':!a b' -c q",
        "nix-shell -p x --run 'a b'",
        "git -c alias.z='!a b' z",
        "git rebase -i -x 'a b' HEAD~3",
        "git bisect run a b",
        "git submodule foreach 'a b'",
        "awk 'BEGIN { system(\"a b\") }'",
        "awk 'BEGIN { \"a b\" | getline x }'",
        "python -c 'import os; os.system(\"a b\")'",
        "python3 -c \"import subprocess; subprocess.run('a b', shell=True)\"",
        'python3 -c \'import subprocess; subprocess.run(["a", "b"])\'',
        "python3 - <<'E'\nimport os\nos.system('a b')\nE",
        "perl -we 'system(\"a b\")'",
        'perl -e \'system("a", "b")\'',
        "perl -e '`x`; exec \"a b\"'",
        "ruby -e 'system(\"a b\")'",
        "node -e \"require('child_process').execSync('a b')\"",
        "node -e \"require('child_process').spawnSync('a', ['b'])\"",
        "python3 -c \"from subprocess import run; run('a b', shell=True)\"",
        "perl -e '`a b`'",
        "ruby -e '%x(a b)'",
        "ruby -e 'exec \"a b\"'",
        "C='a b'; sudo sh -c \"$C\"",
    ],
)
def test_leads_to_the_command(line):
    assert last(line) == ["a", "b"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("git -c alias.z='push -f' z origin", ["git", "push", "-f", "origin"]),
        ("git config alias.z 'reset --hard' && git z", ["git", "reset", "--hard"]),
        (
            "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.z GIT_CONFIG_VALUE_0='clean -f' git z",
            ["git", "clean", "-f"],
        ),
        ("GIT_CONFIG_PARAMETERS=\"'alias.z=reset'\" git z --hard", ["git", "reset", "--hard"]),
        ("git -c alias.status='reset --hard' status", ["git", "-c", "alias.status=reset --hard", "status"]),
        (f"echo {ENCODED} | base64 -d | sh", ["rm", "-rf", "/"]),
        ("echo 726d202d7266202f | xxd -r -p | sh", ["rm", "-rf", "/"]),
        ("python -c \"import shutil; shutil.rmtree('/x')\"", ["rm", "-rf", "/x"]),
        ("x=$(printf a; printf b); c $x", ["c", "ab"]),
    ],
)
def test_comes_out_as(line, words):
    assert last(line) == words


@pytest.mark.parametrize(
    "line",
    [
        "command -v a",
        "sudo -l a",
        "bash -n -c 'a b'",
        "bash --version",
        "echo 'a b'",
        "echo 'a b' | cat",
        "cat <<'E'\na b\nE",
        "grep 'a b' file",
        "git commit -m 'a b'",
        "python -c 'print(\"a b\")'",
        "python -c '# os.system(\"a b\")'",
        "awk '/a b/ { print }' file",
        "python -c 'assert run(\"a b\") == 1'",
        "node -e 'console.log(`a b`)'",
        "f() { a b; }",
        "alias z='a b'",
        "x='a b'",
        "echo a b > s",
    ],
)
def test_data_stays_data(line):
    assert "a" not in [command.name for command in read(line).commands]


def test_a_function_that_calls_itself_is_followed_once():
    assert [command.name for command in read("f() { a; f; }; f").commands] == ["f", "a", "f"]


def test_the_input_of_xargs_is_put_where_it_belongs():
    reading = read("printf '%s\\n' x y | xargs -I{} a {} b")

    assert [[word.text for word in command.words] for command in reading.commands[2:]] == [
        ["a", "x", "b"],
        ["a", "y", "b"],
    ]
