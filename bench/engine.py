"""What the engine costs beside agent, guard and metric: `python bench/engine.py [--files N]`.

A repository of 20,000 files, an agent that changes one of them, a guard and a metric that do nothing. What an
experiment takes, less what those processes take by themselves, is the overhead. The bar: a second for each.
Nothing is asserted; the last column says whether the bar holds on this machine.
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

from _runs import LIMITS, carried_out, committed
from rich.console import Console
from rich.table import Table

from hookline.cli._bench.bars import Figure, at_most
from hookline.engine.journal import Row
from hookline.engine.watcher import SilentWatcher

BAR = 1.0
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
    """Notes when each experiment was over, and what the processors had done by then."""

    def __init__(self) -> None:
        self.at: list[float] = []
        self.done: list[float] = []

    def on_decision(self, row: Row) -> None:
        self.at.append(time.monotonic())
        whose = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        self.done.append(sum(one.ru_utime + one.ru_stime for one in whose))


@contextmanager
def project(files: int) -> Iterator[Path]:
    with TemporaryDirectory() as place:
        root = Path(place, "project")
        for number in range(files):
            path = root / f"part{number % 100}" / f"file{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"file {number}\n" * 20)
        (root / "part0" / "n").write_text("1000\n")
        yield committed(root)


def measured(root: Path, experiments: int) -> tuple[float, list[float], list[float]]:
    """Seconds until the baseline, of each experiment, and of the processors in each."""
    watch, began = Watch(), time.monotonic()
    carried_out(root, TARGET + LIMITS.format(experiments=experiments), watch)
    return watch.at[0] - began, _between(watch.at), _between(watch.done)


def _between(moments: list[float]) -> list[float]:
    return [after - before for before, after in pairwise(moments)]


def figures(scale: float) -> list[Figure]:
    """What an experiment costs beside agent, guard and metric, for the table of all bars."""
    files = max(int(FILES * scale), 100)
    with project(files) as root:
        _, each, _ = measured(root, EXPERIMENTS)
    what = f"an experiment beside agent, guard and metric, {files:,} files"
    return [at_most("experiment", what, median(each[1:]), BAR, "s")]


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--experiments", type=int, default=EXPERIMENTS)
    given = parser.parse_args()
    with project(given.files) as root:
        first, each, work = measured(root, given.experiments)
    table = Table("what", "seconds", "bar", "")
    table.add_row("until the baseline is known", f"{first:.2f}", "", "")
    table.add_row("first experiment", f"{each[0]:.2f}", "", "")
    usual = median(each[1:] or each)
    table.add_row(
        "experiment, median", f"{usual:.2f}", f"{BAR:g}", "holds" if usual <= BAR else "does not hold"
    )
    table.add_row("of that the processors worked", f"{median(work[1:] or work):.2f}", "", "")
    Console().print(f"{given.files} files")
    Console().print(table)


if __name__ == "__main__":
    main()
