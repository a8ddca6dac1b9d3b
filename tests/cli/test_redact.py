import json
import os
import subprocess
import sys

import pytest

from hookline.hooks._redact_secrets import wrap_command

TOKEN = "gh" + "p_" + "CIDNb76xxP8McqTxLZbqVCjQbEyOBnL6T0k3"
CUT = "[redacted:github-token]"
MARK = "-----{} PRIVATE KEY-----\n"
KEY = MARK.format("BEGIN") + "MIIEowIBAAKCAQEA1b2c3d4E5F6g7H8i9J0kLmNoP\n" * 3 + MARK.format("END")


def test_a_filter_from_stdin_to_stdout(user):
    ran = user.run("redact", stdin=f"a\n{TOKEN}\n{KEY}b")

    assert ran.returncode == 0
    assert ran.stdout.decode() == f"a\n{CUT}\n[redacted:private-key]\n" + "[redacted]\n" * 4 + "b"
    assert ran.stderr == b""


def test_a_file(user):
    path = user.write("build.log", f"x {TOKEN}\r\ny")

    assert user.run("redact", str(path)).stdout.decode() == f"x {CUT}\r\ny"


def test_what_is_no_text_comes_through_unchanged(user):
    data = b"\xff\xfe\x00" + TOKEN.encode() + b"\x80\n\xc3"

    assert user.run("redact", stdin=data).stdout == b"\xff\xfe\x00" + CUT.encode() + b"\x80\n\xc3"


def test_a_report_of_kinds_and_lines_but_no_secret(user):
    ran = user.run("redact", "--report", stdin=f"a\n{TOKEN}\n{KEY}password: xK9#mQ2$vL8!\n")

    assert ran.stderr.decode().splitlines() == [
        "line 2: github-token",
        "line 3: private-key",
        "line 8: password",
    ]


def test_a_report_as_json(user):
    ran = user.run("redact", "--json", stdin=f"a\n{TOKEN}\n")

    assert [json.loads(line) for line in ran.stderr.splitlines()] == [
        {"line": 2, "kind": "github-token"},
        {"secrets": 1},
    ]


def test_rules_of_a_file(user):
    rules = user.write("rules.toml", "[[rules]]\nid = 'acme'\nregex = 'acme_[a-z]{4}'\nkeywords = ['acme']")
    bad = user.write("bad.toml", "[[rules]]\nid = 'x'\nregex = '('")

    assert user.run("redact", "--rules", str(rules), stdin="an acme_abcd").stdout == b"an [redacted:acme]"
    assert b"rule 'x' cannot be used" in user.run("redact", "--rules", str(bad), stdin="a").stderr


def test_a_file_that_is_not_there(user):
    ran = user.run("redact", "nowhere")

    assert ran.returncode == 1
    assert ran.stderr == b"hookline: nowhere: no such file or directory\n"


def test_lines_come_out_as_they_come_in(user):
    with subprocess.Popen(
        [sys.executable, "-m", "hookline", "redact"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=user.environment(),
        cwd=user.project,
    ) as child:
        child.stdin.write(b"one line\n")
        child.stdin.flush()
        first = os.read(child.stdout.fileno(), 100)
        child.stdin.write(TOKEN.encode() + b"\n")
        child.stdin.close()

        assert first == b"one line\n"
        assert child.stdout.read().decode() == f"{CUT}\n"
    assert child.returncode == 0


def test_a_reader_that_has_seen_enough_is_no_failure(user):
    ours = f"{sys.executable} -m hookline redact"
    line = f"yes some words | head -n 200000 | {ours} | head -n 1; echo ${{PIPESTATUS[2]}}"
    ran = subprocess.run(["bash", "-c", line], capture_output=True, env=user.environment(), check=False)

    assert ran.stdout == b"some words\n0\n"
    assert ran.stderr == b""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "printed", "code"),
    [
        (f"echo {TOKEN}", f"{CUT}\n", 0),
        (f"echo {TOKEN} >&2; exit 7", f"{CUT}\n", 7),
        (f"cat <<E\n{TOKEN}\nE", f"{CUT}\n", 0),
        ("false # nothing", "", 1),
        ("true && ! true", "", 1),
        ("read a; echo $a", "given\n", 0),
    ],
)
def test_a_wrapped_command_keeps_its_exit_status(user, command, printed, code):
    line = wrap_command(command, f"{sys.executable} -m hookline")
    ran = subprocess.run(
        ["bash", "-c", line], input=b"given\n", capture_output=True, env=user.environment(), check=False
    )

    assert (ran.stdout.decode(), ran.returncode) == (printed, code)


@pytest.mark.slow
def test_a_wrapped_command_is_judged_like_the_bare_one(user):
    user.write("~/.config/hookline/hookline.toml", "[hooks.redact-secrets]\nwrap = true\n")
    _, blocked, _ = user.hook(user.shell("git push --force"))
    _, changed, _ = user.hook(user.shell("echo hi"))

    assert blocked["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert changed["hookSpecificOutput"]["updatedInput"]["command"].startswith("{ echo hi\n} 2>&1 | ")
