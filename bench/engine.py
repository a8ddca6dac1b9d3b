"""Overhead of the engine per experiment: `python bench/engine.py [--files N]`.

The repository has 20,000 files. The agent changes one of them; the guard and the metric take no time. The
limit is one second per experiment. Nothing is asserted; the last column shows whether the limit is met.
"""

import resource
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from _runs import LIMITS, commit_folder, run_target
from rich.console import Console
from rich.table import Table

from hookline.cli._bench.bars import Figure, at_most
from hookline.engine.journal import Row
from hookline.engine.watcher import SilentWatcher

BAR = 1.0
"""Limit in seconds."""
FILES, EXPERIMENTS = 20_000, 7
TARGET = """
goal = "A smaller number."
[scope]
mutable = ["part0/**"]
[metric]
command = "cat part0/n"
direction = "lower"
[guard]
command = "true"
[agent]
host = "command"
command = "date +%s%N > part0/other; echo $(( $(cat part0/n) + ${RANDOM:-1} % 2 )) > part0/n"
"""


class Watch(SilentWatcher):
    """Records the time and the CPU time at the end of each experiment."""

    def __init__(self) -> None:
        self.ends: list[float] = []
        self.cpu: list[float] = []

    def on_decision(self, row: Row) -> None:
        self.ends.append(time.monotonic())
        usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        self.cpu.append(sum(usage.ru_utime + usage.ru_stime for usage in usages))


@contextmanager
def project(files: int) -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        root = Path(folder, "project")
        for number in range(files):
            path = root / f"part{number % 100}" / f"file{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"file {number}\n" * 20)
        (root / "part0" / "n").write_text("1000\n")
        yield commit_folder(root)


def measure(root: Path, experiments: int) -> tuple[float, list[float], list[float]]:
    """Return seconds until the baseline, seconds per experiment, and CPU seconds per experiment."""
    watch, began = Watch(), time.monotonic()
    run_target(root, TARGET + LIMITS.format(experiments=experiments), watch)
    return watch.ends[0] - began, _differences(watch.ends), _differences(watch.cpu)


def _differences(values: list[float]) -> list[float]:
    return [after - before for before, after in pairwise(values)]


def figures(scale: float) -> list[Figure]:
    """Return the overhead per experiment."""
    files = max(int(FILES * scale), 100)
    with project(files) as root:
        _, seconds, _ = measure(root, EXPERIMENTS)
    what = f"engine overhead per experiment, {files:,} files"
    return [at_most("experiment", what, median(seconds[1:]), BAR, "s")]


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--experiments", type=int, default=EXPERIMENTS)
    args = parser.parse_args()
    with project(args.files) as root:
        baseline, seconds, cpu = measure(root, args.experiments)
    table = Table("phase", "seconds", "limit", "")
    table.add_row("baseline", f"{baseline:.2f}", "", "")
    table.add_row("first experiment", f"{seconds[0]:.2f}", "", "")
    typical = median(seconds[1:] or seconds)
    table.add_row("experiment, median", f"{typical:.2f}", f"{BAR:g}", "met" if typical <= BAR else "missed")
    table.add_row("experiment, median CPU time", f"{median(cpu[1:] or cpu):.2f}", "", "")
    Console().print(f"{args.files} files")
    Console().print(table)


if __name__ == "__main__":
    main()
