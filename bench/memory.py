"""What a daemon holds after a million events over a thousand sessions: `python bench/memory.py`."""

import sys
from argparse import ArgumentParser

from hookline.cli._bench import load
from hookline.cli._bench.bars import Figure, at_most
from hookline.cli._bench.world import open_sandbox, run_daemon

EVENTS, SESSIONS = 1_000_000, 1_000
MOST = 120.0
"""Megabytes."""
FLAT = 1.05
"""What it may hold at the end, for what it held at half time."""
AT_ONCE = 4


def figures(scale: float) -> list[Figure]:
    events = max(int(EVENTS * scale), 2)
    with open_sandbox() as at, run_daemon(at) as process:
        said = load.build_encoder(at, SESSIONS)
        first = load.run_closed_loop(at, said, range(events // 2), AT_ONCE)
        half = _held(process.pid)
        second = load.run_closed_loop(at, said, range(events // 2, events), AT_ONCE)
        whole = _held(process.pid)
    failed = first.failed + second.failed
    if failed:
        raise OSError(f"{failed} calls were not answered as they should be")
    what = f"daemon's memory after {events:,} events over {SESSIONS:,} sessions"
    return [
        at_most("memory", what, whole, MOST, "MB"),
        at_most("memory-second-half", "that, to what it was at half time", whole / half, FLAT),
    ]


def _held(process: int) -> float:
    """Megabytes of memory that are really there."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:")) / 1024


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="of a million events")
    for one in figures(parser.parse_args().scale):
        print(f"{one.what}: {one.shown}, bar {one.bar}")


if __name__ == "__main__":
    sys.exit(main())
