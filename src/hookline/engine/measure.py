"""Measurement of a command: its last number, or the reason why there is none.

A command runs in its own process group, of which nothing is left after the timeout. Only the end of its
output is kept.
"""

import re
import time
from collections import deque
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Literal

from msgspec import Struct

from hookline.core.kind import ProcessResult
from hookline.redact import redact
from hookline.system.process.run_command import run

SHELL = ("/bin/sh", "-c")
MAX_OUTPUT_BYTES = 4 << 20
"""Maximum bytes kept of each output stream: the last ones."""
MAX_TAIL_CHARACTERS = 2_000
"""Maximum characters of the output shown to the user."""
MIN_EXTRACT_SECONDS = 5.0
"""Minimum seconds for an extract, however long the command took, unless the run ends before."""
UNLIMITED = 365 * 86_400.0
MAX_VALUE = 1e300
"""Limit on the absolute value of a metric, so that sums of metrics stay finite."""

_ANSI_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:"
    r"(?P<grouped>[0-9]{1,3}(?:[,_][0-9]{3})+(?:\.[0-9]+)?)(?![0-9,_])"
    r"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
    r"|(?:nan|inf|infinity)\b"
    r")",
    re.IGNORECASE,
)

Status = Literal["ok", "crash", "timeout", "metric_error"]


class Measurement(Struct, frozen=True, kw_only=True):
    """Result of running a command."""

    value: float | None
    """None if there is no finite number."""
    status: Status
    seconds: float
    tail: str = ""
    """The end of the output, redacted."""
    problem: str = ""
    """A sentence on the failure; empty if there is none."""


def measure(
    command: str,
    *,
    cwd: str,
    env: Mapping[str, str],
    timeout: float | None,
    extract: str = "",
    prefix: Sequence[str] = (),
    until: float = float("inf"),
) -> Measurement:
    """Run *command* in a shell; its value is the last number printed, or the last that *extract* prints.

    The words of *prefix* run the shell. Everything ends at *until* of the monotonic clock.
    """
    began, limit = time.monotonic(), _limit(timeout)
    finished = _run_shell(command, b"", cwd, env, limit, prefix)
    output, status, problem = finished.stdout, *_exit_status(finished, limit)
    if status == "ok" and extract:
        now = time.monotonic()
        remaining = max(min(max(began + limit - now, MIN_EXTRACT_SECONDS), until - now), 0.0)
        output, problem = _extract(extract, finished.stdout, cwd, env, remaining)
    value = last_number(output)
    if status == "ok":
        problem = problem or _number_problem(value)
        status = "metric_error" if problem else "ok"
    seconds = time.monotonic() - began
    return Measurement(
        value=value if status == "ok" else None,
        status=status,
        seconds=seconds,
        tail=_tail(finished),
        problem=problem,
    )


def check(
    command: str, *, cwd: str, env: Mapping[str, str], timeout: float | None, prefix: Sequence[str] = ()
) -> Measurement:
    """Run *command* and judge its exit code: `ok` if it is 0. A number is read if there is one."""
    began, limit = time.monotonic(), _limit(timeout)
    finished = _run_shell(command, b"", cwd, env, limit, prefix)
    status, problem = _exit_status(finished, limit)
    number = last_number(finished.stdout)
    return Measurement(
        value=None if _number_problem(number) else number,
        status=status,
        seconds=time.monotonic() - began,
        tail=_tail(finished),
        problem=problem,
    )


def last_number(text: str) -> float | None:
    """Return the last number in *text*, finite or not.

    Digits inside a word do not count: `12ms p95` is 12.
    """
    matches = deque(_NUMBER.finditer(_ANSI_ESCAPES.sub(" ", text)), maxlen=1)
    return float(matches[0][0].replace(",", "").replace("_", "")) if matches else None


def _limit(timeout: float | None) -> float:
    return UNLIMITED if timeout is None else timeout


def _run_shell(
    command: str, stdin: bytes, cwd: str, env: Mapping[str, str], limit: float, prefix: Sequence[str] = ()
) -> ProcessResult:
    argv = (*prefix, *SHELL, command)
    return run(argv, stdin=stdin, cwd=cwd, env=env, timeout=limit, max_bytes=MAX_OUTPUT_BYTES, last=True)


def _exit_status(finished: ProcessResult, limit: float) -> tuple[Status, str]:
    if finished.timed_out:
        return "timeout", f"timeout after {limit:g} s"
    if finished.code == 0:
        return "ok", ""
    if finished.code is None:
        return "crash", finished.problem
    return (
        "crash",
        f"exit code {finished.code}" if finished.code > 0 else f"ended by signal {-finished.code}",
    )


def _extract(extract: str, output: str, cwd: str, env: Mapping[str, str], limit: float) -> tuple[str, str]:
    finished = _run_shell(extract, output.encode(), cwd, env, limit)
    status, problem = _exit_status(finished, limit)
    return finished.stdout, "" if status == "ok" else f"extract failed: {problem}"


def _number_problem(value: float | None) -> str:
    if value is None:
        return "no number in the output"
    if not isfinite(value):
        return f"the number is not finite: {value}"
    return "" if abs(value) < MAX_VALUE else f"the number is too large: {value:g}"


def _tail(finished: ProcessResult) -> str:
    output = "\n".join(filter(None, (finished.stdout.rstrip(), finished.stderr.rstrip())))
    return redact(_ANSI_ESCAPES.sub("", output[-8 * MAX_TAIL_CHARACTERS :]))[-MAX_TAIL_CHARACTERS:]
