"""What several experiments at once gain: `python bench/parallel.py [--parallel N] [--seconds S]`.

The same run twice, one experiment at a time and N at once, with an agent that sleeps. The ratio of both, less
the baseline, would be 1/N if nothing else cost anything. The bar for two: half, within 15 %.
Nothing is asserted; the last column says whether the bar holds on this machine.
"""

import time
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory

from _runs import LIMITS, carried_out, committed
from rich.console import Console
from rich.table import Table

from hookline.cli._bench.bars import Figure, at_most
from hookline.engine.journal import Row
from hookline.engine.watcher import SilentWatcher

SLACK = 1.15
EXPERIMENTS, SECONDS, LEAST = 8, 5.0, 3.0
"""How many, how long each sleeps, and the least that tells anything."""
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
    """Notes when the baseline was known, and counts what was kept."""

    def __init__(self) -> None:
        self.began = 0.0
        self.kept = 0

    def on_decision(self, row: Row) -> None:
        self.began = self.began or time.monotonic()
        self.kept += row.kept


def project(place: Path) -> Path:
    root = place / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "n").write_text("0\n")
    return committed(root)


def measured(experiments: int, seconds: float, parallel: int) -> tuple[float, int]:
    """Seconds after the baseline, and how many were kept."""
    text = TARGET.format(seconds=seconds) + LIMITS.format(experiments=experiments)
    with TemporaryDirectory() as place:
        watch = Watch()
        carried_out(project(Path(place)), text, watch, parallel=parallel)
        return time.monotonic() - watch.began, watch.kept - 1


def figures(scale: float) -> list[Figure]:
    """What two at once take of the time of one after the other, for the table of all bars."""
    seconds = max(SECONDS * scale, LEAST)
    (one, _), (two, _) = (measured(EXPERIMENTS, seconds, parallel) for parallel in (1, 2))
    what = f"two experiments at once against one after the other, {EXPERIMENTS} that sleep {seconds:g} s"
    return [at_most("parallel", what, two / one, SLACK / 2, "×")]


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("--experiments", type=int, default=EXPERIMENTS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    given = parser.parse_args()
    one, kept = measured(given.experiments, given.seconds, 1)
    many, kept_too = measured(given.experiments, given.seconds, given.parallel)
    bar = SLACK / given.parallel
    table = Table("at once", "seconds", "kept", "ratio", "bar", "")
    table.add_row("1", f"{one:.1f}", str(kept), "1", "", "")
    holds = "holds" if many / one <= bar else "does not hold"
    table.add_row(str(given.parallel), f"{many:.1f}", str(kept_too), f"{many / one:.3f}", f"{bar:.3f}", holds)
    Console().print(f"{given.experiments} experiments of {given.seconds:g} s")
    Console().print(table)


if __name__ == "__main__":
    main()
