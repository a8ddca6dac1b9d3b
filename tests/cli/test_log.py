"""Test `hookline log`: the audit trail, complete, filtered, or followed as it grows."""

import json
import subprocess
import sys
import time
from argparse import ArgumentTypeError
from datetime import datetime
from pathlib import Path

import pytest

from hookline.cli._arguments.log import parse_time

HOOKLINE = str(Path(sys.executable).parent / "hookline")
FORCED = "dangerous-command:git-push-force"


@pytest.fixture
def busy(user):
    """Return a user with three calls in two sessions."""
    user.hook({**user.shell("ls -l"), "session_id": "aaaaaaaa-1111"})
    user.hook({**user.shell("git push --force"), "session_id": "aaaaaaaa-1111"})
    user.hook({**user.payload("PostToolUse"), "session_id": "bbbbbbbb-2222"})
    return user


def shown(user, *words):
    ran = user.run("log", *words)
    assert (ran.returncode, ran.stderr) == (0, b"")
    return ran.stdout.decode().splitlines()


def events(user, *words):
    return [json.loads(line)["event"] for line in shown(user, *words, "--json")]


@pytest.mark.slow
def test_a_line_says_when_who_what_and_how_it_ended(busy):
    line = next(line for line in shown(busy) if "block" in line)
    when, rest = line[:19], line[19:]

    assert abs(datetime.fromisoformat(when).timestamp() - time.time()) < 60
    assert rest == f"  aaaaaaaa  PreToolUse  Bash  block  {FORCED}  git push --force"


@pytest.mark.slow
def test_the_reason_stands_below(busy):
    lines = shown(busy, "--action", "block")

    assert lines[1].startswith("    ")
    assert lines[1].endswith(f"[{FORCED}]")


@pytest.mark.slow
def test_json_has_everything(busy):
    (record,) = (json.loads(line) for line in shown(busy, "--rule", FORCED, "--json"))

    assert (record["session"], record["host"], record["tool"]) == ("aaaaaaaa-1111", "claude-code", "Bash")
    assert record["rules"] == [FORCED]
    assert [step["hook"] for step in record["trail"] if step.get("rule")] == ["dangerous-command"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ([], ["SessionStart", "PreToolUse", "PreToolUse", "SessionStart", "PostToolUse"]),
        (["--session", "aaaaaaaa-1111"], ["SessionStart", "PreToolUse", "PreToolUse"]),
        (["--session", "bbbb"], ["SessionStart", "PostToolUse"]),
        (["--session", "bbbb", "-n", "1"], ["PostToolUse"]),
        (["--session", "cccc"], []),
        (["--event", "PostToolUse"], ["PostToolUse"]),
        (["--action", "block"], ["PreToolUse"]),
        (["--action", "pass", "--event", "PreToolUse"], ["PreToolUse"]),
        (["--rule", "dangerous-command:other"], []),
        (["-n", "2"], ["SessionStart", "PostToolUse"]),
        (["--since", "1h", "-n", "1"], ["PostToolUse"]),
        (["--since", "2999-01-01"], []),
    ],
)
def test_filters(busy, words, found):
    assert events(busy, *words) == found


def test_nothing_yet_is_no_error(user):
    assert shown(user) == ["no records; `hookline doctor` tests the installed hooks"]
    assert shown(user, "--json") == []


@pytest.mark.slow
def test_what_lies_in_the_spool_is_shown(busy):
    busy.run("log")
    spool = busy.home / ".local" / "state" / "hookline" / "spool" / "spool.jsonl"
    line = {"id": "x1", "at": 1.0, "session": "late", "host": "h", "event": "Stop"}
    spool.write_text(json.dumps(line) + "\n")

    assert events(busy, "--session", "late") == ["Stop"]
    assert not spool.exists()


@pytest.mark.slow
def test_follow_shows_what_comes(busy):
    program = subprocess.Popen(
        [HOOKLINE, "log", "--follow", "--event", "PreToolUse", "--json"],
        stdout=subprocess.PIPE, cwd=busy.project, env=busy.environment(), text=True,
    )  # fmt: skip
    with program:
        before = [json.loads(program.stdout.readline())["summary"] for _ in range(2)]
        busy.hook(busy.payload("PostToolUse"))
        busy.hook(busy.shell("echo later"))
        after = json.loads(program.stdout.readline())["summary"]
        program.terminate()

    assert before == ["ls -l", "git push --force"]
    assert after == "echo later"


@pytest.mark.slow
def test_a_reader_who_has_seen_enough_is_no_error(busy):
    for command in ("log --json", "list", "config show"):
        ran = subprocess.run(
            ["bash", "-c", f"{HOOKLINE} {command} | true; echo ${{PIPESTATUS[0]}}"],
            cwd=busy.project, env=busy.environment(), capture_output=True, check=True,
        )  # fmt: skip

        assert (ran.stdout, ran.stderr) == (b"0\n", b"")


def test_what_a_command_holds_cannot_steer_the_terminal(user):
    user.hook(user.shell("echo '\x1b[2J'"))
    text = user.run("log").stdout.decode()

    assert "␛[2J" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--event", "PreTool"], "no event named 'PreTool'; did you mean 'PreToolUse'?"),
        (["--action", "deny"], "no action named 'deny'; available: pass, ask, block, modify"),
        (["--since", "yesterday"], "invalid time 'yesterday': expected an age (30s, 10m, 2h, 7d) or a date"),
        (["-n", "0"], "invalid number of records '0': expected 1 or more"),
        (["-n", "-3"], "invalid number of records '-3'"),
    ],
)
def test_a_wrong_value_lists_what_is_allowed(user, words, said):
    ran = user.run("log", *words)

    assert ran.returncode == 2
    assert said in ran.stderr.decode()


def test_a_store_that_cannot_be_opened_is_one_sentence(user):
    user.write("~/.local/state/hookline/hookline.db/in-the-way", "")
    ran = user.run("log")

    assert ran.returncode == 1
    assert ran.stderr.startswith(b"hookline: ")
    assert b"Traceback" not in ran.stderr


def test_a_configuration_that_is_wrong_is_visible_here_too(user):
    user.write(".hookline/hookline.toml", "profil = 1\n")

    assert b"no option named 'profil'" in user.run("log").stderr


@pytest.mark.parametrize(("text", "ago"), [("30s", 30), ("10m", 600), ("1.5h", 5400), ("2d", 172_800)])
def test_so_long_ago(text, ago):
    assert abs(time.time() - parse_time(text) - ago) < 5


def test_a_date_is_local_unless_it_says_its_zone():
    assert parse_time("2026-01-31T12:00:00+00:00") == 1_769_860_800
    assert parse_time("2026-01-31") == datetime(2026, 1, 31).timestamp()  # noqa: DTZ001 -- local on purpose


@pytest.mark.parametrize("text", ["", "m", "1", "-5m", "1.2.3h", "10 m", "٣m", "10M"])
def test_what_is_no_time(text):
    with pytest.raises(ArgumentTypeError):
        parse_time(text)
