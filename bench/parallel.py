"""Speed-up by parallel experiments: `python bench/parallel.py [--parallel N] [--seconds S]`.

The same run is made twice, sequentially and with N workers, with an agent that sleeps. Without overhead, the
ratio of the times after the baseline would be 1/N. The limit is 15 % above that. Nothing is asserted; the
last column shows whether the limit is met.
"""

import time
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory

from _runs import LIMITS, commit_folder, run_target
from rich.console import Console
from rich.table import Table

from hookline.cli._bench.bars import Figure, at_most
from hookline.engine.journal import Row
from hookline.engine.watcher import SilentWatcher

SLACK = 1.15
EXPERIMENTS, SECONDS, MIN_SECONDS = 8, 5.0, 3.0
"""Number of experiments, and the default and minimum seconds that each sleeps."""
TARGET = """
goal = "More files."
[scope]
mutable = ["src/**"]
[metric]
command = "ls src | wc -l"
direction = "higher"
[agent]
host = "command"
command = '''
sleep {seconds}
n=$(echo "$HOOKLINE_RUN" | cut -d: -f2)
if test $((n % 3)) = 0; then touch "src/e$n"; else echo "$n" > src/n; fi
'''
"""


class Watch(SilentWatcher):
    """Records the time of the baseline, and counts kept experiments."""

    def __init__(self) -> None:
        self.start = 0.0
        self.kept = 0

    def on_decision(self, row: Row) -> None:
        self.start = self.start or time.monotonic()
        self.kept += row.kept


def project(folder: Path) -> Path:
    root = folder / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "n").write_text("0\n")
    return commit_folder(root)


def measure(experiments: int, seconds: float, parallel: int) -> tuple[float, int]:
    """Return the seconds after the baseline, and the number of kept experiments."""
    text = TARGET.format(seconds=seconds) + LIMITS.format(experiments=experiments)
    with TemporaryDirectory() as folder:
        watch = Watch()
        run_target(project(Path(folder)), text, watch, parallel=parallel)
        return time.monotonic() - watch.start, watch.kept - 1


def figures(scale: float) -> list[Figure]:
    """Return the time of two workers relative to one."""
    seconds = max(SECONDS * scale, MIN_SECONDS)
    (sequential, _), (parallel, _) = (measure(EXPERIMENTS, seconds, workers) for workers in (1, 2))
    what = f"{EXPERIMENTS} experiments of {seconds:g} s with two workers, relative to one"
    return [at_most("parallel", what, parallel / sequential, SLACK / 2, "×")]


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("--experiments", type=int, default=EXPERIMENTS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    args = parser.parse_args()
    sequential, kept = measure(args.experiments, args.seconds, 1)
    parallel, kept_parallel = measure(args.experiments, args.seconds, args.parallel)
    ratio, limit = parallel / sequential, SLACK / args.parallel
    table = Table("workers", "seconds", "kept", "ratio", "limit", "")
    table.add_row("1", f"{sequential:.1f}", str(kept), "1", "", "")
    result = "met" if ratio <= limit else "missed"
    cells = (f"{parallel:.1f}", str(kept_parallel), f"{ratio:.3f}", f"{limit:.3f}")
    table.add_row(str(args.parallel), *cells, result)
    Console().print(f"{args.experiments} experiments of {args.seconds:g} s")
    Console().print(table)


if __name__ == "__main__":
    main()
