"""Take the figures: each kind of call in short rows by turns, so that a slow moment hits all alike."""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count

from hookline.cli import _bench_load as load
from hookline.cli._bench_bars import (
    COLD,
    MS,
    NODE,
    THREE,
    TRUE,
    WARM,
    Figure,
    Measured,
    at_least,
    at_most,
    of_calls,
)
from hookline.cli._bench_world import HOST, World, daemon, inside, on, spawned, world
from hookline.cli._client import ASKING, client
from hookline.daemon import control
from hookline.record import record

LEAST_RATE = 2_000.0
MOST_P99 = 5.0
AT_ONCE = 4
"""Calls under way while it is seen how many a second can be answered."""
SESSIONS = 50
SETTLED = 2.1
"""Seconds until files that were just made are taken for ones that stay as they are."""
QUIET = 1.0
"""Seconds after the last call in which what was gathered is still being stored."""
WARMING = 3
"""Times that each process is started before it counts."""
ROW = 10
"""Calls of a kind one after another, so that none pays for what another kind left in the caches."""
Said = Callable[[str], None]


@record
class Much:
    """How much of everything."""

    calls: int = 60
    """Times that each process is started."""
    events: int = 12_000
    """Events for the rate, and half as many for the percentile."""
    idle: float = 5.0
    """Seconds in which nobody calls."""


def measured(much: Much, said: Said) -> Measured:
    """Everything; *said* hears what is being done."""
    said(f"calls: {much.calls} of each kind, in rows of {ROW}")
    figures, left_out = calls(much.calls)
    said(f"load: {much.events:,} events through one core")
    figures += throughput(much.events)
    said(f"rest: {much.idle:g} seconds in which nobody calls")
    figures += [*idle(much.idle)]
    return Measured(figures=tuple(figures), left_out=tuple(left_out))


def calls(runs: int) -> tuple[list[Figure], list[str]]:
    """What a host waits for."""
    with world() as warm, world() as cold, daemon(warm), inside(warm.project):
        kinds, left_out = _kinds(warm, cold)
        took: dict[str, list[float]] = {name: [] for name in kinds}
        numbers, rows = count(), [WARMING, *[ROW] * (runs // ROW), *filter(None, [runs % ROW])]
        for place, row in enumerate(rows):
            for name, work in kinds.items():
                seconds = [work(number) for number in _some(numbers, row)]
                took[name] += seconds if place else []
            time.sleep(0 if place else SETTLED)
        left_out += _past(warm, runs + WARMING)
    return [*of_calls(took)], left_out


def _past(warm: World, calls: int) -> Iterator[str]:
    """What went past the daemon tells nothing about it: a machine that is busy may keep it waiting."""
    answered = int((control.status(warm.place) or {}).get("calls", 0))
    if answered < calls:
        yield f"the daemon: of {calls} calls only {answered} were answered by it, the others without"


def _kinds(warm: World, cold: World) -> tuple[dict[str, Callable[[int], float]], list[str]]:
    node, true = shutil.which("node"), shutil.which("true") or "/bin/true"
    clean = {"PATH": os.defpath}

    def plain(argv: list[str], number: int) -> float:
        return spawned(argv, b"", clean).seconds

    kinds: dict[str, Callable[[int], float]] = {TRUE: partial(plain, [true])}
    asks = client(warm.folder)
    left_out = list[str]()
    if node:
        kinds[NODE] = partial(plain, [node, "-e", "0"])
        kinds[THREE] = lambda number: sum(plain([node, "-e", "0"], number) for _ in range(3))
    if asks == ASKING:
        left_out.append("the client in bash: this machine's cannot ask, so the one in Python was measured")
    if not node:
        left_out.append("node: not found, so what is compared with it is left out")
    kinds[WARM] = partial(_answered, [*asks, "hook", HOST], warm, {})
    kinds[COLD] = partial(_answered, [*asks, "hook", HOST], cold, {"HOOKLINE_DAEMON": "off"})
    return kinds, left_out


def _answered(argv: list[str], at: World, more: Mapping[str, str], number: int) -> float:
    ran = spawned(argv, at.payload("bench", number), {**at.env, **more})
    if ran.code != 0:
        raise OSError(f"{os.path.basename(argv[0])} answered a plain call by exit code {ran.code}")
    return ran.seconds


def throughput(events: int) -> list[Figure]:
    """What one core of a daemon bears, every event judged by all default hooks and kept."""
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    core = max(cores, default=None)
    with world() as at, daemon(at, core), on(cores - {core}):
        said, numbers = load.asking(at, SESSIONS), count()
        load.closed(at, said, _some(numbers, min(events, SESSIONS)), AT_ONCE)
        time.sleep(SETTLED)
        load.closed(at, said, _some(numbers, min(events, 500)), AT_ONCE)
        full = load.closed(at, said, _some(numbers, events), AT_ONCE)
        half = load.paced(at, said, _some(numbers, max(events // 2, 1)), full.rate / 2)
    if full.failed or half.failed:
        raise OSError(f"{full.failed + half.failed} calls under load were not answered as they should be")
    p99 = half.percentile(0.99) * MS
    return [
        at_least("rate", "daemon, one core: events a second, with audit", full.rate, LEAST_RATE, "/s"),
        at_most("p99-at-half", f"p99 at half of that ({full.rate / 2:,.0f}/s)", p99, MOST_P99, "ms"),
    ]


def _some(numbers: Iterator[int], many: int) -> list[int]:
    return [next(numbers) for _ in range(many)]


def idle(seconds: float) -> Iterator[Figure]:
    """What a daemon that nobody calls takes of a core."""
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
