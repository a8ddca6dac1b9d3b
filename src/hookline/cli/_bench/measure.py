"""Measurements of `hookline bench`: the kinds of calls alternate, so that a slow phase affects all.

A load on a daemon consists of many calls at once; measured is how long each reply took.
"""

import os
import selectors
import shutil
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count

from msgspec import Struct

from hookline import __version__
from hookline.cli._bench.bars import (
    ALONE,
    COLD,
    MS,
    NODE,
    TRUE,
    WARM,
    Figure,
    Results,
    at_most,
    compute_call_figures,
    percentile,
)
from hookline.cli._bench.world import HOST, Sandbox, change_folder, open_sandbox, run_daemon, spawn
from hookline.daemon import control

MAX_LOAD = 0.75
"""Largest load for each processor at which times are meaningful."""
MAX_SPREAD = 3.0
MAX_P99_MS = 20.0
AGENTS = 50
SETTLE_SECONDS = 2.1
"""Seconds until new files are old enough to be cached by their timestamps."""
STORE_SECONDS = 1.0
"""Seconds after the last call in which its record is still being stored."""
WARM_UP_CALLS = 3
"""Calls of each kind that are not counted."""
ROW_LENGTH = 10
"""Calls of one kind in a row, so that the caches belong to that kind."""
Report = Callable[[str], None]


class BenchSize(Struct, frozen=True, kw_only=True):
    """The number of calls and seconds of each measurement."""

    calls: int = 60
    """Calls of each kind."""
    sequence: int = 2_000
    """Calls made one after another, to measure the spread."""
    seconds: int = 20
    """Seconds in which each of 50 agents makes one call per second."""
    idle: float = 5.0
    """Seconds without a call."""


def measure_all(size: BenchSize, report: Report) -> Results:
    """Make every measurement, and pass a line about each, with the time left, to *report*."""
    busy = describe_load(os.getloadavg()[0], os.cpu_count() or 1)
    report(f"calls: {size.calls} of each kind, in batches of {ROW_LENGTH}")
    figures, left_out = measure_calls(size.calls)
    call = next(figure.value for figure in figures if figure.id == WARM) / MS
    ends = (SETTLE_SECONDS + size.sequence * call, size.seconds + SETTLE_SECONDS, size.idle + STORE_SECONDS)
    report(f"sequence: {size.sequence:,} sequential calls, {_format_left(ends)}")
    figures += measure_sequence(size.sequence)
    report(f"agents: {AGENTS} for {size.seconds} seconds, {_format_left(ends[1:])}")
    figures += measure_agents(size.seconds)
    report(f"idle: {size.idle:g} seconds without a call, {_format_left(ends[2:])}")
    figures += [*measure_idle(size.idle)]
    busy = busy or describe_load(os.getloadavg()[0] - 1.0, os.cpu_count() or 1)  # one process is this one
    return Results(figures=tuple(figures), left_out=tuple(left_out), busy=busy)


def describe_load(load: float, processors: int) -> str:
    """Return a sentence if other programs leave too little of the machine to measure; else empty."""
    if load <= MAX_LOAD * processors:
        return ""
    return f"the machine is too busy to measure: load {load:.1f} on {processors} processors"


def _format_left(stages: Sequence[float]) -> str:
    return f"about {sum(stages):.0f} s left"


def measure_calls(runs: int) -> tuple[list[Figure], list[str]]:
    """Measure how long a host waits for each kind of call."""
    with open_sandbox() as warm, open_sandbox() as cold, run_daemon(warm), change_folder(warm.project):
        kinds, left_out = _build_calls(warm, cold)
        durations: dict[str, list[float]] = {name: [] for name in kinds}
        numbers, rows = (
            count(),
            [WARM_UP_CALLS, *[ROW_LENGTH] * (runs // ROW_LENGTH), *filter(None, [runs % ROW_LENGTH])],
        )
        for turn, row in enumerate(rows):
            for name, work in kinds.items():
                seconds = [work(number) for number in _take(numbers, row)]
                durations[name] += seconds if turn else []
            time.sleep(0 if turn else SETTLE_SECONDS)
        left_out += _check_call_count(warm, runs + WARM_UP_CALLS)
    return [*compute_call_figures(durations)], left_out


def _check_call_count(warm: Sandbox, calls: int) -> Iterator[str]:
    answered = int((control.status(warm.place) or {}).get("calls", 0))
    if answered < calls:
        yield f"daemon: only {answered} of {calls} calls answered"


def _build_calls(warm: Sandbox, cold: Sandbox) -> tuple[dict[str, Callable[[int], float]], list[str]]:
    node, true = shutil.which("node"), shutil.which("true") or "/bin/true"
    clean = {"PATH": os.defpath}

    def time_program(argv: list[str], number: int) -> float:
        return spawn(argv, b"", clean).seconds

    kinds: dict[str, Callable[[int], float]] = {TRUE: partial(time_program, [true])}
    if node:
        kinds[NODE] = partial(time_program, [node, "-e", "0"])
    kinds[WARM] = partial(_time_call, warm, {})
    kinds[COLD] = partial(_time_first_call, cold)
    kinds[ALONE] = partial(_time_call, warm, {"HOOKLINE_DAEMON": "off"})
    return kinds, [] if node else ["node: not found, so the ratios to node are missing"]


def _time_call(sandbox: Sandbox, extra_env: Mapping[str, str], number: int) -> float:
    result = spawn(
        [sandbox.client, "hook", HOST], sandbox.payload("bench", number), {**sandbox.env, **extra_env}
    )
    if result.code != 0:
        raise OSError(f"hookline-client answered a plain call with exit code {result.code}")
    return result.seconds


def _time_first_call(sandbox: Sandbox, number: int) -> float:
    """Time a call that starts the daemon, and stop the daemon afterwards."""
    seconds = _time_call(sandbox, {}, number)
    control.stop(sandbox.place)
    return seconds


def measure_sequence(calls: int) -> list[Figure]:
    """Measure how much the times of calls one after another vary."""
    with open_sandbox() as sandbox, run_daemon(sandbox), change_folder(sandbox.project):
        for number in range(WARM_UP_CALLS):
            _time_call(sandbox, {}, number)
        time.sleep(SETTLE_SECONDS)
        durations = [_time_call(sandbox, {}, WARM_UP_CALLS + number) for number in range(calls)]
    p50, p99 = percentile(durations, 0.5), percentile(durations, 0.99)
    what = f"{calls:,} sequential calls, p99 / p50 ({p99 * MS:.2f} / {p50 * MS:.2f} ms)"
    return [at_most("sequence-spread", what, p99 / p50, MAX_SPREAD)]


def measure_agents(seconds: int) -> list[Figure]:
    """Measure one call per second by each of 50 agents, through one daemon."""
    with (
        open_sandbox() as sandbox,
        run_daemon(sandbox),
        change_folder(sandbox.project),
        ThreadPoolExecutor(AGENTS) as pool,
    ):
        for number in range(WARM_UP_CALLS):
            _time_call(sandbox, {}, number)
        time.sleep(SETTLE_SECONDS)
        began = time.perf_counter()
        work = partial(_run_agent, sandbox, began, seconds)
        durations = [duration for times in pool.map(work, range(AGENTS)) for duration in times]
    p99 = percentile(durations, 0.99) * MS
    return [at_most("agents-p99", f"{AGENTS} agents, one call per second each: p99", p99, MAX_P99_MS, "ms")]


def _run_agent(sandbox: Sandbox, began: float, seconds: int, number: int) -> list[float]:
    durations = list[float]()
    for second in range(seconds):
        due = began + second + number / AGENTS
        time.sleep(max(0.0, due - time.perf_counter()))
        result = spawn(
            [sandbox.client, "hook", HOST], sandbox.payload(f"agent-{number}", second), sandbox.env
        )
        durations.append(result.seconds)
    return durations


def _take(numbers: Iterator[int], amount: int) -> list[int]:
    return [next(numbers) for _ in range(amount)]


def measure_idle(seconds: float) -> Iterator[Figure]:
    """Measure the CPU time of a daemon without calls."""
    if not os.path.exists("/proc/self/stat"):
        return
    with open_sandbox() as sandbox, run_daemon(sandbox) as process:
        run_closed_loop(sandbox, build_encoder(sandbox), range(20), 1)
        time.sleep(STORE_SECONDS)
        before = _read_cpu_ticks(process.pid)
        time.sleep(seconds)
        used = (_read_cpu_ticks(process.pid) - before) / os.sysconf("SC_CLK_TCK")
    # The system counts CPU time in clock ticks, so a smaller limit could not be checked.
    least = 1 / os.sysconf("SC_CLK_TCK")
    yield Figure(
        id="idle-cpu",
        what=f"CPU time of the idle daemon in {seconds:g} s",
        value=used * MS,
        unit="ms",
        bar=f"≤ {least * MS:g} ms (clock resolution)",
        met=used <= least,
    )


def _read_cpu_ticks(process: int) -> int:
    with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
        parts = file.read().rpartition(")")[2].split()
    return int(parts[11]) + int(parts[12])


REPLY_TIMEOUT = 30.0
"""Seconds to wait for a reply."""


class LoadResult(Struct, frozen=True, kw_only=True):
    """The replies of one load test."""

    seconds: float
    took: Sequence[float]
    """Seconds from the due time of each call until its reply was complete."""
    failed: int = 0


def build_encoder(sandbox: Sandbox, sessions: int = 1) -> Callable[[int], bytes]:
    """Return a function that encodes a call by its number for the daemon's socket, sessions in turn."""
    env = [f"{name}={value}" for name, value in sandbox.env.items()]
    context = "\0".join([f"{sandbox.folder}/bin", HOST, *env, sandbox.project]).encode() + b"\0"
    bodies = [sandbox.payload(f"bench-{number}", 0) for number in range(sessions)]

    def encode(number: int) -> bytes:
        body = bodies[number % sessions].replace(b'"call-0"', b'"call-%d"' % number)
        head = f"hookline/2 hook {__version__} bench.{number} 1 {len(env)} {len(body)}\n".encode()
        return head + context + body

    return encode


def run_closed_loop(
    sandbox: Sandbox, encode: Callable[[int], bytes], numbers: Iterable[int], concurrency: int
) -> LoadResult:
    """Make calls as fast as possible, *concurrency* of them at once."""
    return _drive(sandbox.place.socket, encode, ((0.0, number) for number in numbers), concurrency)


def _drive(
    path: str, encode: Callable[[int], bytes], due: Iterator[tuple[float, int]], concurrency: int
) -> LoadResult:
    """Make the *due* calls from one thread, because the switching of several would be measured too."""
    began, answers = time.perf_counter(), list[tuple[float, bool]]()
    upcoming = next(due, None)
    with selectors.DefaultSelector() as selector:
        while upcoming or selector.get_map():
            timeout = REPLY_TIMEOUT
            if upcoming and len(selector.get_map()) < concurrency:
                timeout = max(0.0, upcoming[0] - time.perf_counter())
                if not timeout:
                    since = upcoming[0] or time.perf_counter()
                    selector.register(_send_call(path, encode(upcoming[1])), selectors.EVENT_READ, since)
                    upcoming = next(due, None)
            answers += _collect_replies(selector, timeout)
    took = [seconds for seconds, _ in answers]
    return LoadResult(
        seconds=time.perf_counter() - began, took=took, failed=sum(not correct for _, correct in answers)
    )


def _collect_replies(selector: selectors.BaseSelector, timeout: float) -> Iterator[tuple[float, bool]]:
    """Yield, for each reply that has arrived, its duration and whether it is correct."""
    for key, _ in selector.select(timeout):
        connection = key.fileobj
        selector.unregister(connection)
        if isinstance(connection, socket.socket):
            correct = _read_reply(connection)
            yield time.perf_counter() - key.data, correct


def _send_call(path: str, call: bytes) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(REPLY_TIMEOUT)
    connection.connect(path)
    connection.sendall(call)
    return connection


def _read_reply(connection: socket.socket) -> bool:
    """Return whether the call was let through; reading to the end shows that the reply is complete."""
    with connection:
        return b"".join(iter(lambda: connection.recv(1 << 16), b"")).lstrip(b".\n").startswith(b"0 ")
