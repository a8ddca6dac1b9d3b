"""Take the figures: each kind of call in short rows by turns, so that a slow moment affects all of them."""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count

from msgspec import Struct

from hookline.cli._bench import load
from hookline.cli._bench.bars import (
    ALONE,
    COLD,
    MS,
    NODE,
    TRUE,
    WARM,
    Figure,
    Measured,
    at_most,
    of_calls,
    percentile,
)
from hookline.cli._bench.world import HOST, World, daemon, inside, spawned, world
from hookline.daemon import control

MOST_SPREAD = 3.0
MOST_P99 = 20.0
AGENTS = 50
SETTLED = 2.1
"""Seconds until files that were just made are cached by their stamps."""
QUIET = 1.0
"""Seconds after the last call in which its record is still being stored."""
WARMING = 3
"""Calls of each kind that are not counted."""
ROW = 10
"""Calls of a kind one after another, so that none pays for what another kind left in the caches."""
Said = Callable[[str], None]


class Much(Struct, frozen=True, kw_only=True):
    """How much of everything."""

    calls: int = 60
    """Calls of each kind."""
    sequence: int = 2_000
    """Calls one after another for the spread."""
    seconds: int = 20
    """Seconds in which 50 agents make a call each."""
    idle: float = 5.0
    """Seconds without a call."""


def measured(much: Much, said: Said) -> Measured:
    """Take every figure; *said* hears what is being done."""
    said(f"calls: {much.calls} of each kind, in rows of {ROW}")
    figures, left_out = calls(much.calls)
    said(f"sequence: {much.sequence:,} calls one after another")
    figures += sequence(much.sequence)
    said(f"agents: {AGENTS} of them for {much.seconds} seconds")
    figures += agents(much.seconds)
    said(f"idle: {much.idle:g} seconds without a call")
    figures += [*idle(much.idle)]
    return Measured(figures=tuple(figures), left_out=tuple(left_out))


def calls(runs: int) -> tuple[list[Figure], list[str]]:
    """Measure how long a host waits for each kind of call."""
    with world() as warm, world() as cold, daemon(warm), inside(warm.project):
        kinds, left_out = _kinds(warm, cold)
        took: dict[str, list[float]] = {name: [] for name in kinds}
        numbers, rows = count(), [WARMING, *[ROW] * (runs // ROW), *filter(None, [runs % ROW])]
        for place, row in enumerate(rows):
            for name, work in kinds.items():
                seconds = [work(number) for number in _some(numbers, row)]
                took[name] += seconds if place else []
            time.sleep(0 if place else SETTLED)
        left_out += _not_answered(warm, runs + WARMING)
    return [*of_calls(took)], left_out


def _not_answered(warm: World, calls: int) -> Iterator[str]:
    answered = int((control.status(warm.place) or {}).get("calls", 0))
    if answered < calls:
        yield f"the daemon: it answered only {answered} of {calls} calls"


def _kinds(warm: World, cold: World) -> tuple[dict[str, Callable[[int], float]], list[str]]:
    node, true = shutil.which("node"), shutil.which("true") or "/bin/true"
    clean = {"PATH": os.defpath}

    def plain(argv: list[str], number: int) -> float:
        return spawned(argv, b"", clean).seconds

    kinds: dict[str, Callable[[int], float]] = {TRUE: partial(plain, [true])}
    if node:
        kinds[NODE] = partial(plain, [node, "-e", "0"])
    kinds[WARM] = partial(_answered, warm, {})
    kinds[COLD] = partial(_first, cold)
    kinds[ALONE] = partial(_answered, warm, {"HOOKLINE_DAEMON": "off"})
    return kinds, [] if node else ["node: not found, so the figures relative to it are left out"]


def _answered(at: World, more: Mapping[str, str], number: int) -> float:
    ran = spawned([at.client, "hook", HOST], at.payload("bench", number), {**at.env, **more})
    if ran.code != 0:
        raise OSError(f"hookline-client answered a plain call by exit code {ran.code}")
    return ran.seconds


def _first(at: World, number: int) -> float:
    """A call that has to start the daemon, which is stopped afterwards."""
    seconds = _answered(at, {}, number)
    control.stop(at.place)
    return seconds


def sequence(calls: int) -> list[Figure]:
    """Measure how evenly calls one after another are answered."""
    with world() as at, daemon(at), inside(at.project):
        for number in range(WARMING):
            _answered(at, {}, number)
        time.sleep(SETTLED)
        took = [_answered(at, {}, WARMING + number) for number in range(calls)]
    p50, p99 = percentile(took, 0.5), percentile(took, 0.99)
    what = f"{calls:,} calls one after another, p99 to p50 ({p99 * MS:.2f} to {p50 * MS:.2f} ms)"
    return [at_most("sequence-spread", what, p99 / p50, MOST_SPREAD)]


def agents(seconds: int) -> list[Figure]:
    """Measure a call a second by each of 50 agents, through one daemon."""
    with world() as at, daemon(at), inside(at.project), ThreadPoolExecutor(AGENTS) as pool:
        for number in range(WARMING):
            _answered(at, {}, number)
        time.sleep(SETTLED)
        began = time.perf_counter()
        work = partial(_agent, at, began, seconds)
        took = [one for times in pool.map(work, range(AGENTS)) for one in times]
    p99 = percentile(took, 0.99) * MS
    return [
        at_most("agents-p99", f"{AGENTS} agents, a call a second each, one daemon: p99", p99, MOST_P99, "ms")
    ]


def _agent(at: World, began: float, seconds: int, number: int) -> list[float]:
    took = list[float]()
    for second in range(seconds):
        due = began + second + number / AGENTS
        time.sleep(max(0.0, due - time.perf_counter()))
        ran = spawned([at.client, "hook", HOST], at.payload(f"agent-{number}", second), at.env)
        took.append(ran.seconds)
    return took


def _some(numbers: Iterator[int], many: int) -> list[int]:
    return [next(numbers) for _ in range(many)]


def idle(seconds: float) -> Iterator[Figure]:
    """Measure the CPU time of a daemon that nobody calls."""
    if not os.path.exists("/proc/self/stat"):
        return
    with world() as at, daemon(at) as process:
        load.closed(at, load.asking(at), range(20), 1)
        time.sleep(QUIET)
        before = _ticks(process.pid)
        time.sleep(seconds)
        used = (_ticks(process.pid) - before) / os.sysconf("SC_CLK_TCK")
    # A clock tick is the least that the system tells.
    least = 1 / os.sysconf("SC_CLK_TCK")
    yield Figure(
        id="idle-cpu",
        what=f"idle daemon, CPU over {seconds:g} s",
        value=used * MS,
        unit="ms",
        bar=f"≤ {least * MS:g} ms, the least that can be measured",
        met=used <= least,
    )


def _ticks(process: int) -> int:
    with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
        parts = file.read().rpartition(")")[2].split()
    return int(parts[11]) + int(parts[12])
