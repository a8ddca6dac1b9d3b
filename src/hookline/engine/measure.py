"""Measure what a command says: its last number, and how it went where there is none.

A command runs in a process group of its own, of which nothing is left when its time is over, and of its
output only the end is kept, however much there is.
"""

import re
import time
from collections import deque
from collections.abc import Mapping
from math import isfinite
from typing import Literal

from msgspec import Struct

from hookline.core.kind import Finished
from hookline.redact import redact
from hookline.system.process.run_command import run

SHELL = ("/bin/sh", "-c")
KEEP = 4 << 20
"""Bytes of each output: its last ones."""
TAIL = 2_000
"""Characters of the output that a person is shown."""
LEAST = 5.0
"""Seconds that an extract has at least, however long the command took."""
UNLIMITED = 365 * 86_400.0
FAR = 1e300
"""No number of a metric is this far from 0: what is reckoned with them must be finite, too."""

_COLOURS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:"
    r"(?P<grouped>[0-9]{1,3}(?:[,_][0-9]{3})+(?:\.[0-9]+)?)(?![0-9,_])"
    r"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
    r"|(?:nan|inf|infinity)\b"
    r")",
    re.IGNORECASE,
)

Ended = Literal["ok", "crash", "timeout", "metric_error"]


class Measurement(Struct, frozen=True, kw_only=True):
    """What one run of a command came to."""

    value: float | None
    """None where there is no finite number, whatever the reason."""
    status: Ended
    seconds: float
    tail: str = ""
    """The end of what it printed, without secrets."""
    problem: str = ""
    """What went wrong, in a sentence; empty where nothing did."""


def measure(
    command: str, *, cwd: str, env: Mapping[str, str], timeout: float | None, extract: str = ""
) -> Measurement:
    """Run *command* in a shell; its number is the last one that it prints, or that *extract* makes of it."""
    began, limit = time.monotonic(), _limit(timeout)
    ran = _shell(command, b"", cwd, env, limit)
    told, status, problem = ran.stdout, *_went(ran, limit)
    if status == "ok" and extract:
        left = max(limit - (time.monotonic() - began), LEAST)
        told, problem = _extracted(extract, ran.stdout, cwd, env, left)
    value = last_number(told)
    if status == "ok":
        problem = problem or _no_number(value)
        status = "metric_error" if problem else "ok"
    seconds = time.monotonic() - began
    return Measurement(
        value=value if status == "ok" else None,
        status=status,
        seconds=seconds,
        tail=_tail(ran),
        problem=problem,
    )


def check(command: str, *, cwd: str, env: Mapping[str, str], timeout: float | None) -> Measurement:
    """Run *command* for how it exits: `ok` where that is 0. A number is taken where there is one."""
    began, limit = time.monotonic(), _limit(timeout)
    ran = _shell(command, b"", cwd, env, limit)
    status, problem = _went(ran, limit)
    number = last_number(ran.stdout)
    return Measurement(
        value=None if _no_number(number) else number,
        status=status,
        seconds=time.monotonic() - began,
        tail=_tail(ran),
        problem=problem,
    )


def last_number(text: str) -> float | None:
    """The last number in *text*, finite or not; digits inside a word are none: `12ms p95` is 12."""
    found = deque(_NUMBER.finditer(_COLOURS.sub(" ", text)), maxlen=1)
    return float(found[0][0].replace(",", "").replace("_", "")) if found else None


def _limit(timeout: float | None) -> float:
    return UNLIMITED if timeout is None else timeout


def _shell(command: str, stdin: bytes, cwd: str, env: Mapping[str, str], limit: float) -> Finished:
    argv = (*SHELL, command)
    return run(argv, stdin=stdin, cwd=cwd, env=env, limit=limit, keep=KEEP, last=True)


def _went(ran: Finished, limit: float) -> tuple[Ended, str]:
    if ran.timed_out:
        return "timeout", f"it was still running after {limit:g} s, and was ended"
    if ran.code == 0:
        return "ok", ""
    if ran.code is None:
        return "crash", ran.problem
    return "crash", f"it exited with {ran.code}" if ran.code > 0 else f"it was ended by signal {-ran.code}"


def _extracted(extract: str, told: str, cwd: str, env: Mapping[str, str], limit: float) -> tuple[str, str]:
    ran = _shell(extract, told.encode(), cwd, env, limit)
    status, problem = _went(ran, limit)
    return ran.stdout, "" if status == "ok" else f"extract failed: {problem}"


def _no_number(value: float | None) -> str:
    if value is None:
        return "it printed no number"
    if not isfinite(value):
        return f"its number is not finite: {value}"
    return "" if abs(value) < FAR else f"its number is too large: {value:g}"


def _tail(ran: Finished) -> str:
    whole = "\n".join(filter(None, (ran.stdout.rstrip(), ran.stderr.rstrip())))
    return redact(_COLOURS.sub("", whole[-8 * TAIL :]))[-TAIL:]
