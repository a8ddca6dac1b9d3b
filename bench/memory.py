"""Memory of a daemon after a million events of a thousand sessions: `python bench/memory.py`."""

import sys
from argparse import ArgumentParser

from hookline.cli._bench import measure
from hookline.cli._bench.bars import Figure, at_most
from hookline.cli._bench.world import open_sandbox, run_daemon

EVENTS, SESSIONS = 1_000_000, 1_000
MAX_MEGABYTES = 120.0
MAX_GROWTH = 1.05
"""Limit of the memory at the end, relative to half time."""
CONCURRENCY = 4


def figures(scale: float) -> list[Figure]:
    events = max(int(EVENTS * scale), 2)
    with open_sandbox() as at, run_daemon(at) as process:
        encoder = measure.build_encoder(at, SESSIONS)
        first = measure.run_closed_loop(at, encoder, range(events // 2), CONCURRENCY)
        half = _resident_megabytes(process.pid)
        second = measure.run_closed_loop(at, encoder, range(events // 2, events), CONCURRENCY)
        whole = _resident_megabytes(process.pid)
    failed = first.failed + second.failed
    if failed:
        raise OSError(f"{failed} calls got a wrong answer")
    what = f"memory of the daemon after {events:,} events of {SESSIONS:,} sessions"
    return [
        at_most("memory", what, whole, MAX_MEGABYTES, "MB"),
        at_most("memory-second-half", "memory at the end, relative to half time", whole / half, MAX_GROWTH),
    ]


def _resident_megabytes(process: int) -> float:
    """Return the resident memory of a process in megabytes."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:")) / 1024


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of a million events")
    for figure in figures(parser.parse_args().scale):
        print(f"{figure.what}: {figure.shown}, limit {figure.bar}")


if __name__ == "__main__":
    sys.exit(main())
