"""Test the result of a metric command, and that none of its processes is left."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.engine.measure import MAX_OUTPUT_BYTES, check, last_number, measure

ENV = dict(os.environ)


def measured(command, tmp_path, **more):
    return measure(command, **{"cwd": str(tmp_path), "env": ENV, "timeout": 30.0, **more})


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12.0),
        (".5", 0.5),
        ("-.5", -0.5),
        ("-3", -3.0),
        ("1.", 1.0),
        ("a 1 b 2\nmean: 3.25 ms\n", 3.25),
        ("12ms p95", 12.0),
        ("took 2.5e-3s", 0.0025),
        ("from 10-20", 20.0),
        ("1,234,567 rows", 1234567.0),
        ("12,5", 5.0),
        ("\x1b[32m7.5\x1b[0m", 7.5),
        ("version v1.2.3", None),
        ("", None),
        ("none", None),
    ],
)
def test_the_last_number_counts(text, number):
    assert last_number(text) == number


@given(st.floats(allow_nan=False, allow_infinity=False), st.text(alphabet="abc: \n", max_size=20))
def test_a_number_that_is_printed_is_read_back_exactly(number, before):
    assert last_number(f"{before} {number!r}\n") == number


@given(st.text())
def test_any_text_can_be_read(text):
    assert last_number(text) is None or isinstance(last_number(text), float)


@pytest.mark.parametrize(
    ("command", "more", "value", "status", "problem"),
    [
        ("echo 1; echo 2.5", {}, 2.5, "ok", ""),
        ("echo 1; exit 3", {}, None, "crash", "exit code 3"),
        ("echo 1; kill -9 $$", {}, None, "crash", "ended by signal 9"),
        ("echo fine", {}, None, "metric_error", "no number in the output"),
        ("echo nan", {}, None, "metric_error", "the number is not finite: nan"),
        ("echo 1; echo -inf", {}, None, "metric_error", "the number is not finite: -inf"),
        ("echo 1e999", {}, None, "metric_error", "the number is not finite: inf"),
        ("echo mean 4; echo max 9", {"extract": "grep mean | cut -d' ' -f2"}, 4.0, "ok", ""),
        ("echo max 9", {"extract": "grep mean"}, None, "metric_error", "extract failed: exit code 1"),
        ("echo 5 >&2", {}, None, "metric_error", "no number in the output"),
        ("echo 5 >&2", {"timeout": None}, None, "metric_error", "no number in the output"),
        ("read line || echo 6", {}, 6.0, "ok", ""),
    ],
)
def test_a_command_comes_to(tmp_path, command, more, value, status, problem):
    found = measured(command, tmp_path, **more)

    assert (found.value, found.status, found.problem) == (value, status, problem)


def test_time_over_ends_everything_it_started(tmp_path):
    found = measured("(setsid sleep 60 & echo $! > pid; wait); echo 1", tmp_path, timeout=1.0)

    pid = int((tmp_path / "pid").read_text())
    assert (found.value, found.status) == (None, "timeout")
    assert _gone(pid)


def _gone(pid):
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if not Path(f"/proc/{pid}").exists():
            return True
        time.sleep(0.05)
    return False


def test_of_much_output_the_end_is_read(tmp_path):
    found = measured(f"yes 1 | head -c {8 * MAX_OUTPUT_BYTES}; echo; echo 42", tmp_path)

    assert (found.value, len(found.tail) <= 2000) == (42.0, True)


def test_a_command_that_cannot_start_crashes(tmp_path):
    found = measured("echo 1", tmp_path / "nowhere")

    assert found.status == "crash"
    assert "cannot be entered" in found.problem


def test_no_secret_is_in_the_tail(tmp_path):
    secret = "ghp_" + "a1B2" * 9

    found = measured(f"echo token {secret}; echo 1 >&2; echo 3", tmp_path)

    assert secret not in found.tail
    assert found.value == 3.0


@pytest.mark.parametrize(
    ("command", "value", "status"),
    [("true", None, "ok"), ("echo 7", 7.0, "ok"), ("echo 7; false", 7.0, "crash"), ("echo inf", None, "ok")],
)
def test_a_check_goes_by_how_it_exits(tmp_path, command, value, status):
    found = check(command, cwd=str(tmp_path), env=ENV, timeout=30.0)

    assert (found.value, found.status) == (value, status)


@pytest.mark.parametrize(("seconds", "value"), [(60.0, 5.0), (0.0, None)])
def test_an_extract_ends_with_the_run(tmp_path, seconds, value):
    until = time.monotonic() + seconds
    result = measured("echo 5", tmp_path, extract="sleep 0.5; cat", until=until)

    assert result.value == value
