"""Test `hookline status`: the active sessions, for any number of them and any terminal size."""

import fcntl
import json
import os
import pty
import select
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
import time
from contextlib import closing, contextmanager

import pytest
from tests.conftest import HOOKLINE

from hookline.budget.ledger import BUDGET_NOTE, LAST_CALL_NOTE, SPENT_PREFIX
from hookline.cli._status import format_count, format_sessions, format_time_left, format_tokens
from hookline.core.store import Record
from hookline.core.values import replace
from hookline.runtime.gates import CONTINUATIONS, STRIKES
from hookline.runtime.live_sessions import Row
from hookline.stores.sqlite import open_store
from hookline.system.process import identity

NOW = 1_800_000_000.0
PLAIN = Row(session="aaaaaaaa-1111", host="claude-code", cwd="/home/me/apps", began=NOW - 900, seen=NOW - 5)
BLOCK = Record(
    id="1", at=NOW - 125, session="aaaaaaaa-1111", host="claude-code", event="PreToolUse", tool="Bash",
    action="block", rules=("dangerous-command:git-push-force",),
)  # fmt: skip
FULL = replace(PLAIN, ends_at=NOW + 750, used=81_000, limit=180_000, turn=3, strikes=2, decided=BLOCK)


@pytest.fixture
def store(user):
    """Yield the user's store."""
    path = user.home / ".local/state/hookline/hookline.db"
    with closing(open_store(str(path))) as opened:
        yield opened


def begin(store, session, at=None, **fields):
    at = time.time() - 60 if at is None else at
    store.begin_session(session, host="mine", cwd="/repo", at=at)
    usual = {"id": f"{session}-{at}", "event": "PreToolUse", "tool": "shell"}
    store.record(
        [Record(**{**usual, "at": at, "session": session, "host": "mine", "cwd": "/repo", **fields})]
    )


def shown(user, *words, **env):
    ran = user.run("status", *words, **env)
    assert (ran.returncode, ran.stderr) == (0, b"")
    return ran.stdout.decode().splitlines()


def told(user, *words):
    return json.loads(shown(user, "--json", *words)[0])


def names(user, *words):
    return [one["session"] for one in told(user, *words)]


def test_before_any_agent_called_it_says_so_and_makes_nothing(user):
    assert shown(user) == ["no sessions recorded yet; install hooks with `hookline init`"]
    assert told(user) == []
    assert not (user.home / ".local").exists()


def test_where_all_is_quiet_it_says_so(user, store):
    begin(store, "old", at=time.time() - 7200)

    assert shown(user) == ["no active sessions in the last hour"]
    assert shown(user, "--since", "1h") == ["no active sessions"]


def test_a_session_of_a_real_call_is_shown(user):
    user.hook(user.shell("git push --force"), AUTORESEARCH_BUDGET_END=str(time.time() + 640))
    head, columns, row = shown(user)
    session = user.payload("PreToolUse")["session_id"]

    assert head == "1 active session"
    assert columns.split("  ")[0] == "session"
    assert row.split() == [
        session[:8], "claude-code", str(user.project), "10m", "–", "–", "–",
        "block", "dangerous-command:git-push-force,", "just", "now",
    ]  # fmt: skip


def test_everything_is_there_for_a_program(user, store):
    begin(store, "one", action="block", rules=("a:b",), reason="because", counts={"events:TurnStart": 3})
    store.set_notes(
        "one", {BUDGET_NOTE: 1_900_000_000.0, LAST_CALL_NOTE: {"model": "claude-sonnet-4-5", "used": 90_000}}
    )
    store.count("one", f"{SPENT_PREFIX}input:claude-sonnet-4-5", 90_000)
    store.count("one", f"{STRIKES}TurnEnd:", 2)
    store.count("one", f"{CONTINUATIONS}", 5)
    (found,) = told(user)

    assert {key: found[key] for key in ("session", "host", "cwd", "used", "limit", "percent", "turn")} == {
        "session": "one", "host": "mine", "cwd": "/repo", "used": 90_000, "limit": 180_000, "percent": 50.0,
        "turn": 3,
    }  # fmt: skip
    assert (found["strikes"], found["continuations"], found["ends_at"]) == (2, 5, 1_900_000_000.0)
    assert (found["decided"]["action"], found["decided"]["rules"], found["decided"]["reason"]) == (
        "block",
        ["a:b"],
        "because",
    )


def test_the_latest_comes_first_and_what_ended_is_left_out(user, store):
    now = time.time()
    begin(store, "older", at=now - 50)
    begin(store, "newer", at=now - 40)
    begin(store, "ended", at=now - 30, event="SessionEnd")

    assert names(user) == ["newer", "older"]


def test_a_session_that_goes_on_after_its_end_is_alive(user, store):
    now = time.time()
    begin(store, "one", at=now - 50, event="SessionEnd")
    begin(store, "one", at=now - 40, event="SessionStart")

    assert names(user) == ["one"]


def test_a_process_that_is_there_is_alive_however_long_it_is_silent_and_one_that_is_gone_is_not(user, store):
    gone = subprocess.Popen(["true"])
    gone.wait()
    begin(store, "silent", at=time.time() - 7200)
    store.set_notes("silent", {identity.NOTE: identity.describe_process()})
    begin(store, "gone")
    store.set_notes("gone", {identity.NOTE: {**identity.describe_process(), "name": f"{gone.pid}:1:x"}})
    begin(store, "elsewhere")
    store.set_notes("elsewhere", {identity.NOTE: {"name": f"{gone.pid}:1:x", "boot": "another machine"}})

    assert names(user) == ["elsewhere", "silent"]


def test_what_is_still_in_the_spool_counts(user):
    user.hook(user.shell("ls"))

    assert len(told(user)) == 1


def test_a_thousand_sessions_are_shown(user, store):
    store.record(
        [
            Record(id=f"r{n}", at=time.time(), session=f"s{n:04}", host="codex", event="Stop")
            for n in range(1000)
        ]
    )
    lines = shown(user)

    assert (lines[0], len(lines)) == ("1,000 active sessions", 1002)


def test_texts_from_outside_steer_no_terminal_and_tell_no_secret(user, store):
    token = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6"
    begin(store, "\x1b[2Jx", tool=f"\x1b]0;{token}\x07\n")
    text = "\n".join(shown(user)) + json.dumps(told(user))

    assert "\x1b" not in text
    assert token not in text


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_shows_no_blocks_gets_ascii(user, store, encoding):
    begin(store, "one")
    store.set_notes("one", {LAST_CALL_NOTE: {"model": "claude-sonnet-4-5", "used": 90_000}})
    store.count("one", f"{SPENT_PREFIX}input:claude-sonnet-4-5", 90_000)
    ran = user.run("status", PYTHONIOENCODING=encoding)

    assert b"#####..... 50% 90k/180k" in ran.stdout
    assert ran.stdout.isascii()


def test_a_store_that_is_damaged_is_said_to_be(user):
    place = user.write(
        "~/.local/state/hookline/hookline.db", "this is no database at all, and long enough" * 40
    )
    ran = user.run("status")

    assert ran.returncode == 0
    assert ran.stderr.decode().startswith(
        f"hookline: the store {str(place)!r} was damaged: it was renamed to "
    )


@pytest.mark.slow
def test_a_store_that_is_locked_is_said_to_be(user, store):
    begin(store, "one")
    store.close()
    path = user.home / ".local/state/hookline/hookline.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("DELETE FROM held")
        ran = user.run("status")

    assert ran.returncode == 1
    assert "another process has been writing for over" in ran.stderr.decode()
    assert "Traceback" not in ran.stderr.decode()


def test_a_store_that_cannot_be_opened_is_said_to_be(user):
    (user.home / ".local/state/hookline/hookline.db").mkdir(parents=True)
    ran = user.run("status")

    assert ran.returncode == 1
    assert ran.stderr.decode().startswith("hookline: ")
    assert "Traceback" not in ran.stderr.decode()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (-1, "expired"),
        (0, "expired"),
        (1, "0m1s"),
        (119, "1m59s"),
        (120, "2m"),
        (3599, "59m"),
        (3720, "1h02m"),
    ],
)
def test_the_time_that_is_left(seconds, text):
    assert format_time_left(replace(PLAIN, ends_at=None if seconds is None else NOW + seconds), NOW) == text


@pytest.mark.parametrize(
    ("used", "limit", "text"),
    [
        (None, None, "–"),
        (1_234, None, "1k"),
        (0, 1000, "░░░░░░░░░░ 0% 0/1k"),
        (449, 1000, "████░░░░░░ 45% 449/1k"),
        (1000, 1000, "██████████ 100% 1k/1k"),
        (5000, 1000, "██████████ 500% 5k/1k"),
    ],
)
def test_the_tokens_and_their_bar(used, limit, text):
    assert format_tokens(replace(PLAIN, used=used, limit=limit)) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (999, "999"), (1000, "1k"), (81_499, "81k"), (1_250_000, "1.2M"), (12_000_000, "12M")],
)
def test_numbers_at_a_glance(count, text):
    assert format_count(count) == text


def test_a_table_where_there_is_room():
    head, row = format_sessions([FULL], NOW, width=140, home="/home/me")

    assert " ".join(head.split()) == "session host repository time left tokens turn strikes last decision"
    assert [cell.strip() for cell in row.split("  ") if cell.strip()] == [
        *("aaaaaaaa", "claude-code", "~/apps", "12m", "████░░░░░░ 45% 81k/180k", "3", "2/3"),
        "block dangerous-command:git-push-force, 2m ago",
    ]
    assert head.index("last decision") == row.index("block")


@pytest.mark.parametrize(("strikes", "shown"), [(0, "–"), (1, "1/3"), (3, "3/3"), (4, "3/3")])
def test_a_gate_has_three_strikes_however_often_it_blocks(strikes, shown):
    _, row = format_sessions([replace(FULL, strikes=strikes)], NOW, width=140)

    assert [cell.strip() for cell in row.split("  ") if cell.strip()][6] == shown


def test_some_lines_each_where_there_is_not():
    assert format_sessions([FULL, PLAIN], NOW, width=40, home="/home/me") == [
        "aaaaaaaa  claude-code",
        "  ~/apps",
        "  12m left · turn 3 · strikes 2/3",
        "  ████░░░░░░ 45% 81k/180k",
        "  block dangerous-command:git-push-forc…",
        "aaaaaaaa  claude-code",
        "  ~/apps",
        "  –",
    ]


@pytest.mark.parametrize("width", [1, 10, 40, 60, 89, 90, 100])
def test_no_line_is_wider_than_the_terminal(width):
    from rich.cells import cell_len

    wide = replace(FULL, cwd="/repositories/" + "漢字" * 40, host="a-host-with-quite-a-name")

    assert all(cell_len(line) <= width for line in format_sessions([wide, FULL], NOW, width=width))


def test_a_pipe_gets_all_of_it():
    long = replace(FULL, cwd="/repositories/" + "x" * 200)

    assert long.cwd in format_sessions([long], NOW, width=None)[1]


def watching(user, *words, columns=100, lines=12):
    """Start `status --watch` at its own terminal, and return (process, terminal)."""
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    process = subprocess.Popen(
        [str(HOOKLINE), "status", "--watch", *words],
        stdin=inner, stdout=inner, stderr=inner, cwd=user.project, env=user.environment(TERM="xterm"),
        start_new_session=True,
    )  # fmt: skip
    os.close(inner)
    return process, outer


def until(terminal, wanted, seconds=30):
    """Read from the terminal until *wanted* appears, and return all output."""
    seen, ends = b"", time.monotonic() + seconds
    while wanted not in seen:
        assert time.monotonic() < ends, seen
        if select.select([terminal], [], [], 0.2)[0]:
            seen += os.read(terminal, 65536)
    return seen


def test_q_ends_watching_and_restores_the_terminal(user, store):
    begin(store, "one")
    process, terminal = watching(user)
    before = termios.tcgetattr(terminal)
    try:
        until(terminal, b"one")
        os.write(terminal, b"xq")
        last = until(terminal, b"\x1b[?1049l")
        code = process.wait(20)
        after = termios.tcgetattr(terminal)
    finally:
        process.kill()
        os.close(terminal)

    assert (code, b"Traceback" in last) == (0, False)
    assert after[3] & (termios.ICANON | termios.ECHO) == before[3] & (termios.ICANON | termios.ECHO)


def test_watching_shows_what_changes_and_ends_cleanly(user, store):
    begin(store, "one")
    process, terminal = watching(user)
    try:
        first = until(terminal, b"one")
        begin(store, "two", at=time.time(), action="block", rules=("a:b",))
        until(terminal, b"2 active sessions")
        process.send_signal(signal.SIGINT)
        last = until(terminal, b"\x1b[?1049l")
        code = process.wait(20)
    finally:
        process.kill()
        os.close(terminal)

    assert first.startswith(b"\x1b[?1049h\x1b[?25l\x1b[H")
    assert b"Traceback" not in last
    assert code == 0


@pytest.mark.slow
def test_watching_draws_nothing_while_nothing_changes(user, store):
    begin(store, "one", at=time.time() - 600)
    process, terminal = watching(user)
    try:
        until(terminal, b"\x1b[J")
        quiet = select.select([terminal], [], [], 3)[0]
    finally:
        process.kill()
        process.wait(10)
        os.close(terminal)

    assert not quiet


def test_watching_more_than_fits_says_how_much_more(user, store):
    for place in range(30):
        begin(store, f"session-{place}")
    process, terminal = watching(user, lines=10)
    try:
        until(terminal, b"more")
    finally:
        process.kill()
        process.wait(10)
        os.close(terminal)


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--json",)])
def test_watching_into_a_pipe_writes_what_changed_and_no_control(user, store, words):
    begin(store, "one")
    process = subprocess.Popen(
        [str(HOOKLINE), "status", "--watch", *words],
        stdout=subprocess.PIPE, cwd=user.project, env=user.environment(), text=True,
    )  # fmt: skip
    try:
        lines = [process.stdout.readline()]
        begin(store, "two", at=time.time())
        while "two" not in lines[-1]:
            lines.append(process.stdout.readline())
            assert lines[-1], lines
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=20)
    finally:
        process.kill()

    assert process.returncode == 0
    assert "\x1b" not in "".join(lines) + rest


def test_watching_waits_for_a_store_that_is_not_there_yet(user):
    process, terminal = watching(user)
    try:
        until(terminal, b"no sessions recorded yet")
        user.hook(user.shell("ls"))
        until(terminal, b"1 active session")
    finally:
        process.kill()
        process.wait(10)
        os.close(terminal)


LOOP = """
import asyncio, os, time
from hookline.loop import Agent, Answer, ToolCall

async def model(request):
    if len(request.messages) == 1:
        call = ToolCall(id="1", tool="sh", input={"command": "git push --force"})
        usage = {"input_tokens": 89_990, "output_tokens": 10}
        return Answer(calls=(call,), model="claude-sonnet-4-5", usage=usage)
    print("waiting", flush=True)
    await asyncio.sleep(60)

def sh(command: str) -> str:
    "Run it."

async def main():
    from hookline.loop import tool
    async with Agent(model, [tool(sh, kind="shell")], name="mine", ends_at=time.time() + 640) as agent:
        await agent.run("please")

asyncio.run(main())
"""


@contextmanager
def living(user):
    """Yield a running agent on the loop that has had a call blocked and waits for its model."""
    program = user.write("agent.py", LOOP)
    around = {"cwd": user.project, "env": user.environment(), "stderr": subprocess.DEVNULL}
    with subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, text=True, **around
    ) as agent:
        try:
            assert agent.stdout.readline() == "waiting\n"
            yield agent
        finally:
            agent.kill()


def test_an_agent_on_the_loop_is_shown_while_it_lives_and_its_end_is_kept(user):
    with living(user) as agent:
        _, _, row = shown(user)
        agent.send_signal(signal.SIGINT)
        agent.wait(30)

    assert row.split()[1:] == [
        "mine", str(user.project), "10m", "█████░░░░░", "50%", "90k/180k", "1", "–",
        "block", "dangerous-command:git-push-force,", "just", "now",
    ]  # fmt: skip
    assert told(user) == []
    assert user.log()[-1]["event"] == "SessionEnd"


def test_an_agent_on_the_loop_that_was_killed_is_not_shown(user):
    with living(user):
        alive = told(user)

    assert len(alive) == 1
    assert told(user) == []
