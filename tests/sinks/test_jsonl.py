"""Test the JSONL sink: complete lines with concurrent writers, after kills, and on a full disk."""

import fcntl
import json
import subprocess
import sys

import pytest

from hookline.core.sink import Report, SinkFailed
from hookline.sinks import jsonl
from hookline.sinks.jsonl import open_sink
from hookline.testing.sinks import a_report

WRITER = """
import sys
from hookline.sinks.jsonl import open_sink
from hookline.testing.sinks import a_report
sink = open_sink(sys.argv[1], size=20_000, keep=1000)
for number in range(int(sys.argv[3])):
    sink.export([a_report(session=f"{sys.argv[2]}-{number}")])
"""
SMALL = """
import resource, sys
from hookline.sinks.jsonl import open_sink
from hookline.testing.sinks import a_report
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
sink = open_sink(sys.argv[1])
for number in range(100):
    try:
        sink.export([a_report()])
    except OSError as error:
        sys.exit(error.strerror)
"""


def lines(folder):
    files = [path for path in folder.iterdir() if path.suffix != ".lock"]
    return [json.loads(line) for path in files for line in path.read_text().splitlines()]


def test_one_report_is_one_line_without_what_says_nothing(tmp_path):
    one = Report(id="i", at=1.0, session="s", host="h", event="Stop", run=1)
    open_sink(str(tmp_path)).export([one, one])

    assert (
        lines(tmp_path)
        == [{"id": "i", "at": 1.0, "session": "s", "host": "h", "event": "Stop", "run": 1, "action": "pass"}]
        * 2
    )


def test_files_take_turns_by_size_and_the_oldest_goes(tmp_path):
    sink = open_sink(str(tmp_path), size=1500, keep=2)
    for number in range(20):
        sink.export([a_report(session=f"s{number}")])
    kept = {path.name: path.stat().st_size for path in tmp_path.iterdir() if path.suffix != ".lock"}

    assert set(kept) == {"telemetry.jsonl", "telemetry.jsonl.1", "telemetry.jsonl.2"}
    assert max(kept.values()) <= 1500
    assert "s19" in {line["session"] for line in lines(tmp_path)}
    assert "s0" not in {line["session"] for line in lines(tmp_path)}


def test_none_is_kept_where_none_is_wanted(tmp_path):
    sink = open_sink(str(tmp_path), size=1, keep=0)
    for session in ("a", "b"):
        sink.export([a_report(session=session)])

    assert [line["session"] for line in lines(tmp_path)] == ["b"]


def test_many_processes_tear_no_line_and_lose_none(tmp_path):
    many, each = 6, 60
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(number), str(each)])
        for number in range(many)
    ]

    assert [writer.wait(timeout=60) for writer in writers] == [0] * many
    assert sorted(line["session"] for line in lines(tmp_path)) == sorted(
        f"{number}-{at}" for number in range(many) for at in range(each)
    )
    assert (tmp_path / "telemetry.jsonl.3").exists()


def test_what_a_killed_process_left_of_a_line_is_cut_off(tmp_path):
    sink = open_sink(str(tmp_path))
    sink.export([a_report(session="a")])
    with (tmp_path / "telemetry.jsonl").open("ab") as file:
        file.write(b'{"half')
    sink.export([a_report(session="b")])

    assert [line["session"] for line in lines(tmp_path)] == ["a", "b"]


def test_a_full_disk_leaves_only_whole_lines(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-c", SMALL, str(tmp_path)], capture_output=True, text=True, check=False, timeout=60
    )

    assert ran.stderr.strip() in ("File too large", "No space left on device")
    assert lines(tmp_path)


def test_one_that_hangs_with_the_file_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonl, "TIMEOUT_SECONDS", 0.05)
    with (tmp_path / "telemetry.jsonl.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(SinkFailed, match=r"another process keeps .* locked"):
            open_sink(str(tmp_path)).export([a_report()])


def test_the_file_is_the_users_alone_and_where_they_want_it(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    open_sink("/nowhere", file="~/deep/down.jsonl").export([a_report()])

    assert (tmp_path / "deep" / "down.jsonl").stat().st_mode & 0o777 == 0o600
